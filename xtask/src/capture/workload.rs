//! Work to record, with known results: 50 sleeps of 10 ms in each of three threads, marks of every kind, and files that
//! are written and flushed to disk.

use std::fs::File;
use std::io::Write;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};

use super::instance::Instance;
use crate::run::{check, command};

/// The workload's process and its first thread.
pub const MAIN: &str = "loom-demo";
/// The thread that writes files.
pub const WRITER: &str = "file-writer";
/// Its other threads, and the program it starts.
pub const OTHERS: &[&str] = &["sleeper-1", "sleeper-2", WRITER, "true"];

const ROUNDS: u32 = 50;
const SLEEP: Duration = Duration::from_millis(10);

/// Runs the workload.
pub fn run(instance: &Instance) -> Result<()> {
    let (queue, jobs) = channel();
    let mut threads = vec![spawn(WRITER, Marker::open(instance)?, |marker| {
        write_files(marker, jobs)
    })?];
    for name in &OTHERS[..2] {
        threads.push(spawn(name, Marker::open(instance)?, |mut marker| {
            (0..ROUNDS).try_for_each(|_| sleep(&mut marker))
        })?);
    }
    let mut marker = Marker::open(instance)?;
    marker.clock_sync()?;
    frames(&mut marker, queue)?;
    check(command("true", &[]))?;
    for thread in threads {
        let result = thread.join();
        result.map_err(|_| anyhow!("a thread of the workload panicked"))??;
    }
    Ok(())
}

fn spawn(
    name: &str,
    marker: Marker,
    work: impl FnOnce(Marker) -> Result<()> + Send + 'static,
) -> Result<JoinHandle<Result<()>>> {
    let builder = thread::Builder::new().name(name.to_owned());
    Ok(builder.spawn(move || work(marker))?)
}

fn sleep(marker: &mut Marker) -> Result<()> {
    marker.begin("sleep 10 ms")?;
    thread::sleep(SLEEP);
    marker.end()
}

/// The first thread: nested marks, a counter, and in every fifth round a job for the writer.
fn frames(marker: &mut Marker, queue: Sender<u32>) -> Result<()> {
    for round in 0..ROUNDS {
        marker.begin("frame")?;
        marker.begin("compute")?;
        compute(Duration::from_micros(300));
        marker.end()?;
        sleep(marker)?;
        marker.counter("round", round)?;
        if round % 5 == 0 {
            marker.put(format_args!("S|{}|save|{round}", marker.pid))?;
            queue.send(round)?;
        }
        marker.end()?;
    }
    marker.put(format_args!("I|{}|last frame", marker.pid))?;
    marker.put(format_args!("N|{}|phases|done", marker.pid))
}

fn write_files(mut marker: Marker, jobs: Receiver<u32>) -> Result<()> {
    let path = testkit::workspace_root().join("target/capture.tmp");
    for job in jobs {
        marker.begin("write and sync")?;
        let mut file = File::create(&path)?;
        file.write_all(&vec![job as u8; 64 << 10])?;
        file.sync_all()?;
        marker.end()?;
        marker.put(format_args!("F|{}|save|{job}", marker.pid))?;
    }
    Ok(std::fs::remove_file(path)?)
}

fn compute(time: Duration) {
    let begun = Instant::now();
    while begun.elapsed() < time {
        std::hint::spin_loop();
    }
}

/// Writes marks as Android's libcutils does, one write each.
struct Marker {
    file: File,
    pid: u32,
}

impl Marker {
    fn open(instance: &Instance) -> Result<Self> {
        Ok(Self {
            file: instance.marker()?,
            pid: std::process::id(),
        })
    }

    fn begin(&mut self, name: &str) -> Result<()> {
        self.put(format_args!("B|{}|{name}", self.pid))
    }

    fn end(&mut self) -> Result<()> {
        self.put(format_args!("E|{}", self.pid))
    }

    fn counter(&mut self, name: &str, value: u32) -> Result<()> {
        self.put(format_args!("C|{}|{name}|{value}", self.pid))
    }

    /// Writes the same clock markers as atrace, so that traces of other clocks can be aligned.
    fn clock_sync(&mut self) -> Result<()> {
        let now = |clock| {
            let mut time = libc::timespec {
                tv_sec: 0,
                tv_nsec: 0,
            };
            // SAFETY: `time` is valid for writes.
            unsafe { libc::clock_gettime(clock, &mut time) };
            (time.tv_sec, time.tv_nsec)
        };
        let (seconds, nanos) = now(libc::CLOCK_BOOTTIME);
        self.put(format_args!(
            "trace_event_clock_sync: parent_ts={seconds}.{nanos:09}"
        ))?;
        let (seconds, nanos) = now(libc::CLOCK_REALTIME);
        let millis = seconds * 1000 + nanos / 1_000_000;
        self.put(format_args!("trace_event_clock_sync: realtime_ts={millis}"))
    }

    fn put(&self, mark: std::fmt::Arguments<'_>) -> Result<()> {
        Ok((&self.file).write_all(mark.to_string().as_bytes())?)
    }
}
