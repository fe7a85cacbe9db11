//! Programs that write marks are not disturbed by recordings in an instance.

use std::fs::File;
use std::io::{self, Write};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use testkit::KernelTurn;

use crate::load::Load;
use crate::work::{Running, open, said, traceloom};

const TRACING_ON: &str = "/sys/kernel/tracing/tracing_on";

/// The shared buffer records, as it does by default; afterwards it is as before.
pub struct SharedBufferOn(String);

impl SharedBufferOn {
    pub fn new() -> Self {
        let before = std::fs::read_to_string(TRACING_ON).unwrap();
        std::fs::write(TRACING_ON, "1").unwrap();
        Self(before)
    }
}

impl Drop for SharedBufferOn {
    fn drop(&mut self) {
        std::fs::write(TRACING_ON, self.0.trim()).unwrap();
    }
}

/// Writes marks all the time: `mark 0`, `mark 1` …
pub struct Writer {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<io::Result<usize>>,
}

impl Writer {
    pub fn start() -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let ended = Arc::clone(&stop);
        let thread = thread::spawn(move || {
            let path = "/sys/kernel/tracing/trace_marker";
            let mut marker = File::options().write(true).open(path)?;
            let mut number = 0;
            while !ended.load(Ordering::Relaxed) {
                marker.write_all(format!("I|1|mark {number}").as_bytes())?;
                number += 1;
                thread::sleep(Duration::from_micros(200));
            }
            Ok(number)
        });
        Self { stop, thread }
    }

    /// The number of marks. Fails if one was refused.
    pub fn end(self) -> usize {
        self.stop.store(true, Ordering::Relaxed);
        let written = self.thread.join().unwrap();
        written.expect("every mark is accepted")
    }
}

fn are_marks_copied() -> bool {
    let copied = std::path::Path::new("/sys/kernel/tracing/options/copy_trace_marker").exists();
    if !copied {
        println!("skipped: the kernel does not copy marks into instances");
    }
    copied
}

#[test]
fn a_writer_never_fails_whatever_an_instance_does() {
    let Some(_turn) = KernelTurn::claim() else {
        return;
    };
    if !are_marks_copied() {
        return;
    }
    let _on = SharedBufferOn::new();
    let folder = tempfile::tempdir().unwrap();
    let writer = Writer::start();
    let ways: [(&str, &[&str]); 4] = [
        ("full.txt", &[]),
        ("pages.dat", &[]),
        ("ring.dat", &["--ring", "2s"]),
        ("until.txt", &["--until", "event:nothing"]),
    ];
    for (name, how) in ways {
        let args = ["capture", "--target", "linux", "--instance", "test-marks"];
        let args = [&args[..], &["-b", "16", "-o", name, "sched"], how].concat();
        let mut command = traceloom(folder.path(), &args);
        command.args(["-t", "600"]).stdin(Stdio::null());
        let running = Running::start(command);
        let load = Load::start();
        thread::sleep(Duration::from_millis(300));
        drop(load);
        let output = running.interrupt();
        assert!(output.status.success(), "{:?}", said(&output));
        open(&folder.path().join(name));
    }
    assert!(writer.end() > 0);
}

#[test]
fn an_instance_has_every_mark_and_a_killed_recorder_leaves_no_trap() {
    let Some(_turn) = KernelTurn::claim() else {
        return;
    };
    if !are_marks_copied() {
        return;
    }
    let _on = SharedBufferOn::new();
    let folder = tempfile::tempdir().unwrap();
    let args = ["capture", "--target", "linux", "--instance", "test-marks"];
    let args = [&args[..], &["-t", "600", "-o", "x.dat", "irq"]].concat();
    let start = || Running::start(traceloom(folder.path(), &args));
    let running = start();
    let marks = Writer::start();
    thread::sleep(Duration::from_millis(300));
    let marks = marks.end();
    assert!(running.interrupt().status.success());
    let trace = open(&folder.path().join("x.dat"));
    let all = (0..marks).all(|mark| trace.strings.lookup(&format!("mark {mark}")).is_some());
    assert!(all, "all of {marks} marks are there");

    let writer = Writer::start();
    start().kill();
    let instance = std::path::Path::new("/sys/kernel/tracing/instances/test-marks");
    while instance.exists() {
        thread::sleep(Duration::from_millis(10));
    }
    writer.end();
}
