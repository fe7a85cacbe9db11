//! Recording the same load as pages of the ring buffer and as the kernel's text.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use super::child::{cost_of, output_path};
use super::data::this_program;
use super::figures::{seconds, traceloom};
use super::options::Options;
use super::report::Report;
use crate::run::{cargo, check, target_folder};

/// Scheduler events per second that the load causes on all CPUs together.
const EVENTS_PER_SECOND: u64 = 300_000;
/// Minimum number of events per wake-up of a thread on the same CPU: waking, wakeup, and usually a switch.
const EVENTS_OF_A_TURN: u64 = 2;
/// The size of the buffer of each CPU, in KB.
const BUFFER: &str = "4096";

/// One recording of the load.
struct Recorded {
    cpu: Duration,
    wall: Duration,
    bytes: u64,
    events: u64,
    lost: u64,
}

/// Measures text from a device. Then, as root on Linux, compares `--raw` with `--stream`.
pub fn capture(options: Options, report: &mut Report) -> Result<()> {
    super::device::hand_over(options, report)?;
    if cpus().is_empty() {
        report.line("\nskipped: recording needs root and a mounted tracefs");
        return Ok(());
    }
    check(cargo(&["build", "--release", "-p", "traceloom-tracefs"]))?;
    let time = Duration::from_secs(if options.quick { 2 } else { 5 });
    report.table(
        "Recording `sched` under load, 4 MB per CPU",
        &[
            "how",
            "events/s",
            "lost",
            "MB/s",
            "share of one CPU",
            "ns of CPU per event",
        ],
    );
    let out = output_path();
    let raw = record(atrace(&["--raw"], &out)?, &out, time)?;
    let text = record(atrace(&[], &out)?, &out, time)?;
    row(report, "pages into a trace.dat (`atrace --raw`)", &raw);
    row(report, "text from trace_pipe (`atrace --stream`)", &text);
    let out = out.with_extension("dat");
    let host = record(host(&out), &out, time)?;
    row(report, "pages, by `traceloom capture -o FILE.dat`", &host);
    let per_event = |recorded: &Recorded| seconds(recorded.cpu) / recorded.events.max(1) as f64;
    let share = per_event(&raw) / per_event(&text);
    report.line(&format!(
        "\nAn event recorded as pages takes {:.0} % of the CPU time that it takes as text.",
        share * 100.0
    ));
    for recorded in [&raw, &host] {
        ensure!(recorded.lost == 0, "--raw lost {} events", recorded.lost);
    }
    ensure!(
        share <= 1.0 / 3.0,
        "--raw takes more than a third of the time of text"
    );
    Ok(())
}

fn row(report: &mut Report, how: &str, recorded: &Recorded) {
    let wall = seconds(recorded.wall);
    report.row(&[
        how.to_owned(),
        format!("{:.0}", recorded.events as f64 / wall),
        recorded.lost.to_string(),
        format!("{:.1}", recorded.bytes as f64 / 1e6 / wall),
        format!("{:.1} %", seconds(recorded.cpu) / wall * 100.0),
        format!(
            "{:.0}",
            seconds(recorded.cpu) * 1e9 / recorded.events.max(1) as f64
        ),
    ]);
}

/// The command that runs atrace, which streams into a file until a signal.
fn atrace(how: &[&str], out: &Path) -> Result<Command> {
    fs::create_dir_all(out.parent().unwrap_or(out))?;
    let atrace = target_folder().join("release/atrace");
    let mut command = Command::new(atrace);
    command.args(how).args(["--stream", "-b", BUFFER, "sched"]);
    command.stdout(File::create(out)?);
    Ok(command)
}

/// The command that records this machine with `traceloom capture`, until a signal.
fn host(out: &Path) -> Command {
    let mut command = traceloom(&["capture", "--target", "linux", "-b", BUFFER, "-t", "600"]);
    command
        .arg("-o")
        .arg(out)
        .arg("sched")
        .stdout(Stdio::null());
    command
}

/// Records the load with a program that writes to `out`. The cost includes the start and the end of the program.
fn record(mut command: Command, out: &Path, time: Duration) -> Result<Recorded> {
    command.stdin(Stdio::null()).stderr(Stdio::null());
    let recorder = command.spawn().context("cannot start the recorder")?;
    wait_until_recording(&recorder)?;
    let before = written()?;
    let begun = Instant::now();
    let millis = time.as_millis().to_string();
    check(this_program(&["load", &millis]))?;
    let events = written()? - before;
    let wall = begun.elapsed();
    // SAFETY: the child has not been waited for, so its ID is still its own.
    unsafe { libc::kill(recorder.id() as libc::pid_t, libc::SIGINT) };
    let cpu = cost_of(recorder.id())?;
    let lost = lost(out)?;
    let bytes = fs::metadata(out)?.len();
    Ok(Recorded {
        cpu,
        wall,
        bytes,
        events,
        lost,
    })
}

fn wait_until_recording(recorder: &Child) -> Result<()> {
    for _ in 0..500 {
        let events = fs::read_to_string("/sys/kernel/tracing/set_event")?;
        let on = fs::read_to_string("/sys/kernel/tracing/tracing_on")?;
        if events.contains("sched:sched_switch") && on.trim() == "1" {
            thread::sleep(Duration::from_millis(100));
            return Ok(());
        }
        thread::sleep(Duration::from_millis(10));
    }
    anyhow::bail!("process {} does not record", recorder.id())
}

/// Events that all CPUs have written so far: those already read, those still in the buffer and lost ones.
fn written() -> Result<u64> {
    let counts = stats()?.into_iter();
    let of_interest = counts.filter(|(name, _)| {
        ["entries", "read events", "overrun", "dropped events"].contains(&name.as_str())
    });
    Ok(of_interest.map(|(_, count)| count).sum())
}

fn stats() -> Result<Vec<(String, u64)>> {
    let mut counts = Vec::new();
    for cpu in cpus() {
        let text = fs::read_to_string(cpu.join("stats"))?;
        counts.extend(text.lines().filter_map(|line| {
            let (name, count) = line.split_once(": ")?;
            Some((name.to_owned(), count.trim().parse().ok()?))
        }));
    }
    Ok(counts)
}

fn cpus() -> Vec<PathBuf> {
    let entries = fs::read_dir("/sys/kernel/tracing/per_cpu")
        .into_iter()
        .flatten();
    entries.flatten().map(|entry| entry.path()).collect()
}

/// Lost events according to the recording: a trace.dat has counts per CPU, text has lines between the events.
fn lost(path: &Path) -> Result<u64> {
    let bytes = fs::read(path)?;
    let count = |mark: &[u8]| -> u64 {
        let places = memchr::memmem::find_iter(&bytes, mark);
        let number = |at: usize| {
            let digits = bytes[at + mark.len()..]
                .iter()
                .take_while(|byte| byte.is_ascii_digit());
            digits.fold(0, |number, digit| number * 10 + u64::from(digit - b'0'))
        };
        places.map(number).sum()
    };
    Ok(count(b"\noverrun: ") + count(b"\ndropped events: ") + count(b" [LOST "))
}

/// The load: two threads on each CPU that wake each other at a fixed rate.
pub fn load(millis: &str) -> Result<()> {
    let time = Duration::from_millis(millis.parse()?);
    let cpus = thread::available_parallelism()?.get();
    let turns = EVENTS_PER_SECOND / EVENTS_OF_A_TURN / 1000 / cpus as u64;
    let loads: Vec<_> = (0..cpus)
        .map(|cpu| thread::spawn(move || pair(cpu, turns, time)))
        .collect();
    for load in loads {
        load.join()
            .map_err(|_| anyhow::anyhow!("the load panicked"))??;
    }
    Ok(())
}

/// Runs two threads on a CPU that pass a byte back and forth: `turns` wake-ups per millisecond.
fn pair(cpu: usize, turns: u64, time: Duration) -> Result<()> {
    pin(cpu);
    let (mut here, mut to_here) = std::io::pipe()?;
    let (mut there, mut to_there) = std::io::pipe()?;
    let echo = thread::spawn(move || {
        pin(cpu);
        let mut byte = [0];
        while there.read(&mut byte).is_ok_and(|count| count == 1) {
            if to_here.write_all(&byte).is_err() {
                break;
            }
        }
    });
    let begun = Instant::now();
    for milli in 1.. {
        for _ in 0..turns / 2 {
            to_there.write_all(&[0])?;
            here.read_exact(&mut [0])?;
        }
        let next = Duration::from_millis(milli);
        if next > time {
            break;
        }
        thread::sleep(next.saturating_sub(begun.elapsed()));
    }
    drop(to_there);
    echo.join()
        .map_err(|_| anyhow::anyhow!("the load panicked"))
}

fn pin(cpu: usize) {
    // SAFETY: all zeros are a valid cpu_set_t, and the given size is its size.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(cpu, &mut set);
        libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &set);
    }
}
