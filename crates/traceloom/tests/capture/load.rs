//! Recordings of more events than a small buffer can take: every lost event is reported and counted.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use testkit::KernelTurn;
use traceloom_trace::{RepairKind, Trace};

use crate::android::{on, with_device};
use crate::work::{Running, TRACELOOM, open, said, traceloom};

/// Threads in pairs that wake each other as fast as they can, until it is dropped.
pub struct Load {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Load {
    pub fn start() -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let threads = (0..4).flat_map(|_| pair(&stop)).collect();
        Self { stop, threads }
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            thread.join().unwrap();
        }
    }
}

fn pair(stop: &Arc<AtomicBool>) -> [JoinHandle<()>; 2] {
    let (mut here, mut to_here) = std::io::pipe().unwrap();
    let (mut there, mut to_there) = std::io::pipe().unwrap();
    let stop = Arc::clone(stop);
    let caller = thread::spawn(move || {
        while !stop.load(Ordering::Relaxed) {
            to_there.write_all(&[0]).unwrap();
            here.read_exact(&mut [0]).unwrap();
        }
    });
    let echo = thread::spawn(move || {
        let mut byte = [0];
        while there.read(&mut byte).unwrap() == 1 {
            // The caller may have ended.
            _ = to_here.write_all(&byte);
        }
    });
    [caller, echo]
}

/// The kernel's own count of lost events: the highest value until it is dropped.
pub struct KernelCount {
    stop: Arc<AtomicBool>,
    highest: JoinHandle<u64>,
}

impl KernelCount {
    pub fn watch() -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let ended = Arc::clone(&stop);
        let highest = thread::spawn(move || {
            let mut highest = 0;
            while !ended.load(Ordering::Relaxed) {
                highest = highest.max(lost());
                thread::sleep(Duration::from_millis(1));
            }
            highest
        });
        Self { stop, highest }
    }

    pub fn end(self) -> u64 {
        self.stop.store(true, Ordering::Relaxed);
        self.highest.join().unwrap()
    }
}

/// A file, in one call: the kernel makes this text anew for each, so two parts may not fit together.
pub fn read_at_once(path: &Path) -> String {
    let mut text = [0; 4096];
    let length = File::open(path).and_then(|mut file| file.read(&mut text));
    String::from_utf8_lossy(&text[..length.unwrap()]).into_owned()
}

/// What `stats` of all CPUs count as lost.
fn lost() -> u64 {
    let cpus = std::fs::read_dir("/sys/kernel/tracing/per_cpu").unwrap();
    let stats = cpus.map(|cpu| read_at_once(&cpu.unwrap().path().join("stats")));
    let count = |stats: String| {
        let counts = stats.lines().filter_map(|line| line.split_once(": "));
        let lost = ["overrun", "commit overrun", "dropped events"];
        let counts = counts.filter(|(name, _)| lost.contains(name));
        counts
            .map(|(_, count)| {
                count
                    .trim()
                    .parse::<u64>()
                    .unwrap_or_else(|_| panic!("{stats}"))
            })
            .sum::<u64>()
    };
    stats.map(count).sum()
}

/// Waits until the kernel has lost something.
fn wait_for_loss() {
    let until = Instant::now() + Duration::from_secs(60);
    while lost() == 0 {
        assert!(Instant::now() < until, "the load fits into the buffer");
        thread::sleep(Duration::from_millis(10));
    }
}

/// The lost events that a trace counts: those that its pages or lines report, and the others.
pub fn counted(trace: &Trace) -> u64 {
    let repairs = &trace.repairs;
    repairs.count(RepairKind::LostEvents) + repairs.count(RepairKind::BufferOverflow)
}

/// Records the load, and compares the messages and the file with the kernel's count.
fn check(command: Command, file: &Path) {
    let mut running = Running::start(command);
    let kernel = KernelCount::watch();
    let load = Load::start();
    wait_for_loss();
    running.wait_for("events were lost so far");
    drop(load);
    let output = running.interrupt();
    let kernel = kernel.end();
    let (_, stderr) = said(&output);
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    let trace = open(file);
    assert_eq!(counted(&trace), kernel, "{stderr}");
    assert_eq!(
        trace.repairs.count(RepairKind::CountMismatch),
        0,
        "{stderr}"
    );
}

#[test]
fn every_way_to_record_this_machine_counts_what_the_kernel_lost() {
    let Some(_turn) = KernelTurn::claim() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let ways: [(&str, &[&str]); 6] = [
        ("ring.txt", &["--ring", "600s"]),
        ("ring.dat", &["--ring", "600s"]),
        ("until.html", &["--until", "event:nothing"]),
        ("live.txt", &["--live", "--no-open"]),
        ("pages.dat", &[]),
        ("text.txt", &[]),
    ];
    for (name, how) in ways {
        let args = [
            "capture", "--target", "linux", "-b", "16", "-t", "600", "-o", name,
        ];
        let mut command = traceloom(folder.path(), &[&args, how, &["sched"]].concat());
        command.stdin(Stdio::null());
        if how.contains(&"--live") {
            check_live(command, &folder.path().join(name));
        } else {
            check(command, &folder.path().join(name));
        }
    }
}

/// As [`check`]; the page continues until a second signal.
fn check_live(command: Command, file: &Path) {
    let mut running = Running::start(command);
    let kernel = KernelCount::watch();
    let load = Load::start();
    wait_for_loss();
    running.wait_for("events were lost so far");
    drop(load);
    running.signal();
    running.wait_for("The page shows all of it until Ctrl-C");
    let kernel = kernel.end();
    assert_eq!(running.interrupt().status.code(), Some(0));
    assert_eq!(counted(&open(file)), kernel);
}

#[test]
fn a_stream_of_text_counts_what_the_kernel_dropped() {
    let Some(_turn) = KernelTurn::claim() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("stream.txt");
    let mut command = Command::new(TRACELOOM);
    command.args(["atrace", "--stream", "-b", "16", "sched"]);
    command.stdout(File::create(&file).unwrap());
    // Clears the counts of earlier recordings, so that the next loss is one of this recording.
    File::create("/sys/kernel/tracing/trace").unwrap();
    let mut stream = command.spawn().unwrap();
    let kernel = KernelCount::watch();
    let load = Load::start();
    wait_for_loss();
    drop(load);
    // SAFETY: kill takes numbers; the child is ours and not yet waited for.
    unsafe { libc::kill(stream.id() as i32, libc::SIGINT) };
    stream.wait().unwrap();
    let kernel = kernel.end();
    let repairs = &open(&file).repairs;
    assert_eq!(repairs.count(RepairKind::LostEvents), kernel);
    assert_eq!(repairs.count(RepairKind::CountMismatch), 0);
}

#[test]
fn a_device_counts_what_its_kernel_dropped() {
    with_device(|device, folder| {
        for (name, how) in [("ring.txt", &["--ring", "600s"][..]), ("plain.txt", &[])] {
            let args = ["capture", "-b", "16", "-t", "600", "-o", name];
            let mut command = on(device, folder, &[&args, how, &["sched"]].concat());
            command.stdin(Stdio::null());
            let running = Running::start(command);
            let kernel = KernelCount::watch();
            let load = Load::start();
            wait_for_loss();
            drop(load);
            let output = running.interrupt();
            let kernel = kernel.end();
            let (_, stderr) = said(&output);
            assert_eq!(output.status.code(), Some(0), "{stderr}");
            assert!(stderr.contains("events were lost"), "{stderr}");
            let trace = open(&folder.join(name));
            assert_eq!(counted(&trace), kernel, "{stderr}");
            assert_eq!(
                trace.repairs.count(RepairKind::CountMismatch),
                0,
                "{stderr}"
            );
        }
    });
}
