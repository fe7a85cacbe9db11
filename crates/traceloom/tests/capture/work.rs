//! Runs the program, and a workload to record.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use traceloom_formats::{ReadOptions, read_bytes};
use traceloom_trace::{RowId, TaskState, ThreadId, Trace};

pub const TRACELOOM: &str = env!("CARGO_BIN_EXE_traceloom");

/// The number of sleeps of [`sleeper`], and their duration.
pub const SLEEPS: usize = 20;
pub const SLEEP: Duration = Duration::from_millis(10);

/// The program with arguments, in a folder.
pub fn traceloom(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(TRACELOOM);
    command
        .args(args)
        .current_dir(folder)
        .env_remove("ANDROID_SERIAL")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// The program's output so far, and the thread that reads it.
type Stream = (Arc<Mutex<Vec<u8>>>, thread::JoinHandle<()>);

/// A program that ends with the test, whatever the result. Otherwise it would record during the
/// following tests.
pub struct Ending(pub Child);

impl Drop for Ending {
    fn drop(&mut self) {
        let until = Instant::now() + Duration::from_secs(10);
        if let Ok(None) = self.0.try_wait() {
            // SAFETY: kill takes numbers; the child is ours and not yet waited for.
            unsafe { libc::kill(self.0.id() as i32, libc::SIGINT) };
        }
        while let Ok(None) = self.0.try_wait()
            && Instant::now() < until
        {
            thread::sleep(Duration::from_millis(10));
        }
        _ = self.0.kill();
        _ = self.0.wait();
    }
}

/// The program while it records.
pub struct Running {
    child: Ending,
    streams: [Stream; 2],
}

impl Running {
    /// Starts the program and waits until it reports that it records, or ends.
    pub fn start(mut command: Command) -> Self {
        let mut child = command.spawn().unwrap();
        let stdout = follow(child.stdout.take().unwrap());
        let stderr = follow(child.stderr.take().unwrap());
        let mut this = Self {
            child: Ending(child),
            streams: [stdout, stderr],
        };
        this.wait_for("Starting tracing");
        this
    }

    /// Waits until the program has printed this text, or has ended.
    pub fn wait_for(&mut self, text: &str) {
        while !self.says(text) && self.child.0.try_wait().unwrap().is_none() {
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// The address and the token of the page that shows the recording. They are on standard output,
    /// which may be read later than the next message on standard error.
    pub fn page(&self) -> (String, String) {
        let url = self.first_line();
        let url = url.strip_prefix("http://").expect("an address");
        let (address, token) = url.split_once("/?token=").unwrap();
        (address.to_owned(), token.to_owned())
    }

    /// The complete first line on standard output.
    fn first_line(&self) -> String {
        loop {
            let printed = self.streams[0].0.lock().unwrap().clone();
            match String::from_utf8(printed).unwrap().split_once('\n') {
                Some((line, _)) => return line.to_owned(),
                None if self.streams[0].1.is_finished() => return String::new(),
                None => thread::sleep(Duration::from_millis(2)),
            }
        }
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.child.0.id()
    }

    /// Sends Ctrl-C.
    pub fn signal(&self) {
        // SAFETY: kill takes numbers; the child is ours and not yet waited for.
        unsafe { libc::kill(self.child.0.id() as i32, libc::SIGINT) };
    }

    fn says(&self, text: &str) -> bool {
        let mut streams = self.streams.iter();
        streams.any(|(bytes, _)| String::from_utf8_lossy(&bytes.lock().unwrap()).contains(text))
    }

    /// Presses Enter.
    pub fn press_enter(&mut self) {
        // A program that has already ended does not need it.
        _ = self.child.0.stdin.take().unwrap().write_all(b"\n");
    }

    /// Presses Enter and waits for the end.
    pub fn enter(mut self) -> Output {
        self.press_enter();
        self.end()
    }

    /// Sends Ctrl-C and waits for the end.
    pub fn interrupt(self) -> Output {
        self.signal();
        self.end()
    }

    /// Kills it.
    pub fn kill(mut self) {
        self.child.0.kill().unwrap();
        self.end();
    }

    /// Waits for the end.
    pub fn end(mut self) -> Output {
        let status = self.child.0.wait().unwrap();
        let [stdout, stderr] = self.streams.map(|(bytes, reader)| {
            reader.join().unwrap();
            std::mem::take(&mut *bytes.lock().unwrap())
        });
        Output {
            status,
            stdout,
            stderr,
        }
    }
}

fn follow(mut from: impl Read + Send + 'static) -> Stream {
    let bytes = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&bytes);
    let reader = thread::spawn(move || {
        let mut piece = [0; 4096];
        while let Ok(length @ 1..) = from.read(&mut piece) {
            kept.lock().unwrap().extend_from_slice(&piece[..length]);
        }
    });
    (bytes, reader)
}

/// Runs it while `work` does something worth recording, then presses Enter.
pub fn record(command: Command, work: impl FnOnce()) -> Output {
    let running = Running::start(command);
    work();
    running.enter()
}

/// A thread with this name sleeps, with a slice around each sleep.
pub fn sleeper(name: &str) {
    let builder = thread::Builder::new().name(name.to_owned());
    builder.spawn(|| naps(SLEEPS)).unwrap().join().unwrap();
}

/// The same, while another thread computes on the sleeper's CPU, so that the sleeper never takes over from the idle thread.
/// Some kernels stop recording the switches away from an idle thread.
pub fn sleeper_beside_work(name: &str) {
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            stay_on_first_cpu();
            give_way();
            while !is_over.load(Ordering::Relaxed) {
                std::hint::spin_loop();
            }
        });
        let builder = thread::Builder::new().name(name.to_owned());
        let sleeper = builder.spawn_scoped(scope, || {
            stay_on_first_cpu();
            naps(SLEEPS);
        });
        let result = sleeper.unwrap().join();
        is_over.store(true, Ordering::Relaxed);
        result.unwrap();
    });
}

/// Keeps this thread on the first of its CPUs.
fn stay_on_first_cpu() {
    // SAFETY: a set of CPUs is plain numbers.
    let mut cpus: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    let size = size_of_val(&cpus);
    // SAFETY: `cpus` is a set of this size; 0 is this thread.
    assert_eq!(unsafe { libc::sched_getaffinity(0, size, &mut cpus) }, 0);
    // SAFETY: the numbers are within the set.
    let mut all =
        (0..libc::CPU_SETSIZE as usize).filter(|&cpu| unsafe { libc::CPU_ISSET(cpu, &cpus) });
    let first = all.next().unwrap();
    // SAFETY: as above.
    unsafe {
        libc::CPU_ZERO(&mut cpus);
        libc::CPU_SET(first, &mut cpus);
        assert_eq!(libc::sched_setaffinity(0, size, &cpus), 0);
    }
}

/// Lets every other thread run before this one.
fn give_way() {
    // The priority, which this policy ignores. musl's function does nothing.
    let priority: libc::c_int = 0;
    // SAFETY: `priority` is valid; 0 is this thread.
    let result = unsafe {
        libc::syscall(
            libc::SYS_sched_setscheduler,
            0,
            libc::SCHED_IDLE,
            &raw const priority,
        )
    };
    assert_eq!(result, 0);
}

/// This many sleeps, with a slice around each: `nap 0`, `nap 1` …
pub fn naps(count: usize) {
    let mut options = std::fs::File::options();
    let marker = options.write(true).open("/sys/kernel/tracing/trace_marker");
    let mut marker = marker.unwrap();
    let pid = std::process::id();
    for number in 0..count {
        mark(&mut marker, &format!("B|{pid}|nap {number}"));
        thread::sleep(SLEEP);
        mark(&mut marker, &format!("E|{pid}"));
    }
}

/// Writes a mark. While a starting recorder empties the buffer, the kernel accepts none.
fn mark(marker: &mut std::fs::File, text: &str) {
    let begun = std::time::Instant::now();
    loop {
        match marker.write_all(text.as_bytes()) {
            Err(error) if error.raw_os_error() == Some(libc::EBADF) => {
                assert!(begun.elapsed().as_secs() < 60, "nothing records");
                thread::sleep(Duration::from_millis(1));
            }
            written => return written.unwrap(),
        }
    }
}

pub fn open(path: &Path) -> Trace {
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    read_bytes(&bytes, ReadOptions::default()).unwrap()
}

/// Checks that the sleeper's naps are on its thread in the test's process. Returns the thread and the naps' rows.
fn check_naps(trace: &Trace, name: &str) -> (ThreadId, Vec<usize>) {
    let text = |id| trace.strings.get(id).to_owned();
    let naps: Vec<_> = (0..trace.slices.len())
        .filter(|&row| text(trace.slices.name.get(row)).starts_with("nap "))
        .collect();
    assert_eq!(naps.len(), SLEEPS, "naps");
    let thread = trace
        .tracks
        .rows()
        .nth(trace.slices.track_id.get(naps[0]).row())
        .unwrap()
        .utid;
    let about = trace.threads.rows().nth(thread.row()).unwrap();
    assert_eq!(text(about.name), name);
    let process = trace.processes.rows().nth(about.upid.row()).unwrap();
    assert_eq!(process.pid, i64::from(std::process::id()));
    for (number, &row) in naps.iter().enumerate() {
        assert_eq!(text(trace.slices.name.get(row)), format!("nap {number}"));
        assert!(
            trace.slices.dur.get(row) >= SLEEP.as_nanos() as i64,
            "nap {number} is too short"
        );
    }
    (thread, naps)
}

/// Checks the naps, and that the kernel recorded a sleep for each.
pub fn check_sleeper(trace: &Trace, name: &str) {
    let (thread, _) = check_naps(trace, name);
    let slept = (0..trace.thread_states.len())
        .filter(|&row| trace.thread_states.utid.get(row) == thread)
        .filter(|&row| trace.thread_states.dur.get(row) >= SLEEP.as_nanos() as i64 * 9 / 10)
        .count();
    assert!(slept >= SLEEPS, "the kernel saw {slept} sleeps");
}

/// The same for events in which a switch does not name the thread that it leaves. If the switch before was left out, the
/// thread seems to wait for a CPU since its last wake-up.
pub fn check_sleeper_of_perfetto(trace: &Trace, name: &str) {
    let (thread, naps) = check_naps(trace, name);
    let states = &trace.thread_states;
    let state_at = |ts: i64| {
        (0..states.len())
            .filter(|&row| states.utid.get(row) == thread)
            .find(|&row| (0..states.dur.get(row)).contains(&(ts - states.ts.get(row))))
            .map(|row| states.state.get(row))
    };
    let middle = |&row: &usize| trace.slices.ts.get(row) + SLEEP.as_nanos() as i64 / 2;
    let seen: Vec<_> = naps.iter().map(middle).map(state_at).collect();
    let count = |state| seen.iter().filter(|&&seen| seen == Some(state)).count();
    let (slept, open) = (count(TaskState::SLEEPING), count(TaskState::RUNNABLE));
    assert!(slept > SLEEPS / 2 && slept + open == SLEEPS, "{seen:?}");
}

/// The milliseconds in a message such as `nap 7 took 10.25 ms`. A busy machine lets a nap take longer than [`SLEEP`].
pub fn took_ms(text: &str, name: &str) -> f64 {
    let (_, rest) = text.split_once(&format!("{name} took ")).expect(text);
    let (number, _) = rest.split_once(" ms").expect(text);
    number.parse().expect(text)
}

pub fn said(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}
