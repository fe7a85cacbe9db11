//! Tests of triggers, which make the recorder save a file, and of sampled counters.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use traceloom_inapp::recorder::*;

use crate::child::{counters, options, read, run};

/// Waits until the file exists, because triggers save in another thread.
fn wait_for(path: &Path) {
    let until = Instant::now() + Duration::from_secs(60);
    while !path.exists() {
        assert!(Instant::now() < until, "{} is missing", path.display());
        std::thread::sleep(Duration::from_millis(1));
    }
}

static EARLIER: AtomicBool = AtomicBool::new(false);

extern "C" fn earlier(_: libc::c_int) {
    EARLIER.store(true, Ordering::Relaxed);
}

pub fn scenario(folder: &Path) {
    // SAFETY: the handler only stores to an atomic.
    unsafe { libc::signal(libc::SIGQUIT, earlier as *const () as usize) };
    let options = Options {
        triggers: Triggers {
            slow_frame: Some(Duration::from_millis(100)),
            blocked: Some(Duration::from_millis(20)),
            sigquit: true,
            ..Triggers::default()
        },
        ..options(folder)
    };
    start(&options).expect("recording starts");
    begin("cause");
    frame(Duration::from_millis(16));
    frame(Duration::from_millis(700));
    wait_for(&folder.join("app.ring.slow-frame-1.ring"));
    task_begin();
    wait_for(&folder.join("app.ring.blocked-2.ring"));
    task_end();
    // SAFETY: this process has a handler for the signal.
    unsafe { libc::raise(libc::SIGQUIT) };
    wait_for(&folder.join("app.ring.sigquit-3.ring"));
    assert!(
        EARLIER.load(Ordering::Relaxed),
        "the earlier handler is called too"
    );
    stop();
}

#[test]
fn each_trigger_saves_the_events_before_it() {
    let folder = run("triggers");
    for (file, mark) in [
        ("app.ring.slow-frame-1.ring", "slow frame: 700 ms"),
        ("app.ring.blocked-2.ring", "main thread blocked for"),
        ("app.ring.sigquit-3.ring", "SIGQUIT (not responding)"),
    ] {
        let trace = read(folder.path(), file);
        assert_eq!(trace.strings.get(trace.slices.name.get(0)), "cause");
        let rows = trace.slices.instants();
        let names = rows.map(|row| trace.strings.get(trace.slices.name.get(row)));
        let names: Vec<&str> = names.collect();
        assert!(
            names.iter().any(|name| name.starts_with(mark)),
            "{file}: {names:?}"
        );
    }
    let files = std::fs::read_dir(folder.path()).expect("the folder exists");
    assert_eq!(files.count(), 4);
}

pub fn samples_scenario(folder: &Path) {
    let options = Options {
        sample_every: Some(Duration::from_millis(1)),
        ..options(folder)
    };
    start(&options).expect("recording starts");
    let end = Instant::now() + Duration::from_secs(60);
    let so_far = folder.join("so-far.ring");
    let mut samples = 0;
    while samples < 2 {
        assert!(Instant::now() < end, "nothing is sampled");
        spin(Duration::from_millis(60));
        save(&so_far, Format::Ring, None).expect("saved");
        let so_far = counters(&read(folder, "so-far.ring"));
        let memory = so_far.iter().filter(|(name, _)| name == MEMORY);
        samples = memory.count();
    }
    stop();
}

/// The last counter of each sample.
const MEMORY: &str = "memory, resident (bytes)";

fn spin(time: Duration) {
    let until = Instant::now() + time;
    while Instant::now() < until {
        std::hint::spin_loop();
    }
}

#[test]
fn samples_are_counters() {
    let folder = run("samples");
    let trace = read(folder.path(), "app.ring");
    let found = counters(&trace);
    let values = |name: &str| -> Vec<f64> {
        let wanted = found.iter().filter(|(known, _)| known == name);
        wanted.map(|(_, value)| *value).collect()
    };
    let cpu = values("CPU time, user (us)");
    assert!(
        cpu.len() >= 2 && cpu.windows(2).all(|pair| pair[0] <= pair[1]),
        "{cpu:?}"
    );
    let memory = values(MEMORY);
    assert!(memory.iter().all(|bytes| *bytes > 100_000.0), "{memory:?}");
    for name in [
        "page faults, minor",
        "context switches, voluntary",
        "CPU time, system (us)",
    ] {
        assert_eq!(values(name).len(), cpu.len(), "{name}");
    }
}
