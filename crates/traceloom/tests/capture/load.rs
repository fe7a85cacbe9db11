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
use traceloom_formats::{ReadOptions, read_bytes};
use traceloom_trace::{RepairKind, Trace};

use crate::android::{on, with_device};
use crate::marks::{SharedBufferOn, TRACING_ON, Writer};
use crate::whole::overfill;
use crate::work::{Ending, Running, TRACELOOM, open, said, traceloom};

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

/// The kernel's own count of lost events: the highest value until recording stops. (An empty
/// recording resets a device's atrace, and itself loses events.)
pub struct KernelCount {
    stop: Arc<AtomicBool>,
    highest: JoinHandle<u64>,
}

impl KernelCount {
    pub fn watch() -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let ended = Arc::clone(&stop);
        let highest = thread::spawn(move || {
            be_first();
            let mut highest = 0;
            while !ended.load(Ordering::Relaxed) {
                let is_on = read_at_once(Path::new(TRACING_ON)).starts_with('1');
                highest = highest.max(lost());
                if !is_on {
                    break;
                }
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

/// Lets this thread run before all others: the recorder resets the counts a few milliseconds after it has stopped
/// recording. Without the right to that, the machine must not be too busy.
fn be_first() {
    // The lowest of the priorities before all others.
    let priority: libc::c_int = 1;
    // SAFETY: `priority` is valid; 0 is this thread.
    unsafe {
        libc::syscall(
            libc::SYS_sched_setscheduler,
            0,
            libc::SCHED_FIFO,
            &raw const priority,
        )
    };
}

/// A file, in one call: the kernel makes this text anew for each, so two parts may not fit together.
pub fn read_at_once(path: &Path) -> String {
    let mut text = [0; 4096];
    let length = File::open(path).and_then(|mut file| file.read(&mut text));
    String::from_utf8_lossy(&text[..length.unwrap()]).into_owned()
}

/// The counts of lost events in `stats`.
const LOST: [&str; 3] = ["overrun", "commit overrun", "dropped events"];

/// The sum of lost events in `stats` of all CPUs.
fn lost() -> u64 {
    sum(&LOST)
}

/// Loads the machine until this many events have happened.
pub fn load_for(events: u64) {
    let happened = || sum(&LOST) + sum(&["entries", "read events"]);
    let load = Load::start();
    let until = Instant::now() + Duration::from_secs(120);
    while happened() < events {
        assert!(Instant::now() < until, "{} events happened", happened());
        thread::sleep(Duration::from_millis(10));
    }
    drop(load);
}

/// The sum of these counts in `stats` of all CPUs.
fn sum(wanted: &[&str]) -> u64 {
    let cpus = std::fs::read_dir("/sys/kernel/tracing/per_cpu").unwrap();
    let stats = cpus.map(|cpu| read_at_once(&cpu.unwrap().path().join("stats")));
    let count = |stats: String| {
        let counts = stats.lines().filter_map(|line| line.split_once(": "));
        let counts = counts.filter(|(name, _)| wanted.contains(name));
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

/// Clears the counts of earlier recordings, so that the next loss is one of this recording.
fn clear_counts() {
    File::create("/sys/kernel/tracing/trace").unwrap();
}

/// Waits until the kernel has lost something.
fn wait_for_loss() {
    let until = Instant::now() + Duration::from_secs(60);
    while lost() == 0 {
        assert!(Instant::now() < until, "the load fits into the buffer");
        thread::sleep(Duration::from_millis(10));
    }
}

/// Makes the kernel lose events of a recorder: it does not run while the load does. (A recorder that runs
/// keeps up with any load.)
pub fn lose(recorder: u32) {
    let _stopped = Stopped::new(recorder);
    let load = Load::start();
    wait_for_loss();
    drop(load);
}

/// A process that does not run until this is dropped.
pub struct Stopped(u32);

impl Stopped {
    pub fn new(process: u32) -> Self {
        Self::signal(process, libc::SIGSTOP);
        Self(process)
    }

    fn signal(process: u32, signal: i32) {
        // SAFETY: kill takes numbers; the process is a child that was not yet waited for.
        unsafe { libc::kill(process as i32, signal) };
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        Self::signal(self.0, libc::SIGCONT);
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
    lose(running.pid());
    running.wait_for("events were lost so far");
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
    lose(running.pid());
    running.wait_for("events were lost so far");
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
    clear_counts();
    let mut stream = Ending(command.spawn().unwrap());
    // The first text is the marks of the clocks, which are written when everything records.
    while std::fs::metadata(&file).unwrap().len() == 0 {
        thread::sleep(Duration::from_millis(5));
    }
    let kernel = KernelCount::watch();
    lose(stream.0.id());
    // SAFETY: kill takes numbers; the child is ours and not yet waited for.
    unsafe { libc::kill(stream.0.id() as i32, libc::SIGINT) };
    stream.0.wait().unwrap();
    let kernel = kernel.end();
    let repairs = &open(&file).repairs;
    assert_eq!(repairs.count(RepairKind::LostEvents), kernel);
    assert_eq!(repairs.count(RepairKind::CountMismatch), 0);
}

/// The text of a stream whose reader takes nothing until the recorder has read many times what a pipe
/// holds.
#[test]
fn a_stream_goes_on_while_its_reader_is_busy() {
    let Some(_turn) = KernelTurn::claim() else {
        return;
    };
    let _on = SharedBufferOn::new();
    clear_counts();
    let mut command = Command::new(TRACELOOM);
    command.args(["atrace", "--stream", "-b", "2048", "sched"]);
    let mut stream = Ending(command.stdout(Stdio::piped()).spawn().unwrap());
    let mut text = vec![0];
    let mut stdout = stream.0.stdout.take().unwrap();
    // The first text is the marks of the clocks, which are written when everything records.
    stdout.read_exact(&mut text).unwrap();
    let kernel = KernelCount::watch();
    let writer = Writer::start();
    // 100 bytes of text for each event.
    overfill(200_000);
    let marks = writer.end();
    // SAFETY: kill takes numbers; the child is ours and not yet waited for.
    unsafe { libc::kill(stream.0.id() as i32, libc::SIGINT) };
    stdout.read_to_end(&mut text).unwrap();
    stream.0.wait().unwrap();
    let kernel = kernel.end();
    let trace = read_bytes(&text, ReadOptions::default()).unwrap();
    assert_eq!(trace.repairs.count(RepairKind::LostEvents), kernel);
    let has = |mark: usize| trace.strings.lookup(&format!("mark {mark}")).is_some();
    let missing = (0..marks).filter(|&mark| !has(mark)).count();
    assert!(
        missing as u64 <= kernel,
        "{missing} of {marks} marks are missing, {kernel} lost"
    );
}

#[test]
fn a_device_counts_what_its_kernel_dropped() {
    with_device(|device, folder| {
        for (name, how) in [("ring.txt", &["--ring", "600s"][..]), ("plain.txt", &[])] {
            let args = ["capture", "-b", "16", "-t", "600", "-o", name];
            let mut command = on(device, folder, &[&args, how, &["sched"]].concat());
            command.stdin(Stdio::null());
            clear_counts();
            let running = Running::start(command);
            let kernel = KernelCount::watch();
            let load = Load::start();
            wait_for_loss();
            drop(load);
            let output = running.interrupt();
            let kernel = kernel.end();
            let (_, stderr) = said(&output);
            assert_eq!(output.status.code(), Some(0), "{stderr}");
            assert!(
                stderr.contains("events were lost"),
                "{name}, {kernel} lost: {stderr}"
            );
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
