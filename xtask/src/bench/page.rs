//! The page in a real browser: waiting times, compared with the promised times and with speedscope.

use std::collections::HashMap;
use std::fs;
use std::process::Stdio;

use anyhow::{Context, Result, ensure};

use super::Options;
use super::data::{file, speedscope};
use super::report::Report;
use crate::run::{check, command, have, shown, target_folder};
use crate::test::page::FOLDER;

/// Name of a figure, its description, and the promised maximum (ms; bytes if the name ends so).
type Promise = (&'static str, &'static str, Option<f64>);

const LIVE: &[Promise] = &[
    (
        "server answers",
        "start of `view` to the server's first answer",
        Some(2500.0),
    ),
    (
        "first picture at once",
        "navigation to first full picture, right after that answer",
        None,
    ),
    (
        "first picture",
        "navigation to first full picture",
        Some(500.0),
    ),
    (
        "frames p95",
        "pan and zoom: script time of a frame, 95th percentile",
        Some(16.0),
    ),
    (
        "frames p50",
        "pan and zoom: script time of a frame, median",
        None,
    ),
    ("click", "click to details", Some(50.0)),
    (
        "search",
        "search in all names, key press to result (including 110 ms of waiting for more letters)",
        Some(200.0),
    ),
    ("server search", "of that, in the server", None),
    (
        "range",
        "totals of a range of the whole length, key press to result (including 80 ms until the range settles)",
        Some(300.0),
    ),
    ("server range", "of that, in the server", None),
    (
        "profile",
        "profile of the same range, click to result",
        Some(300.0),
    ),
    ("server profile", "of that, in the server", None),
];

const REPORT: &[Promise] = &[
    (
        "report picture",
        "report: navigation to first full picture",
        Some(250.0),
    ),
    (
        "report loaded",
        "report: navigation to its engine's first answer",
        None,
    ),
    ("report written", "report: time to write it", None),
    ("report bytes", "report: size", None),
    ("page bytes", "the page's own code in it, gzipped", None),
    (
        "speedscope picture",
        "speedscope: navigation to its flame chart",
        None,
    ),
    ("speedscope bytes", "speedscope: size of its profile", None),
];

const BIG: &[Promise] = &[
    (
        "big report picture",
        "navigation to first full picture",
        Some(4000.0),
    ),
    (
        "big report loaded",
        "navigation to its engine's first answer",
        None,
    ),
    (
        "big report tab bytes",
        "memory of the tab (70 MB with a small report)",
        Some(250e6),
    ),
];

const PHONE: &[Promise] = &[(
    "phone opened",
    "start of `view` to the first full picture",
    Some(4000.0),
)];

/// The sizes of the traces that the page is measured with.
struct Traces {
    /// Records of a method trace of 200 threads.
    wide: usize,
    /// Records of a method trace of an app.
    app: usize,
    /// Bytes of ftrace text.
    text: usize,
    /// Kernel events of a Perfetto trace; each takes about 20 bytes.
    phone: usize,
}

/// Measures the waiting times in Chromium at 1920 × 1080.
pub fn page(options: Options, report: &mut Report) -> Result<()> {
    if let Some(missing) = ["node", "npm", "chromium"]
        .into_iter()
        .find(|name| !have(name))
    {
        report.line(&format!(
            "\nskipped: {missing} is not installed, so the page was not measured"
        ));
        return Ok(());
    }
    let traces = Traces {
        wide: options.size(20_000_000),
        app: options.size(2_000_000),
        text: options.size(300_000_000),
        phone: options.size(15_300_000),
    };
    let figures = measure(options, &traces)?;
    let millions = |records: usize| records as f64 / 2e6;
    report.table(
        &format!(
            "The page: {} million slices on 200 threads, from `traceloom view`",
            millions(traces.wide)
        ),
        &["what", "measured", "promised"],
    );
    rows(LIVE, &figures, report);
    report.table(
        &format!(
            "The page: a report of {} million slices, and speedscope on the same calls",
            millions(traces.app)
        ),
        &["what", "measured", "promised"],
    );
    rows(REPORT, &figures, report);
    report.table(
        &format!(
            "The page: a report of {} MB of ftrace text",
            traces.text / 1_000_000
        ),
        &["what", "measured", "promised"],
    );
    rows(BIG, &figures, report);
    let megabytes = fs::metadata(file("perfetto-sched", traces.phone)?)?.len() as f64 / 1e6;
    report.table(
        &format!("The page: a Perfetto trace of {megabytes:.0} MB, from `traceloom view`"),
        &["what", "measured", "promised"],
    );
    rows(PHONE, &figures, report);
    Ok(())
}

fn rows(promises: &[Promise], figures: &HashMap<String, f64>, report: &mut Report) {
    for (name, title, promised) in promises {
        let shown = |value: f64| match name.ends_with("bytes") {
            true if value >= 1e6 => format!("{:.1} MB", value / 1e6),
            true => format!("{:.0} KB", value / 1e3),
            false if value < 100.0 => format!("{value:.1} ms"),
            false => format!("{value:.0} ms"),
        };
        let measured = figures.get(*name).map_or_else(|| "–".into(), |v| shown(*v));
        let promised = promised.map_or_else(String::new, |most| format!("< {}", shown(most)));
        report.row(&[(*title).to_owned(), measured, promised]);
    }
}

/// Runs `bench.js` and returns its figures.
fn measure(options: Options, traces: &Traces) -> Result<HashMap<String, f64>> {
    let folder = testkit::workspace_root().join(FOLDER);
    if !folder.join("node_modules").exists() {
        let mut npm = command("npm", &["ci", "--no-audit", "--no-fund", "--silent"]);
        npm.current_dir(&folder);
        check(npm)?;
    }
    let mut node = command("node", &["bench.js"]);
    node.current_dir(&folder)
        .args([file("wide", traces.wide)?, file("app", traces.app)?])
        .arg(speedscope("app", traces.app)?)
        .arg(if options.quick { "3" } else { "5" })
        .arg(file("ftrace", traces.text)?)
        .arg(file("perfetto-sched", traces.phone)?)
        .env("TRACELOOM", target_folder().join("release/traceloom"))
        .stderr(Stdio::inherit());
    let line = shown(&node);
    let output = node.output().with_context(|| line.clone())?;
    let text = String::from_utf8(output.stdout)?;
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    eprintln!("{text}load {}", load.split(' ').next().unwrap_or_default());
    ensure!(output.status.success(), "{line}: {}", output.status);
    let figure = |line: &str| {
        let (name, value) = line.split_once('\t')?;
        Some((name.to_owned(), value.parse().ok()?))
    };
    Ok(text.lines().filter_map(figure).collect())
}
