//! `traceloom why`: the chain of threads that a thread waited for.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use serde::Serialize;
use traceloom_analyze::timeline::{FindMode, Finder, Timeline, Why, WhyPart};
use traceloom_analyze::{thread_label, waker_label};
use traceloom_trace::{RowId, SliceId, ThreadId, Trace};

use crate::input::{InputArgs, read_trace};
use crate::output::print;
use crate::print::{
    Cut, DataOutput, Name, Table, csv_for_spreadsheets, csv_line, duration, ms, plain,
    terminal_width,
};
use crate::times::parse_time;
use crate::wanted::selected_threads;

/// Show what a thread waited for: the chain of threads that held it up (the critical path)
///
/// While a thread waits, the path shows what the thread that later woke it was doing. If that thread
/// was waiting too, the path goes on to the thread that woke that one. Works with every format that
/// has scheduling events (category sched).
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  traceloom why systrace.html --slice \"Choreographer#doFrame\"
  traceloom why trace.dat --thread RenderThread --at 1.25s")]
#[command(mut_arg("csv", |csv| csv.help("Print CSV: one line per part; times in nanoseconds")))]
pub struct WhyArgs {
    /// The trace; - is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The longest slice of this name (an exact match, else of a name that contains it)
    #[arg(long, value_name = "NAME", conflicts_with = "at")]
    slice: Option<String>,

    /// With --at: the thread, by name or tid (an exact match, else a name that contains it). With
    /// --slice: only slices of such threads; repeatable
    #[arg(long, value_name = "NAME|TID")]
    thread: Vec<String>,

    /// Explain what the thread does this long after the first event (1.5s, 200ms; a bare number is seconds)
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    at: Option<i64>,

    #[command(flatten)]
    data: DataOutput,

    #[command(flatten)]
    open: InputArgs,
}

/// The time of a thread that is explained.
struct Asked {
    utid: ThreadId,
    from: i64,
    to: i64,
    name: String,
}

/// Runs the command.
///
/// # Errors
/// If the file cannot be read, has no scheduling events, or no such slice or thread.
pub fn run(args: &WhyArgs) -> Result<ExitCode> {
    csv_for_spreadsheets(args.data.csv_safe);
    check(args)?;
    let trace = read_trace(&args.file, &args.open)?;
    if trace.thread_states.is_empty() {
        bail!(
            "{} has no scheduling events, so it does not tell what a thread waited for (record the category sched)",
            args.file.display()
        );
    }
    let timeline = Timeline::new(&trace);
    let selected = selected_threads(&trace, &args.thread, &[]);
    let selected = selected.with_context(|| args.file.display().to_string())?;
    let asked = match (&args.slice, args.at) {
        (Some(name), _) => slice_named(&trace, &timeline, name, &selected)?,
        (None, at) => thread_at(&trace, &timeline, at.unwrap_or_default(), &selected)?,
    };
    let why = timeline.why(&trace, asked.utid, asked.from, asked.to);
    let parts = why
        .parts
        .iter()
        .map(|part| Part::new(&trace, &timeline, part));
    let parts: Vec<Part> = parts.collect();
    print(|out| match (args.data.json, args.data.csv) {
        (true, _) => json(out, &trace, &asked, &parts),
        (_, true) => csv(out, &parts),
        _ => text(out, &trace, &asked, &parts, &why),
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Fails if the options select no time of a thread.
fn check(args: &WhyArgs) -> Result<()> {
    match (&args.slice, args.at, args.thread.is_empty()) {
        (Some(_), ..) | (None, Some(_), false) => Ok(()),
        _ => bail!("choose what to explain: --slice NAME, or --thread NAME with --at TIME"),
    }
}

/// The longest slice with a name.
fn slice_named(trace: &Trace, timeline: &Timeline, name: &str, selected: &[bool]) -> Result<Asked> {
    let longest = |mode| {
        let names = timeline.find_names(trace, &Finder::new(name, mode));
        let slices = (0..trace.slices.len()).filter(|row| {
            let name = timeline.names.of_slice(*row);
            !trace.slices.is_instant(*row) && names.binary_search(&name).is_ok()
        });
        let found = slices.filter_map(|row| {
            let utid = trace.track_thread(trace.slices.track_id.get(row))?;
            let is_selected = selected.get(utid.row()).copied().unwrap_or(false);
            let from = trace.slices.ts.get(row);
            is_selected.then(|| (timeline.end_of(trace, row).saturating_sub(from), row, utid))
        });
        // Of equally long slices, the first one.
        found.max_by_key(|(ns, row, _)| (*ns, std::cmp::Reverse(*row)))
    };
    let found = longest(FindMode::Exact).or_else(|| longest(FindMode::Part));
    let Some((ns, row, utid)) = found else {
        bail!(
            "--slice {}: no thread has such a slice; traceloom profile FILE --limit 0 lists all names",
            plain(name)
        );
    };
    let from = trace.slices.ts.get(row);
    let name = timeline.names.label(trace, timeline.names.of_slice(row));
    Ok(Asked {
        utid,
        from,
        to: from.saturating_add(ns),
        name,
    })
}

/// The state of a thread at a time.
fn thread_at(trace: &Trace, timeline: &Timeline, at: i64, selected: &[bool]) -> Result<Asked> {
    let ts = trace.bounds.0.saturating_add(at);
    let states = trace.real_threads().filter(|utid| selected[utid.row()]);
    let states = states.filter_map(|utid| Some((utid, timeline.state_at(trace, utid, ts)?)));
    let extents = states.map(|(utid, row)| {
        let (from, to) = traceloom_analyze::timeline::state_extent(trace, row as usize);
        (utid, from, to)
    });
    let mut found: Vec<_> = extents.filter(|(_, from, to)| from < to).collect();
    let Some((utid, from, to)) = found.pop() else {
        let length = trace.bounds.1.saturating_sub(trace.bounds.0);
        bail!(
            "nothing is known about the thread {} after the first event; the trace lasts {}",
            duration(at),
            duration(length)
        );
    };
    if !found.is_empty() {
        found.push((utid, from, to));
        let names = found.iter().map(|(utid, ..)| {
            let tid = trace.threads.tid.get(utid.row());
            format!("{} ({tid})", plain(&thread_label(trace, *utid)))
        });
        let names: Vec<String> = names.collect();
        bail!("--thread selects several threads: {}", names.join(", "));
    }
    Ok(Asked {
        utid,
        from,
        to,
        name: String::new(),
    })
}

/// A part of the path, as it is printed.
#[derive(Serialize)]
struct Part {
    /// Ns after the first event.
    ts_ns: i64,
    dur_ns: i64,
    thread: String,
    tid: i64,
    depth: u32,
    state: &'static str,
    slice: String,
    why: String,
}

impl Part {
    fn new(trace: &Trace, timeline: &Timeline, part: &WhyPart) -> Self {
        let slice = part.slice;
        let name = (slice != SliceId::NONE).then(|| {
            timeline
                .names
                .label(trace, timeline.names.of_slice(slice.row()))
        });
        let why = match part.why {
            Some(why) => why.text(trace).text,
            None if part.held_by == ThreadId::NONE => String::new(),
            None => format!("{} had the CPU", thread_label(trace, part.held_by)),
        };
        Self {
            ts_ns: part.ts.saturating_sub(trace.bounds.0),
            dur_ns: part.end.saturating_sub(part.ts),
            thread: waker_label(trace, part.utid),
            tid: trace.threads.tid.get(part.utid.row()),
            depth: part.depth,
            state: part.state.name(),
            slice: name.unwrap_or_default(),
            why,
        }
    }
}

fn text(
    out: &mut dyn Write,
    trace: &Trace,
    asked: &Asked,
    parts: &[Part],
    why: &Why,
) -> Result<()> {
    let thread = plain(&thread_label(trace, asked.utid)).into_owned();
    let length = duration(asked.to.saturating_sub(asked.from));
    let at = ms(asked.from.saturating_sub(trace.bounds.0));
    match asked.name.as_str() {
        "" => writeln!(out, "{thread}: {length} from {at} ms on\n")?,
        name => writeln!(
            out,
            "{} of {thread}: {length} from {at} ms on\n",
            plain(name)
        )?,
    }
    let mut table = Table {
        name_head: "Thread",
        cut: Cut::End,
        ..Table::default()
    };
    table.column(
        "At ms",
        0,
        parts.iter().map(|part| ms(part.ts_ns)).collect(),
    );
    table.column("ms", 0, parts.iter().map(|part| ms(part.dur_ns)).collect());
    table.names = parts.iter().map(name).collect();
    table.write(out, terminal_width())?;
    if why.is_cut {
        writeln!(out, "… the rest is missing: the path has too many parts")?;
    }
    Ok(())
}

/// `thread: state in slice (why)`, indented by how many threads wait for it.
fn name(part: &Part) -> Name {
    let mut text = format!("{}: ", part.thread);
    text += if part.why.starts_with(part.state) {
        &part.why
    } else {
        part.state
    };
    if !part.slice.is_empty() {
        text += &format!(", in {}", part.slice);
    }
    if !part.why.is_empty() && !part.why.starts_with(part.state) {
        text += &format!(" ({})", part.why);
    }
    Name {
        indent: part.depth.min(12) as usize,
        text,
    }
}

#[derive(Serialize)]
struct Output<'a> {
    thread: String,
    slice: &'a str,
    ts_ns: i64,
    dur_ns: i64,
    parts: &'a [Part],
}

fn json(out: &mut dyn Write, trace: &Trace, asked: &Asked, parts: &[Part]) -> Result<()> {
    let output = Output {
        thread: thread_label(trace, asked.utid),
        slice: &asked.name,
        ts_ns: asked.from.saturating_sub(trace.bounds.0),
        dur_ns: asked.to.saturating_sub(asked.from),
        parts,
    };
    serde_json::to_writer_pretty(&mut *out, &output)?;
    writeln!(out)?;
    Ok(())
}

fn csv(out: &mut dyn Write, parts: &[Part]) -> Result<()> {
    const HEAD: [&str; 8] = [
        "ts_ns", "dur_ns", "thread", "tid", "depth", "state", "slice", "why",
    ];
    csv_line(out, HEAD)?;
    for part in parts {
        let numbers = [part.ts_ns.to_string(), part.dur_ns.to_string()];
        let [ts, dur] = &numbers;
        let (tid, depth) = (part.tid.to_string(), part.depth.to_string());
        csv_line(
            out,
            [
                ts,
                dur,
                &part.thread,
                &tid,
                &depth,
                part.state,
                &part.slice,
                &part.why,
            ],
        )?;
    }
    Ok(())
}
