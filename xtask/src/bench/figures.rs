//! The speed of traceloom, compared with the machine's limit for the same bytes.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::Result;

use super::child::{Cost, at_once, median, medians, once, turns};
use super::data::{file, this_program};
use super::options::Options;
use super::report::Report;
use crate::run::{cargo, check, target_folder};

/// The program under test.
pub fn traceloom(args: &[&str]) -> Command {
    let mut command = Command::new(target_folder().join("release/traceloom"));
    command.args(args);
    command
}

/// Measures method traces: the profile directly from the events, and the full model.
pub fn method_traces(options: Options, report: &mut Report) -> Result<()> {
    report.table(
        "Method traces, one thread",
        &[
            "what",
            "records",
            "M records/s",
            "peak bytes/record",
            "share of a newline scan's speed",
        ],
    );
    let cases = [
        (
            "profile, repeating call paths",
            "profile",
            "repeating",
            20_000_000,
        ),
        (
            "profile, every call path new",
            "profile",
            "all-new",
            5_000_000,
        ),
        ("full model (info)", "info", "repeating", 10_000_000),
    ];
    for (title, subcommand, data, full) in cases {
        let records = options.size(full);
        let path = file(data, records)?;
        let limit = newline_scan(options, &path)?;
        let cost = run(options, subcommand, &["--threads", "1"], &path)?;
        let rate = records as f64 / seconds(cost.cpu) / 1e6;
        let peak = cost.peak_bytes as f64 / records as f64;
        let share = seconds(limit.cpu) / seconds(cost.cpu) * 100.0;
        report.row(&[
            title.to_owned(),
            format!("{:.1} M", records as f64 / 1e6),
            format!("{rate:.1}"),
            format!("{peak:.1}"),
            format!("{share:.1} %"),
        ]);
    }
    Ok(())
}

/// Measures reading ftrace text into the full model, on one thread and on two.
pub fn system_traces(options: Options, report: &mut Report) -> Result<()> {
    report.table(
        "ftrace text into the full model (info)",
        &["what", "MB", "s", "MB/s", "peak memory / file"],
    );
    let path = file("ftrace", options.size(400_000_000))?;
    let bytes = std::fs::metadata(&path)?.len() as f64;
    let storage = file("storage", options.size(200_000_000))?;
    let storage_bytes = std::fs::metadata(&storage)?.len() as f64;
    let mut show = |bytes: f64, title: &str, cost: Cost| {
        report.row(&[
            title.to_owned(),
            format!("{:.0}", bytes / 1e6),
            format!("{:.3}", seconds(cost.wall)),
            format!("{:.0}", bytes / 1e6 / seconds(cost.wall)),
            format!("{:.2}", cost.peak_bytes as f64 / bytes),
        ]);
    };
    let info = |threads: &str, path: &Path| of(&["info", "--threads", threads], path);
    // Run them alternately, because what matters are the ratios.
    let turns = turns(
        3 * options.repeats(),
        [
            &|| once(info("1", &path)),
            &|| once(info("2", &path)),
            &|| at_once([info("1", &path), info("1", &path)]),
            &|| once(info("1", &storage)),
        ],
    )?;
    let [one, two, both, storage] = medians(&turns);
    show(bytes, "one thread", one);
    show(bytes, "two threads", two);
    show(bytes, "limit: newline scan", newline_scan(options, &path)?);
    show(bytes, "limit: read and copy", copy(options, &path)?);
    show(2.0 * bytes, "limit: two programs at once", both);
    show(storage_bytes, "storage events only, one thread", storage);
    report_gain(&turns, report);
    Ok(())
}

/// Writes the gain from a second thread, and the gain from running two programs at once.
fn report_gain(turns: &[[Cost; 4]], report: &mut Report) {
    let gain = spread(turns.iter().map(|[one, two, ..]| ratio(one, two)));
    let limit = spread(turns.iter().map(|[one, _, both, _]| 2.0 * ratio(one, both)));
    report.line(&format!(
        "\nTwo threads are {gain} times as fast as one. Two programs of one thread each, at the same time, do {limit} \
         times as much work as one alone. These are medians of {} turns; the middle half of them is in brackets.",
        turns.len()
    ));
}

/// The time of the first divided by the time of the second, from start to exit.
fn ratio(first: &Cost, second: &Cost) -> f64 {
    seconds(first.wall) / seconds(second.wall)
}

/// The median, and the lower and upper quartile in brackets.
fn spread(values: impl Iterator<Item = f64>) -> String {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let [low, middle, high] = [1, 2, 3].map(|quarter| values[values.len() * quarter / 4]);
    format!("{middle:.2} ({low:.2} to {high:.2})")
}

/// Measures reading the ring buffer pages of a `trace.dat` into the full model.
pub fn raw_traces(options: Options, report: &mut Report) -> Result<()> {
    report.table(
        "Ring buffer pages of a trace.dat, one thread",
        &[
            "what",
            "events",
            "MB",
            "s",
            "M events/s",
            "peak memory / file",
        ],
    );
    let example = ["--example", "tally"];
    check(cargo(
        &[
            &["build", "--release", "-p", "traceloom-formats"],
            &example[..],
        ]
        .concat(),
    ))?;
    let tally = target_folder().join("release/examples/tally");
    let events = options.size(8_000_000);
    let path = file("dat", events)?;
    let bytes = std::fs::metadata(&path)?.len() as f64;
    let mut show = |title: &str, cost: Cost| {
        report.row(&[
            title.to_owned(),
            format!("{:.1} M", events as f64 / 1e6),
            format!("{:.0}", bytes / 1e6),
            format!("{:.3}", seconds(cost.cpu)),
            format!("{:.1}", events as f64 / 1e6 / seconds(cost.cpu)),
            format!("{:.2}", cost.peak_bytes as f64 / bytes),
        ]);
    };
    show(
        "decoded and counted",
        median(options.repeats(), || {
            let mut command = Command::new(&tally);
            command.arg(&path);
            command
        })?,
    );
    show(
        "full model (info)",
        run(options, "info", &["--threads", "1"], &path)?,
    );
    show("limit: read and copy", copy(options, &path)?);
    Ok(())
}

/// Measures the smallest tasks.
pub fn small_files(options: Options, report: &mut Report) -> Result<()> {
    report.table("Small files, start to exit", &["what", "ms", "peak MB"]);
    let examples = testkit::workspace_root().join("examples");
    let cases = [
        ("--version", vec!["--version".to_owned()]),
        (
            "info examples/app.trace",
            vec!["info".into(), path_of(&examples, "app.trace")],
        ),
        (
            "info examples/linux.ftrace",
            vec!["info".into(), path_of(&examples, "linux.ftrace")],
        ),
        (
            "profile examples/app.trace",
            vec!["profile".into(), path_of(&examples, "app.trace")],
        ),
    ];
    for (title, args) in cases {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let cost = median(options.repeats() * 5, || traceloom(&args))?;
        let peak = cost.peak_bytes as f64 / 1e6;
        report.row(&[
            title.to_owned(),
            format!("{:.1}", seconds(cost.wall) * 1e3),
            format!("{peak:.1}"),
        ]);
    }
    let nothing = median(options.repeats() * 5, || Command::new("true"))?;
    report.row(&[
        "limit: a program that does nothing".to_owned(),
        format!("{:.1}", seconds(nothing.wall) * 1e3),
        String::new(),
    ]);
    Ok(())
}

fn path_of(folder: &Path, name: &str) -> String {
    folder.join(name).to_string_lossy().into_owned()
}

fn run(options: Options, subcommand: &str, args: &[&str], path: &Path) -> Result<Cost> {
    median(options.repeats(), || {
        of(&[&[subcommand], args].concat(), path)
    })
}

/// The command that runs traceloom with these arguments and a file.
pub fn of(args: &[&str], path: &Path) -> Command {
    let mut command = traceloom(args);
    command.arg(path);
    command
}

fn newline_scan(options: Options, path: &Path) -> Result<Cost> {
    median(options.repeats(), || {
        let mut command = this_program(&["newlines"]);
        command.arg(path);
        command
    })
}

fn copy(options: Options, path: &Path) -> Result<Cost> {
    median(options.repeats(), || {
        let mut command = this_program(&["copy"]);
        command.arg(path);
        command
    })
}

/// A time in seconds, for ratios; never zero.
pub fn seconds(time: Duration) -> f64 {
    time.as_secs_f64().max(1e-6)
}
