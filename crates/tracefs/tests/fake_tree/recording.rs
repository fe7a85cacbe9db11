//! Complete recordings in one process.

use traceloom_tracefs::{Error, Properties, Tracefs, Warning};

use crate::fake::World;

#[test]
fn steps_have_the_order_of_androids_atrace() {
    let world = World::new();
    let session = world
        .start(&world.config(&["sched", "irq", "gfx"]))
        .unwrap();
    let written = world.tree.written.borrow().clone();
    let (marks, steps): (Vec<_>, Vec<_>) = written
        .into_iter()
        .partition(|step| step.starts_with("trace_marker"));
    let expected = [
        "options/overwrite 0",
        "buffer_size_kb 2048",
        "trace_clock boot",
        // Older Android kernels have this option instead of record-tgid.
        "options/print-tgid 1",
        "events/sched/sched_switch/enable 1",
        "events/sched/sched_wakeup/enable 1",
        "events/sched/sched_waking/enable 1",
        "events/irq/enable 1",
        "tracing_on 1",
    ];
    assert_eq!(steps, expected);
    assert_eq!(marks.len(), 2);
    assert_eq!(
        world.store.get("debug.atrace.tags.enableflags").as_deref(),
        Some("0x2")
    );
    drop(session);
}

#[test]
fn everything_is_restored() {
    let world = World::new();
    world.tree.put("trace_clock", "local [global] boot mono");
    world.tree.put("options/overwrite", "0");
    world.tree.put("buffer_size_kb", "512");
    world.tree.switch("timer", Some("timer_start"), true);
    world.tree.switch("sched", Some("sched_waking"), true);
    world.store.set("debug.atrace.app_0", "somebody").unwrap();
    let (before, values) = (world.tree.settings(), world.store.values.borrow().clone());

    let mut config = world.config(&["irq", "view"]);
    config.apps = vec!["a".into(), "b*".into()];
    config.overwrite = true;
    let mut session = world.start(&config).unwrap();
    assert_eq!(
        world.tree.get("set_event"),
        "irq:irq_handler_entry\ntimer:timer_start\n"
    );
    assert_eq!(world.store.get("debug.atrace.app_1").as_deref(), Some("b*"));
    session.stop().unwrap();
    assert_eq!(session.restore(), []);
    assert_eq!(world.tree.settings(), before);
    assert_eq!(*world.store.values.borrow(), values);
    assert_eq!(*world.store.announced.borrow(), 2);
}

/// Switching the option off in one instance would affect the events of all instances.
#[test]
fn an_instance_that_ends_leaves_processes_to_others() {
    let world = World::new();
    let mut config = world.config(&["irq"]);
    config.instance = Some("one".into());
    let session = world.start(&config).unwrap();
    assert_eq!(session.restore(), []);
    let written = world.tree.written.borrow();
    let options = written.iter().filter(|step| step.contains("-tgid"));
    let expected = ["instances/one/options/print-tgid 1"];
    assert_eq!(options.collect::<Vec<_>>(), expected);
    assert!(!world.tree.path("instances/one").exists());
}

#[test]
fn everything_is_restored_whichever_step_fails() {
    let steps = [
        "options/overwrite",
        "buffer_size_kb",
        "trace_clock",
        "options/print-tgid",
        "events/sched/sched_switch/enable",
        "events/irq/enable",
        "tracing_on",
        "trace_marker",
    ];
    for step in steps {
        let world = World::new();
        let config = world.config(&["sched", "irq", "gfx"]);
        let mut before = world.tree.settings();
        *world.tree.refused.borrow_mut() = Some(step);
        let error = world.start(&config).err().unwrap();
        assert!(matches!(error, Error::File { .. }), "{step}: {error}");
        assert!(
            error.to_string().ends_with("Invalid argument (22)"),
            "{error}"
        );
        // The old size, of a buffer that was never used, cannot be written back; 1408 is its size once used.
        let mut after = world.tree.settings();
        let never_used = before.insert("buffer_size_kb".into(), String::new());
        let after_size = after.insert("buffer_size_kb".into(), String::new());
        assert!(after_size == never_used || after_size.as_deref() == Some("1408"));
        assert_eq!(after, before, "{step}");
        assert!(world.store.values.borrow().is_empty(), "{step}");
    }
}

#[test]
fn an_optional_event_that_cannot_be_enabled_is_a_warning() {
    let world = World::new();
    *world.tree.refused.borrow_mut() = Some("events/sched/sched_waking/enable");
    let mut session = world.start(&world.config(&["sched"])).unwrap();
    let warnings = session.take_warnings();
    assert!(matches!(&warnings[..], [Warning::Event(text)] if text.contains("sched_waking")));
    assert_eq!(session.take_warnings(), []);
}

#[test]
fn a_setting_that_cannot_be_restored_is_reported_and_the_rest_restored() {
    let world = World::new();
    let mut session = world.start(&world.config(&["sched"])).unwrap();
    session.stop().unwrap();
    *world.tree.refused.borrow_mut() = Some("trace_clock");
    let warnings = session.restore();
    assert!(matches!(&warnings[..], [Warning::NotRestored { what, .. }] if what == "trace_clock"));
    assert_eq!(world.tree.get("options/overwrite"), "1");
    assert_eq!(world.tree.get("set_event"), "");
}

#[test]
fn different_buffer_sizes_of_cpus_are_restored() {
    let world = World::new();
    world.tree.put("buffer_size_kb", "X");
    world.tree.put("per_cpu/cpu0/buffer_size_kb", "100");
    world.tree.put("per_cpu/cpu1/buffer_size_kb", "200");
    let mut session = world.start(&world.config(&[])).unwrap();
    session.stop().unwrap();
    world.tree.written.borrow_mut().clear();
    assert_eq!(session.restore(), []);
    let written = world.tree.written.borrow();
    for size in [
        "per_cpu/cpu0/buffer_size_kb 100",
        "per_cpu/cpu1/buffer_size_kb 200",
    ] {
        assert!(written.iter().any(|step| step == size), "{written:?}");
    }
}

#[test]
fn functions_are_filtered_before_they_are_traced() {
    let world = World::new();
    world
        .tree
        .put("set_ftrace_filter", "#### all functions enabled ####\n");
    world.tree.put("options/funcgraph-abstime", "0");
    let mut config = world.config(&[]);
    config.functions = vec!["do_sys_open".into(), "vfs_*".into()];
    // Functions are appended without line ends, as the kernel takes one per write. The fake tree joins them, so it does
    // not find the first one.
    let error = world.start(&config).err().unwrap();
    assert!(matches!(error, Error::UnknownFunction(name) if name == "do_sys_open"));
    assert_eq!(world.tree.get("current_tracer"), "nop");
    assert_eq!(world.tree.get("set_ftrace_filter"), "");

    config.functions = vec!["vfs_*".into()];
    let mut session = world.start(&config).unwrap();
    assert_eq!(world.tree.get("current_tracer"), "function_graph");
    assert_eq!(world.tree.get("options/funcgraph-abstime"), "1");
    session.stop().unwrap();
    session.restore();
    assert_eq!(world.tree.get("current_tracer"), "nop");
    assert_eq!(world.tree.get("options/funcgraph-abstime"), "0");
}

/// The error only appears if functions are requested.
#[test]
fn a_kernel_without_function_tracing_is_an_error_if_functions_are_requested() {
    for (tracers, words) in [
        (
            "blk function nop",
            "its tracers are blk function nop, without function_graph",
        ),
        (
            "function_graph nop",
            "set_ftrace_filter: No such file or directory (2)",
        ),
    ] {
        let world = World::new();
        world.tree.put("available_tracers", tracers);
        let before = world.tree.settings();
        let mut config = world.config(&["sched"]);
        config.functions = vec!["vfs_read".into()];
        let error = world.start(&config).err().unwrap();
        assert!(matches!(error, Error::NoFunctionTracing(_)), "{error}");
        assert!(error.to_string().ends_with(words), "{error}");
        // The old size, of a buffer that was never used, cannot be written back.
        let mut after = world.tree.settings();
        after.insert("buffer_size_kb".into(), before["buffer_size_kb"].clone());
        assert_eq!(after, before);
        config.functions.clear();
        drop(world.start(&config).unwrap());
    }
}
