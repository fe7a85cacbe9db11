//! The Python package: its wheel, Arrow data, the store, and many traces on several workers.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use super::Options;
use super::data::{file, folder};
use super::report::Report;
use crate::run::{have, printed};
use crate::wheel::{Wheels, package};

/// Calls of a trace of 5 MB; its records have 14 bytes.
const SMALL_RECORDS: usize = 5_000_000 / 14;

/// Measures the release wheel with `crates/python/benches/measure.py`.
pub fn python(options: Options, report: &mut Report) -> Result<()> {
    let wheels = match Wheels::new() {
        Ok(wheels) => wheels,
        Err(why) => {
            report.line(&format!("\nNo figures of the Python package: {why}."));
            return Ok(());
        }
    };
    let wheel = wheels.build("release")?;
    let megabytes = fs::metadata(&wheel)?.len() as f64 / 1e6;
    let slices = options.size(10_000_000);
    let trace = file("wide", 2 * slices)?.display().to_string();
    let measure = Measure {
        wheels,
        repeats: options.repeats().to_string(),
    };
    report.table(
        &format!("Python: Arrow data of slices (the wheel has {megabytes:.1} MB)"),
        &["what", "slices", "ms"],
    );
    measure.rows(&["arrow", &trace], report)?;
    report.table(
        "Python: the store's file of the same slices",
        &["what", "s", "times the store's time", "bytes per slice"],
    );
    measure.rows(&["store", &trace], report)?;
    let fleet = fleet(options.size(200))?;
    report.table(
        &format!("Python: {} traces of 5 MB", options.size(200)),
        &["what", "s", "ratio"],
    );
    measure.rows(&["batch", &fleet.display().to_string()], report)?;
    measure.spark(options, report)
}

struct Measure {
    wheels: Wheels,
    repeats: String,
}

impl Measure {
    /// The output of the script.
    fn output(&self, args: &[&str]) -> Result<String> {
        let script = package().join("benches/measure.py").display().to_string();
        let args = [&[script.as_str()], args].concat();
        printed(self.wheels.program("python3", &args))
    }

    fn rows(&self, args: &[&str], report: &mut Report) -> Result<()> {
        let output = self.output(&[args, &[&self.repeats]].concat())?;
        for line in output.lines() {
            report.row(&line.split('\t').collect::<Vec<_>>());
        }
        Ok(())
    }

    /// Measures a query on a fleet with one executor and with two: its first run in a session, and its third.
    fn spark(&self, options: Options, report: &mut Report) -> Result<()> {
        if !have("java") {
            report.line("\nNo figures of Spark: java is missing.");
            return Ok(());
        }
        let traces = options.size(500);
        let fleet = fleet(traces)?.display().to_string();
        report.table(
            &format!("Spark: a query on {traces} traces of 5 MB"),
            &[
                "run",
                "s, one executor",
                "s, two executors",
                "times as fast",
            ],
        );
        let mut turns = Vec::new();
        for _ in 0..3 {
            turns.push((self.runs(&fleet, "1")?, self.runs(&fleet, "2")?));
        }
        for (run, name) in ["first in the session", "third"].into_iter().enumerate() {
            let (one, two) = median_turn(turns.iter().map(|(one, two)| (one[run], two[run])));
            let times = format!("{:.2}", one / two);
            report.row(&[name, &format!("{one:.1}"), &format!("{two:.1}"), &times]);
        }
        Ok(())
    }

    /// Seconds of the first and of the third run with this number of executors.
    fn runs(&self, fleet: &str, executors: &str) -> Result<[f64; 2]> {
        let output = self.output(&["spark", fleet, executors])?;
        let seconds: Result<Vec<f64>, _> = output.split_whitespace().map(str::parse).collect();
        match seconds.as_deref() {
            Ok(&[first, third]) => Ok([first, third]),
            _ => bail!("measure.py printed {output:?}, which is not two numbers"),
        }
    }
}

/// The turn with the median ratio: seconds with one executor, and with two.
fn median_turn(turns: impl Iterator<Item = (f64, f64)>) -> (f64, f64) {
    let mut turns: Vec<_> = turns.collect();
    turns.sort_by(|a, b| (a.0 / a.1).total_cmp(&(b.0 / b.1)));
    turns[turns.len() / 2]
}

/// A folder with many hard links to one trace.
fn fleet(traces: usize) -> Result<PathBuf> {
    let trace = file("wide", SMALL_RECORDS)?;
    let fleet = folder().join(format!("fleet-{traces}"));
    fs::create_dir_all(&fleet)?;
    for number in 0..traces {
        link(&trace, &fleet.join(format!("{number:03}.trace")))?;
    }
    Ok(fleet)
}

fn link(from: &Path, to: &Path) -> Result<()> {
    if !to.exists() {
        fs::hard_link(from, to)?;
    }
    Ok(())
}
