//! Programs that write marks are not disturbed by recordings: never by one in an instance, and not by one in the shared
//! buffer while it records. (The kernel refuses marks while that buffer is set up or has stopped.)

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tempfile::TempDir;
use testkit::KernelTurn;

use crate::load::Load;
use crate::work::{Running, open, said, traceloom};

/// Whether the shared buffer records.
pub const TRACING_ON: &str = "/sys/kernel/tracing/tracing_on";
const INSTANCE: &[&str] = &["--instance", "test-marks"];

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
                let mark = format!("I|1|mark {number}");
                let written = marker.write_all(mark.as_bytes());
                written.map_err(|error| refused(number, &error))?;
                number += 1;
                thread::sleep(Duration::from_micros(200));
            }
            Ok(number)
        });
        Self { stop, thread }
    }

    /// The number of marks. Fails if the kernel refused a mark.
    pub fn end(self) -> usize {
        self.stop.store(true, Ordering::Relaxed);
        let written = self.thread.join().unwrap();
        written.expect("every mark is accepted")
    }
}

/// The error of a refused mark, with the state of each buffer just after it.
fn refused(number: usize, error: &io::Error) -> io::Error {
    let root = Path::new("/sys/kernel/tracing");
    let instances = std::fs::read_dir(root.join("instances")).unwrap();
    let instances = instances.flatten().map(|entry| entry.path());
    let state = |folder: &Path| {
        let files = [
            "tracing_on",
            "options/copy_trace_marker",
            "options/overwrite",
            "buffer_size_kb",
        ];
        let values = files.map(|file| std::fs::read_to_string(folder.join(file)));
        values.map(|value| value.map_or("-".to_owned(), |value| value.trim().to_owned()))
    };
    let folders = std::iter::once(root.to_owned()).chain(instances);
    let states: Vec<_> = folders.map(|path| (state(&path), path)).collect();
    io::Error::other(format!("mark {number}: {error}; {states:?}"))
}

/// The kernel for a test of marks in instances. The shared buffer records. What a test started ends before its turn does.
struct MarkedKernel {
    folder: TempDir,
    _on: SharedBufferOn,
    _turn: KernelTurn,
}

impl MarkedKernel {
    /// `None` if the kernel does not copy marks into instances, or may not be recorded.
    fn claim() -> Option<Self> {
        let turn = KernelTurn::claim().filter(|_| are_marks_copied())?;
        Some(Self {
            folder: tempfile::tempdir().unwrap(),
            _on: SharedBufferOn::new(),
            _turn: turn,
        })
    }
}

/// Whether the kernel copies marks into instances. Prints a message if not.
pub fn are_marks_copied() -> bool {
    let copied = std::path::Path::new("/sys/kernel/tracing/options/copy_trace_marker").exists();
    if !copied {
        println!("skipped: the kernel does not copy marks into instances");
    }
    copied
}

/// The output and the options of each way to record this machine.
const WAYS: [(&str, &[&str]); 8] = [
    ("text.txt", &[]),
    ("report.html", &[]),
    ("pages.dat", &[]),
    ("raw.html", &["--raw"]),
    ("ring.dat", &["--ring", "2s"]),
    ("until.txt", &["--until", "event:nothing"]),
    ("live.txt", &["--live", "--no-open"]),
    ("buffers.dat", &["--buffer", "irq:64K"]),
];

/// Starts a recording of `sched`, with a buffer that the load fills many times.
fn start(folder: &Path, name: &str, how: &[&[&str]]) -> Running {
    let args = ["capture", "--target", "linux", "-t", "600", "-b", "16"];
    let args = [&args[..], &["-o", name, "sched"], &how.concat()].concat();
    let mut command = traceloom(folder, &args);
    command.stdin(Stdio::null());
    Running::start(command)
}

/// Ends a recording, and opens its file.
fn end(mut running: Running, folder: &Path, name: &str) {
    running.signal();
    if name.starts_with("live") {
        running.wait_for("The page shows all of it until Ctrl-C");
        running.signal();
    }
    let output = running.end();
    assert!(output.status.success(), "{name}: {:?}", said(&output));
    open(&folder.join(name));
}

fn load_for_a_moment() {
    let load = Load::start();
    thread::sleep(Duration::from_millis(300));
    drop(load);
}

#[test]
fn a_writer_never_fails_whatever_an_instance_does() {
    let Some(kernel) = MarkedKernel::claim() else {
        return;
    };
    let folder = &kernel.folder;
    for (name, how) in WAYS {
        let writer = Writer::start();
        let running = start(folder.path(), name, &[INSTANCE, how]);
        load_for_a_moment();
        end(running, folder.path(), name);
        assert!(writer.end() > 0, "{name}");
    }
}

#[test]
fn a_writer_never_fails_while_the_shared_buffer_records() {
    let Some(_turn) = KernelTurn::claim() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    for (name, how) in WAYS {
        let running = start(folder.path(), name, &[how]);
        let writer = Writer::start();
        load_for_a_moment();
        assert!(writer.end() > 0, "{name}");
        end(running, folder.path(), name);
    }
}

/// A recording in an instance goes on, and gets every mark, while others in instances begin and end.
#[test]
fn another_recording_has_every_mark_while_recordings_begin_and_end() {
    let Some(kernel) = MarkedKernel::claim() else {
        return;
    };
    let folder = &kernel.folder;
    let other = ["--instance", "test-other", "-b", "4096"];
    let args = [
        "capture",
        "--target",
        "linux",
        "-t",
        "600",
        "-o",
        "other.dat",
    ];
    let args = [&args[..], &other, &["irq"]].concat();
    let running = Running::start(traceloom(folder.path(), &args));
    let writer = Writer::start();
    for (name, how) in WAYS {
        let second = start(folder.path(), name, &[INSTANCE, how]);
        end(second, folder.path(), name);
    }
    let marks = writer.end();
    end(running, folder.path(), "other.dat");
    let trace = open(&folder.path().join("other.dat"));
    let is_missing = |mark: &usize| trace.strings.lookup(&format!("mark {mark}")).is_none();
    assert_eq!((0..marks).filter(is_missing).count(), 0, "of {marks}");
}

#[test]
fn an_instance_has_every_mark_and_a_killed_recorder_leaves_no_trap() {
    let Some(kernel) = MarkedKernel::claim() else {
        return;
    };
    let folder = &kernel.folder;
    let args = [
        "capture", "--target", "linux", "-t", "600", "-o", "x.dat", "irq",
    ];
    let args = [&args[..], INSTANCE].concat();
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
