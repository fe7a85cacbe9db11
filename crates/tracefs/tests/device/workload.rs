//! Work to record. It reads the clock around each step, so that tests know the expected times.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::thread;
use std::time::Duration;

use crate::kernel;

/// The current time of the trace clock, ns.
pub fn now_ns() -> i64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is valid for writes.
    unsafe { libc::clock_gettime(libc::CLOCK_BOOTTIME, &mut time) };
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// Writes marks with one write each, as Android's libraries do.
pub struct Marker(File);

impl Marker {
    pub fn open() -> Self {
        let mut options = File::options();
        Self(
            options
                .write(true)
                .open(kernel::path("trace_marker"))
                .unwrap(),
        )
    }

    /// Writes a mark. Returns false if the kernel refuses it because nothing is recorded.
    pub fn try_put(&mut self, text: &str) -> bool {
        self.0.write_all(text.as_bytes()).is_ok()
    }

    pub fn put(&mut self, text: &str) {
        self.0.write_all(text.as_bytes()).unwrap();
    }
}

/// A sleep inside a slice, and the times before and after each of the two marks.
#[derive(Debug)]
pub struct Sleep {
    pub begin: (i64, i64),
    pub end: (i64, i64),
}

pub const SLEEP: Duration = Duration::from_millis(10);

/// Runs a thread `sleeper` that sleeps `times` times, in slices `sleep 0`, `sleep 1` ….
pub fn sleeps(times: usize) -> Vec<Sleep> {
    let work = move || {
        let mut marker = Marker::open();
        let pid = std::process::id();
        let sleep = |number| {
            let mut timed = |text: String| {
                let before = now_ns();
                marker.put(&text);
                (before, now_ns())
            };
            let begin = timed(format!("B|{pid}|sleep {number}"));
            thread::sleep(SLEEP);
            let end = timed(format!("E|{pid}"));
            Sleep { begin, end }
        };
        (0..times).map(sleep).collect()
    };
    let builder = thread::Builder::new().name("sleeper".into());
    builder.spawn(work).unwrap().join().unwrap()
}

/// Runs a thread `waker` that wakes a thread `woken` `times` times, each time after it has fallen asleep.
pub fn wakeups(times: usize) {
    let (mut sleep, mut wake) = std::io::pipe().unwrap();
    let (mut seen, mut tell) = std::io::pipe().unwrap();
    let named = |name: &str| thread::Builder::new().name(name.into());
    let sleeper = move || {
        // SAFETY: gettid has no preconditions.
        let tid = unsafe { libc::gettid() };
        tell.write_all(&tid.to_ne_bytes()).unwrap();
        let mut byte = [0];
        while sleep.read(&mut byte).unwrap() == 1 {
            tell.write_all(&tid.to_ne_bytes()).unwrap();
        }
    };
    let sleeper = named("woken").spawn(sleeper).unwrap();
    let waker = move || {
        let mut tid = [0; 4];
        for _ in 0..times {
            seen.read_exact(&mut tid).unwrap();
            wait_until_asleep(libc::pid_t::from_ne_bytes(tid));
            wake.write_all(&[0]).unwrap();
        }
        seen.read_exact(&mut tid).unwrap();
    };
    named("waker").spawn(waker).unwrap().join().unwrap();
    sleeper.join().unwrap();
}

fn wait_until_asleep(tid: libc::pid_t) {
    loop {
        let stat = fs::read_to_string(format!("/proc/self/task/{tid}/stat")).unwrap();
        let (_, state) = stat.rsplit_once(") ").unwrap();
        if state.starts_with('S') {
            return;
        }
        thread::yield_now();
    }
}

/// Makes the kernel's worker threads run, by flushing a file to disk.
pub fn work_of_the_kernel() {
    let path = testkit::workspace_root().join("target/tracefs-test.tmp");
    for _ in 0..10 {
        let mut file = File::create(&path).unwrap();
        file.write_all(&[1; 4096]).unwrap();
        file.sync_all().unwrap();
    }
    fs::remove_file(path).unwrap();
}
