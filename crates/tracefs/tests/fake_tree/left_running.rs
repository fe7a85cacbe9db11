//! Recordings that continue after the program, and recordings of user space only.

use std::fs;

use traceloom_tracefs::{Properties, Session};

use crate::fake::World;

#[test]
fn a_recording_left_running_is_ended_by_another_process() {
    let world = World::new();
    world.tree.put("buffer_size_kb", "512");
    let before = world.tree.settings();
    let config = world.config(&["sched", "gfx"]);
    world.start(&config).unwrap().leave_running().unwrap();
    assert_eq!(world.tree.get("tracing_on"), "1");

    let other = World {
        tree: world.tree,
        store: world.store,
        state: world.state,
        catalog: world.catalog,
    };
    let mut session = Session::adopt(&other.tree, &other.store, &config).unwrap();
    assert!(session.has_changes());
    session.stop().unwrap();
    assert_eq!(session.restore(), []);
    assert_eq!(other.tree.settings(), before);
    assert!(other.store.values.borrow().is_empty());
    assert_eq!(fs::read_dir(other.state.path()).unwrap().count(), 0);
}

#[test]
fn user_space_may_end_before_the_kernel() {
    let world = World::new();
    world.tree.put("buffer_size_kb", "512");
    let before = world.tree.settings();
    let config = world.config(&["sched", "gfx"]);
    world.start(&config).unwrap().leave_running().unwrap();
    let recording = world.tree.settings();
    let session = Session::adopt(&world.tree, &world.store, &config).unwrap();
    assert_eq!(session.restore_user_space().unwrap(), []);
    assert!(world.store.values.borrow().is_empty());
    assert_eq!(world.tree.settings(), recording);
    let mut session = Session::adopt(&world.tree, &world.store, &config).unwrap();
    session.stop().unwrap();
    session.restore();
    assert_eq!(world.tree.settings(), before);
}

/// Another program may be recording the kernel.
#[test]
fn user_space_only_does_not_change_the_kernel() {
    let world = World::new();
    world.tree.put("tracing_on", "1");
    let before = world.tree.settings();
    let mut config = world.config(&["sched", "gfx"]);
    config.only_user_space = true;
    let session = world.start(&config).unwrap();
    assert_eq!(
        world.store.get("debug.atrace.tags.enableflags").as_deref(),
        Some("0x2")
    );
    drop(session);
    assert!(world.store.values.borrow().is_empty());
    assert_eq!(world.tree.settings(), before);
    assert_eq!(*world.tree.written.borrow(), [""; 0]);
}
