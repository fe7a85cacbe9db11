//! `traceloom frames`: the frames of each app, and the causes of late ones.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use serde::Serialize;
use traceloom_analyze::frames::{
    AppReport, BlockedReport, FrameApp, FrameReport, FrameSelection, Frames, VerdictReport,
    WorstFrame,
};
use traceloom_analyze::percent;
use traceloom_analyze::timeline::StateKind;
use traceloom_trace::{RowId, Trace};

use crate::input::{InputArgs, read_trace};
use crate::output::print;
use crate::print::{
    DataOutput, Name, Table, count, csv_for_spreadsheets, csv_line, duration, ms, plain,
    terminal_width, thousands,
};
use crate::times::{TimeRange, parse_number};

/// Default of `--limit`: late frames to describe.
const USUAL_LIMIT: usize = 5;

/// Show the frames of each app: how many were late, how long they took, and what delayed the worst
///
/// A frame is the work of a UI thread in Choreographer#doFrame and of its RenderThread in
/// DrawFrame, or of Flutter's UI and raster threads. A thread that only hands over buffers
/// (queueBuffer), such as a game's, has a frame from each buffer to the next. A frame starts at the
/// vsync before it (counter VSYNC-app, if recorded). Each further vsync that passes before the
/// frame is drawn is missed, and a frame that misses any is janky. If a Perfetto trace has Android's
/// frame timeline, late frames and their reasons are taken from it. Frames of the compositor are
/// listed separately.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  traceloom frames systrace.html
  traceloom frames systrace.html --process com.example.app --limit 20
  traceloom frames systrace.html --csv > frames.csv")]
#[command(mut_arg("csv", |csv| csv.help("Print CSV: one line per frame, worst first; times in nanoseconds")))]
#[command(mut_arg("until", |until| until.visible_alias("to")))]
pub struct FramesArgs {
    /// The trace; - is standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// Only processes with this name or pid (an exact match, else every name that contains it); repeatable
    #[arg(long, value_name = "NAME|PID")]
    pub process: Vec<String>,

    #[command(flatten)]
    pub range: TimeRange,

    /// Number of worst frames to describe, 0 for all [default: 5 late ones; all frames with --csv and --json]
    #[arg(long, value_name = "N", value_parser = parse_number::<usize>)]
    pub limit: Option<usize>,

    #[command(flatten)]
    pub data: DataOutput,

    #[command(flatten)]
    pub open: InputArgs,
}

/// Runs the command.
///
/// # Errors
/// If the file cannot be read, or has no frames of the selected processes.
pub fn run(args: &FramesArgs) -> Result<ExitCode> {
    csv_for_spreadsheets(args.data.csv_safe);
    let trace = read_trace(&args.file, &args.open)?;
    let frames = Frames::find(&trace);
    if frames.is_empty() {
        bail!(
            "{} has no frames: {NO_FRAMES}, and there is no compositor (record the categories gfx and view)",
            args.file.display()
        );
    }
    let wanted = wanted(args, &trace, &frames)?;
    let selection = FrameSelection {
        range: args.range.of(&trace)?,
        wanted: &|app| wanted.contains(&app.utid.0),
        limit: args.data.most_rows(args.limit, USUAL_LIMIT),
    };
    let report = frames.report(&trace, &selection);
    print(|out| match (args.data.json, args.data.csv) {
        (true, _) => json(out, args, &report),
        (_, true) => csv(out, &report),
        _ => text(out, args, &report),
    })?;
    Ok(ExitCode::SUCCESS)
}

/// The threads of the selected processes.
fn wanted(args: &FramesArgs, trace: &Trace, frames: &Frames) -> Result<Vec<u32>> {
    let process = |app: &FrameApp| {
        let row = app.upid.some().map(|upid| trace.processes.row(upid.row()));
        row.map(|row| (trace.strings.get(row.name), row.pid.to_string()))
    };
    let matching = |accept: &dyn Fn(&str, &str) -> bool| -> Vec<u32> {
        let apps = frames.apps.iter();
        let accepted =
            apps.filter(|app| process(app).is_some_and(|(name, pid)| accept(name, &pid)));
        accepted.map(|app| app.utid.0).collect()
    };
    if args.process.is_empty() {
        return Ok(frames.apps.iter().map(|app| app.utid.0).collect());
    }
    let mut wanted = Vec::new();
    for query in &args.process {
        let mut found = matching(&|name, pid| name == query || pid == query);
        if found.is_empty() {
            found = matching(&|name, _| name.contains(query.as_str()));
        }
        if found.is_empty() {
            bail!("{}", no_frames_of(trace, query));
        }
        wanted.extend(found);
    }
    Ok(wanted)
}

/// The message for a trace without frames.
const NO_FRAMES: &str = "no thread has slices called Choreographer#doFrame, Flutter's Framework Workload or queueBuffer";

/// The message for a process without frames, or for an unknown process.
fn no_frames_of(trace: &Trace, query: &str) -> String {
    let rows = trace
        .real_processes()
        .map(|upid| trace.processes.row(upid.row()));
    let named = rows.map(|row| (trace.strings.get(row.name).to_owned(), row.pid));
    let processes: Vec<(String, i64)> = named.collect();
    let exact = |one: &&(String, i64)| one.0 == query || one.1.to_string() == query;
    let similar = |one: &&(String, i64)| one.0.contains(query);
    let found = processes.iter().find(exact);
    match found.or_else(|| processes.iter().find(similar)) {
        Some((name, pid)) => format!(
            "this trace has no frames of {} ({pid}): {NO_FRAMES} there (record the categories gfx and view with -a {query})",
            plain(name)
        ),
        None => format!(
            "this trace has no process with {} in its name; traceloom info lists them",
            plain(query)
        ),
    }
}

#[derive(Serialize)]
struct Output<'a> {
    file: String,
    #[serde(flatten)]
    report: &'a FrameReport,
}

fn json(out: &mut dyn Write, args: &FramesArgs, report: &FrameReport) -> Result<()> {
    let file = args.file.display().to_string();
    serde_json::to_writer_pretty(&mut *out, &Output { file, report })?;
    writeln!(out)?;
    Ok(())
}

fn csv(out: &mut dyn Write, report: &FrameReport) -> Result<()> {
    const HEAD: [&str; 15] = [
        "app",
        "start_ns",
        "dur_ns",
        "ui_ns",
        "late_start_ns",
        "missed",
        "running_ns",
        "runnable_ns",
        "blocked_ns",
        "io_ns",
        "blocked_most_on",
        "most_time_in",
        "expected_end_ns",
        "actual_end_ns",
        "jank_type",
    ];
    csv_line(out, HEAD)?;
    for frame in &report.worst {
        let numbers = [
            frame.ts,
            frame.dur,
            frame.ui_ns,
            frame.late_start_ns,
            frame.missed.into(),
            frame.running_ns,
            frame.runnable_ns,
            frame.blocked_ns,
            frame.io_ns,
        ];
        let mut line = vec![frame.label.clone()];
        line.extend(numbers.map(|number| number.to_string()));
        line.push(frame.blocked_on.first().map(wait).unwrap_or_default());
        line.push(
            frame
                .top
                .first()
                .map_or(String::new(), |top| top.label.clone()),
        );
        let verdict = frame.verdict.as_ref();
        let number = |number: Option<i64>| number.map_or(String::new(), |ns| ns.to_string());
        line.push(number(verdict.and_then(|one| one.expected_end)));
        line.push(number(verdict.map(|one| one.end)));
        line.push(verdict.map_or(String::new(), |one| one.jank.clone()));
        csv_line(out, line)?;
    }
    Ok(())
}

fn text(out: &mut dyn Write, args: &FramesArgs, report: &FrameReport) -> Result<()> {
    let sum = |of: fn(&AppReport) -> usize| report.apps.iter().map(of).sum::<usize>();
    let (frames, janky) = (sum(|app| app.frames), sum(|app| app.janky));
    let hz = 1e9 / report.vsync_ns.max(1) as f64;
    writeln!(
        out,
        "{}: {}, {janky} janky; the display takes a picture every {} ms ({hz:.0} Hz, {})",
        plain(&args.file.display().to_string()),
        count(frames as u64, "frame"),
        ms(report.vsync_ns),
        source(&report.vsync_source)
    )?;
    let unfinished = sum(|app| app.unfinished);
    if unfinished > 0 {
        let frames = count(unfinished as u64, "frame");
        writeln!(out, "{frames} without an end in the trace are not counted")?;
    }
    if let Some(judged) = report.judged {
        let frames = count(judged as u64, "frame");
        writeln!(
            out,
            "the trace's frame timeline tells which of {frames} were late"
        )?;
    }
    writeln!(out)?;
    if report.apps.is_empty() {
        writeln!(out, "no frame was in progress in this range of time")?;
        return Ok(());
    }
    table(&report.apps).write(out, terminal_width())?;
    let shown = report.worst.iter();
    let shown: Vec<&WorstFrame> = match args.limit {
        Some(_) => shown.collect(),
        None => shown.filter(|frame| frame.missed > 0).collect(),
    };
    for frame in shown {
        writeln!(out)?;
        worst(out, frame)?;
    }
    Ok(())
}

fn source(name: &str) -> String {
    match name {
        "assumed" => "assumed, because the trace does not tell it".to_owned(),
        "distance of frames" => "by the distance of frames".to_owned(),
        name if name.starts_with("slices ") => plain(name).to_string(),
        counter => format!("counter {}", plain(counter)),
    }
}

fn table(apps: &[AppReport]) -> Table {
    let mut table = Table {
        name_head: "App",
        ..Table::default()
    };
    let mut column = |head: &str, spare: u8, cell: &dyn Fn(&AppReport) -> String| {
        table.column(head, spare, apps.iter().map(cell).collect());
    };
    let share = |app: &AppReport| percent(app.janky as i64, app.frames as i64);
    column("Frames", 0, &|app| thousands(app.frames as u64));
    column("Janky", 0, &|app| thousands(app.janky as u64));
    column("%", 1, &|app| format!("{:.1}", share(app)));
    column("Missed", 2, &|app| thousands(app.missed));
    column("p50 ms", 3, &|app| ms(app.p50_ns));
    column("p90 ms", 2, &|app| ms(app.p90_ns));
    column("p99 ms", 3, &|app| ms(app.p99_ns));
    column("Worst ms", 0, &|app| ms(app.worst_ns));
    let name = |app: &AppReport| Name {
        indent: 0,
        text: match app.pid {
            -1 => app.label.clone(),
            pid => format!("{} ({pid})", app.label),
        },
    };
    table.names = apps.iter().map(name).collect();
    table
}

/// Describes a frame and what delayed it in a few lines.
fn worst(out: &mut dyn Write, frame: &WorstFrame) -> Result<()> {
    let missed = match frame.missed {
        0 => "in time".to_owned(),
        missed => format!("{} missed", count(missed as u64, "vsync")),
    };
    writeln!(
        out,
        "at {:.3} s: {}, {missed}  {}",
        frame.ts as f64 / 1e9,
        duration(frame.dur),
        plain(&frame.label)
    )?;
    if let Some(verdict) = &frame.verdict {
        writeln!(out, "  {}", plain(&verdict_text(verdict)))?;
    }
    let states = [
        (StateKind::Running.name(), frame.running_ns),
        (StateKind::Runnable.name(), frame.runnable_ns),
        (StateKind::Sleeping.name(), frame.sleeping_ns),
        (StateKind::Uninterruptible.name(), frame.uninterruptible_ns),
        (StateKind::UninterruptibleIo.name(), frame.io_ns),
        ("starting late", frame.late_start_ns),
    ];
    // Less than a hundredth of the frame does not explain a delay.
    let states = states.iter().filter(|(_, ns)| *ns > frame.dur / 100);
    let states: Vec<String> = states
        .map(|(word, ns)| format!("{word} {}", duration(*ns)))
        .collect();
    if !states.is_empty() {
        writeln!(out, "  {}", states.join(", "))?;
    }
    let waits = frame.blocked_on.iter().take(3);
    for one in waits.filter(|one| one.ns > frame.dur / 50) {
        writeln!(out, "  waited {} {}", duration(one.ns), plain(&wait(one)))?;
    }
    let top = frame.top.iter().take(3);
    let top: Vec<String> = top
        .map(|one| format!("{} {}", plain(&short(&one.label)), duration(one.ns)))
        .collect();
    if !top.is_empty() {
        writeln!(out, "  most time in {}", top.join(", "))?;
    }
    Ok(())
}

/// When the frame was done and why it was late, according to the frame timeline.
fn verdict_text(verdict: &VerdictReport) -> String {
    let when = verdict.expected_end.map(|until| match verdict.end - until {
        after if after > 0 => format!("done {} after it was expected", duration(after)),
        before => format!("done {} before it was expected", duration(-before)),
    });
    let why = match verdict.jank.as_str() {
        "None" | "" => None,
        why => Some(why.to_owned()),
    };
    let both = [when, why].into_iter().flatten();
    both.collect::<Vec<_>>().join(": ")
}

/// The beginning of a long name.
fn short(name: &str) -> String {
    match name.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}

/// The text for one wait of a frame.
fn wait(one: &BlockedReport) -> String {
    match one.label.as_str() {
        "" => one.why.text.clone(),
        label => format!("in {label}: {}", one.why.text),
    }
}
