//! Probes that a recording adds and removes.

use traceloom_tracefs::{Config, Error, Probe, Session, Tracefs};

use crate::fake::World;

/// A kernel with kprobes.
fn world() -> World {
    let world = World::new();
    world.tree.put("kprobe_events", "p:mine/other do_exit\n");
    world.tree.put("buffer_size_kb", "512");
    world
}

fn config(world: &World, probes: &[Probe]) -> Config {
    Config {
        probes: probes.to_vec(),
        ..world.config(&["sched"])
    }
}

fn open_call() -> Probe {
    Probe::kernel("open=do_sys_openat2 dfd=%di fd=$retval", true).unwrap()
}

#[test]
fn probes_exist_while_it_records() {
    let world = world();
    let before = world.tree.settings();
    let plain = Probe::kernel("vfs_read+4 count=%dx", false).unwrap();
    let session = world.start(&config(&world, &[plain, open_call()])).unwrap();
    assert_eq!(
        world.tree.get("kprobe_events"),
        "p:mine/other do_exit\n\
         p:traceloom/vfs_read_4 vfs_read+4 count=%dx\n\
         p:traceloom/traceloom_call_open do_sys_openat2 dfd=%di\n\
         r:traceloom/traceloom_return_open do_sys_openat2 fd=$retval\n"
    );
    for event in ["vfs_read_4", "traceloom_call_open", "traceloom_return_open"] {
        assert_eq!(
            world.tree.get(&format!("events/traceloom/{event}/enable")),
            "1"
        );
    }
    assert_eq!(session.restore(), []);
    assert_eq!(world.tree.settings(), before);
}

#[test]
fn a_later_process_removes_them() {
    let world = world();
    let before = world.tree.settings();
    let config = config(&world, &[open_call()]);
    world.start(&config).unwrap().leave_running().unwrap();
    assert!(
        world
            .tree
            .exists("events/traceloom/traceloom_call_open/enable")
    );
    let session = Session::adopt(&world.tree, &world.store, &config).unwrap();
    assert_eq!(session.restore(), []);
    assert_eq!(world.tree.settings(), before);
}

#[test]
fn the_probe_of_another_program_is_left_alone() {
    let world = world();
    world
        .tree
        .append("kprobe_events", "p:traceloom/traceloom_return_open x\n")
        .unwrap();
    let before = world.tree.settings();
    let refused = world.start(&config(&world, &[open_call()])).err().unwrap();
    assert!(matches!(&refused, Error::ProbeExists { event, .. } if event.ends_with("return_open")));
    assert!(
        refused
            .to_string()
            .contains("echo '-:traceloom/traceloom_return_open' >> ")
    );
    assert_eq!(world.tree.settings(), before);
}

#[test]
fn a_kernel_without_probes_refuses_before_anything_changes() {
    let world = World::new();
    let probe = open_call();
    let refused = probe.check(&world.tree).unwrap_err().to_string();
    assert_eq!(
        refused,
        "this kernel cannot add events to functions of the kernel: its tracefs has no kprobe_events"
    );
    let probe = Probe::user("/bin/sh:main", false).unwrap();
    let refused = probe.check(&world.tree).unwrap_err().to_string();
    assert!(
        refused.ends_with("its tracefs has no uprobe_events"),
        "{refused}"
    );
}

#[test]
fn a_refused_probe_changes_nothing() {
    let world = world();
    let before = world.tree.settings();
    world.tree.put(
        "error_log",
        "[ 5.1] trace_kprobe: error: Invalid probed address or symbol\n  Command: p:x\n   ^\n",
    );
    let with_log = world.tree.settings();
    *world.tree.refused.borrow_mut() = Some("kprobe_events");
    let refused = world
        .start(&config(&world, &[open_call()]))
        .err()
        .unwrap()
        .to_string();
    assert_eq!(
        refused,
        "the probe open cannot be added: Invalid probed address or symbol"
    );
    *world.tree.refused.borrow_mut() = None;
    assert_eq!(world.tree.settings(), with_log);
    assert_eq!(before.len() + 1, with_log.len());
}
