//! Recording the same load in all ways, next to trace-cmd: events lost, and cost.

mod kernel;
mod load;
mod recorder;

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use super::child::output_path;
use super::data::this_program;
use super::figures::seconds;
use super::options::Options;
use super::report::Report;
use crate::run::{cargo, check};
use kernel::{Counts, counts};
use recorder::{Recorder, WAYS, Way};

pub use load::load;

/// Events per second that the load causes on all CPUs together; `None` means no limit.
const RATES: [Option<u64>; 3] = [Some(100_000), Some(300_000), None];

/// One recording of the load.
struct Recorded {
    cpu: Duration,
    wall: Duration,
    bytes: u64,
    events: u64,
    /// Lost events according to the kernel.
    lost: u64,
    /// Lost events according to the recording.
    told: u64,
}

/// Measures text from a device. Then, as root on Linux, records this machine in all ways.
pub fn capture(options: Options, report: &mut Report) -> Result<()> {
    super::device::hand_over(options, report)?;
    if counts().is_err() {
        report.line("\nskipped: recording needs root and a mounted tracefs");
        return Ok(());
    }
    check(cargo(&["build", "--release", "-p", "traceloom-tracefs"]))?;
    let time = Duration::from_secs(if options.quick { 2 } else { 5 });
    report.table(
        "Recording `sched` under load, 4 MB per CPU",
        &[
            "load, events/s",
            "how",
            "events/s",
            "lost",
            "of which counted in the file",
            "MB/s",
            "share of one CPU",
            "ns of CPU per event",
        ],
    );
    let mut all = Vec::new();
    for rate in RATES {
        for way in WAYS.iter().filter(|way| way.is_here()) {
            let recorded = record(way, rate, time)?;
            row(report, way, rate, &recorded);
            all.push((way, rate, recorded));
        }
    }
    judge(&all)
}

/// Checks what the table has to show: nothing is lost where trace-cmd loses nothing, and every loss is
/// counted.
fn judge(all: &[(&Way, Option<u64>, Recorded)]) -> Result<()> {
    for (way, rate, recorded) in all.iter().filter(|(way, ..)| way.is_ours) {
        let (lost, told) = (recorded.lost, recorded.told);
        ensure!(
            told == lost,
            "{}: {told} of {lost} losses are counted",
            way.name
        );
        let peer = all
            .iter()
            .find(|(other, at, _)| !other.is_ours && at == rate);
        let peer_loses = peer.is_none_or(|(_, _, peer)| peer.lost > 0);
        ensure!(
            lost == 0 || rate.is_none() || peer_loses || !way.is_pages,
            "{} loses {lost} events where trace-cmd loses none",
            way.name
        );
    }
    Ok(())
}

fn row(report: &mut Report, way: &Way, rate: Option<u64>, recorded: &Recorded) {
    let wall = seconds(recorded.wall);
    report.row(&[
        rate.map_or("as many as possible".to_owned(), |rate| rate.to_string()),
        way.name.to_owned(),
        format!("{:.0}", recorded.events as f64 / wall),
        recorded.lost.to_string(),
        if way.is_ours {
            recorded.told.to_string()
        } else {
            String::new()
        },
        format!("{:.1}", recorded.bytes as f64 / 1e6 / wall),
        format!("{:.1} %", seconds(recorded.cpu) / wall * 100.0),
        format!(
            "{:.0}",
            seconds(recorded.cpu) * 1e9 / recorded.events.max(1) as f64
        ),
    ]);
}

/// Records the load. The cost includes the start and the end of the program.
fn record(way: &Way, rate: Option<u64>, time: Duration) -> Result<Recorded> {
    let out = output_path().with_extension(way.ending);
    let recorder = Recorder::start(way, &out)?;
    let before = counts()?;
    let begun = Instant::now();
    let (millis, rate) = (time.as_millis().to_string(), rate.unwrap_or(0).to_string());
    check(this_program(&["load", &millis, &rate]))?;
    let wall = begun.elapsed();
    // The readers may be behind.
    thread::sleep(Duration::from_millis(500));
    let after = counts()?;
    let cpu = recorder.end()?;
    Ok(Recorded {
        cpu,
        wall,
        bytes: std::fs::metadata(&out)?.len(),
        events: after.written() - before.written(),
        lost: after.lost,
        told: told(&out)?,
    })
}

/// Lost events according to the recording: a trace.dat has counts per CPU, text has lines between the
/// events.
fn told(path: &Path) -> Result<u64> {
    let bytes = std::fs::read(path)?;
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
    Ok([
        "\noverrun: ",
        "\ncommit overrun: ",
        "\ndropped events: ",
        " [LOST ",
    ]
    .map(|mark| count(mark.as_bytes()))
    .iter()
    .sum())
}

impl Counts {
    /// Events that all CPUs have written.
    fn written(&self) -> u64 {
        self.kept + self.lost
    }
}
