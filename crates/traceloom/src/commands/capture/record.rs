//! Runs a recording: starts the agents, waits, stops them, and writes the result.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use traceloom_capture::{Agent, CaptureError, Controller, Limits, Note};
use traceloom_trace::Trace;

use super::console::Console;
#[cfg(target_os = "linux")]
use super::detached::{about, redirected};
use super::live::Show;
use super::options::{CaptureArgs, OutputKind, Target};
use super::output::Output;
use super::part::{Part, keep};
use super::recording::Recording;
use super::wait::{Ended, Wait};
use super::watch::{Collecting, Losses, watch};
use crate::commands::report::check_engine;
use crate::input::InputArgs;
use crate::output::{check_recording, print};
use crate::print::{message, plain};

/// Prints names with their titles, in atrace's layout, and a note below them.
///
/// # Errors
/// If standard output cannot be written.
pub fn print_list<'a>(
    all: impl Iterator<Item = (&'a String, &'a String)>,
    note: &str,
) -> Result<()> {
    print(|out| {
        for (name, title) in all {
            writeln!(out, "{:>12} - {}", plain(name), plain(title))?;
        }
        Ok(out.write_all(note.as_bytes())?)
    })
}

/// Records with these agents until the recording ends, and writes the result. `show` is the live
/// page, which then shows the whole trace.
///
/// # Errors
/// If nothing could be recorded, or the result cannot be written.
pub fn record(
    args: &CaptureArgs,
    console: &mut Console,
    wait: &Wait,
    mut show: Option<Show>,
    agents: Vec<Box<dyn Agent + '_>>,
) -> Result<ExitCode> {
    if args.kind()? == OutputKind::Page {
        check_engine()?;
    }
    if args.from_file.is_none() {
        check_recording(&args.output())?;
    }
    let mut controller = Controller::new(agents, limits(args));
    let recorded = recorded(args, console, wait, show.as_mut(), &mut controller);
    drop(controller);
    match (recorded, show) {
        (Err(error), show) => {
            if let Some(show) = show {
                show.nothing(&error);
            }
            Err(error)
        }
        (Ok((_, written, _)), None) => written.map(|_| ExitCode::SUCCESS),
        (Ok((trace, written, ended)), Some(show)) => {
            let said = match &written {
                Ok(path) => format!("Written to {path}."),
                Err(error) => format!("Writing failed: {error:#}."),
            };
            show.whole(trace, ended, &said)?;
            written.map(|_| ExitCode::SUCCESS)
        }
    }
}

/// Records; returns the trace, the path it was written to, and why the recording ended.
fn recorded(
    args: &CaptureArgs,
    console: &Console,
    wait: &Wait,
    mut show: Option<&mut Show>,
    controller: &mut Controller<'_>,
) -> Result<(Arc<Trace>, Result<String>, Ended)> {
    start(controller, console)?;
    if !args.command.is_empty() {
        let run = wait.run(&args.command);
        run.with_context(|| format!("cannot run {}", args.command[0]))?;
    }
    let mut losses = Losses::default();
    // The clocks are marked at both ends, because a long recording may have lost the first marks,
    // and a full buffer the last ones.
    controller.mark(&mut |note| console.warn(&note));
    if let Some(show) = &mut show {
        show.begin(args)?;
    }
    #[cfg(target_os = "linux")]
    if let Some(detached) = &args.detached {
        detached.begun(&about(args)?)?;
    }
    let ended = wait_for_end(args, console, wait, controller, &mut losses);
    #[cfg(target_os = "linux")]
    let redirected = args.detached.is_some().then(|| redirected(args));
    #[cfg(target_os = "linux")]
    let args = redirected.as_ref().unwrap_or(args);
    if ended == Ended::Signal {
        console.say("");
    }
    if let Some(show) = &show {
        show.saving(ended);
    }
    console.say("Tracing completed. Collecting output...");
    controller.mark(&mut |note| console.warn(&note));
    controller.stop(&mut |note| console.warn(&note));
    losses.end(controller);
    let recording = collect(controller, console, args)?;
    if recording.is_empty() {
        bail!("No data was captured.  Output file was not written.");
    }
    let (trace, mut parts) = read(args, recording)?;
    let trace = Arc::new(trace);
    let written = write(args, console, &trace, &mut parts);
    Ok((trace, written, ended))
}

/// The time limits of the options.
pub fn limits(args: &CaptureArgs) -> Limits {
    let seconds = |seconds: u32| Duration::from_secs(seconds.max(1).into());
    let usual = Limits::default();
    Limits {
        start_stop: args.timeout.map_or(usual.start_stop, seconds),
        collect: args.collection_timeout.map_or(usual.collect, seconds),
    }
}

/// Starts all agents.
fn start(controller: &mut Controller<'_>, console: &Console) -> Result<()> {
    let mut errors = Vec::new();
    controller.start(&mut |note| match note {
        Note::Failed { error, .. } => errors.push(error),
        note => console.warn(&note),
    });
    let (running, asked) = (controller.running(), controller.asked());
    if running == asked {
        return Ok(());
    }
    if running == 0 {
        return Err(errors.into_iter().next().map_or_else(nothing, Into::into));
    }
    for error in errors {
        message!("Warning: {}", plain(&error.to_string()));
    }
    console.say(&format!(
        "Warning: Only {running} of {asked} tracing agents started."
    ));
    Ok(())
}

fn nothing() -> anyhow::Error {
    anyhow::Error::msg("nothing was started")
}

fn wait_for_end(
    args: &CaptureArgs,
    console: &Console,
    wait: &Wait,
    controller: &mut Controller<'_>,
    losses: &mut Losses,
) -> Ended {
    if args.from_file.is_some() {
        console.say("Reading results from file.");
        return Ended::Time;
    }
    if args.android.resume {
        console.say("Fetching the recording of the device.");
        return Ended::Time;
    }
    let seconds = args.time.filter(|&seconds| seconds > 0);
    match seconds {
        Some(seconds) => console.say(&format!("Starting tracing ({seconds} seconds)")),
        None if !args.command.is_empty() => {
            console.say(&format!("Starting tracing ({})", args.command.join(" ")));
        }
        #[cfg(target_os = "linux")]
        None if args.detached.is_some() => {}
        None => {
            console.say("Starting tracing (stop with enter)");
            wait.listen_for_enter(args.until.is_some() || args.live.live);
        }
    }
    let time = seconds.map(|seconds| Duration::from_secs(seconds.into()));
    watch(controller, wait, time, losses)
}

fn collect(
    controller: &mut Controller<'_>,
    console: &Console,
    args: &CaptureArgs,
) -> Result<Recording> {
    let kind = args.kind()?;
    let open = InputArgs::default_for_capture();
    let is_read = !matches!(kind, OutputKind::Dat | OutputKind::Perfetto);
    let is_result = !is_read || kind == OutputKind::Text;
    let result = is_result.then(|| args.output());
    let mut recording = Recording::new(open.read_options(&args.name())?, is_read, result);
    let mut failed: Vec<CaptureError> = Vec::new();
    let mut collecting = Collecting::new(&mut recording);
    controller.collect(&mut collecting, &mut |note| match note {
        Note::Failed { error, .. } if recording_failed(&error) => failed.push(error),
        note => console.warn(&note),
    });
    drop(collecting);
    // If one agent failed, the recordings of the others must be kept.
    if recording.is_empty()
        && let Some(error) = failed.pop()
    {
        return Err(error.into());
    }
    for error in failed {
        message!("Warning: {}", plain(&error.to_string()));
    }
    Ok(recording)
}

/// Whether the error means that there is no data at all.
fn recording_failed(error: &CaptureError) -> bool {
    matches!(
        error,
        CaptureError::NoTraceData { .. }
            | CaptureError::Abandoned(_)
            | CaptureError::LeftOnDevice(_)
            | CaptureError::Perfetto { .. }
            | CaptureError::Sink(_)
            | CaptureError::Local { .. }
    )
}

/// Reads the recorded trace. Data that is not a trace is kept next to the output file.
fn read(args: &CaptureArgs, recording: Recording) -> Result<(Trace, Vec<Part>)> {
    recording.finish().or_else(|(error, mut parts)| {
        let kept = kept(&mut parts, args)?;
        Err(error.context(format!("the data is not a trace; it was kept in {kept}")))
    })
}

/// Keeps the recorded data as it came. Returns the paths.
fn kept(parts: &mut [Part], args: &CaptureArgs) -> Result<String> {
    let kept = keep(parts, &args.output())?;
    let kept: Vec<_> = kept.iter().map(|path| path.display().to_string()).collect();
    Ok(kept.join(", "))
}

/// Writes the result and returns its path.
fn write(
    args: &CaptureArgs,
    console: &Console,
    trace: &Arc<Trace>,
    parts: &mut [Part],
) -> Result<String> {
    let path = args.output();
    console.say("Outputting Systrace results...");
    let output = Output {
        path: &path,
        kind: args.kind()?,
        title: title(args),
        threads: InputArgs::default_for_capture().threads(),
    };
    console.say("Tracing complete, writing results");
    if let Err(error) = output.write(trace, parts) {
        return Err(match kept(parts, args) {
            Ok(kept) => error.context(format!(
                "the result cannot be written; the recorded data was kept in {kept}"
            )),
            Err(_) => error,
        });
    }
    let kind = match args.kind()? {
        OutputKind::Page => "HTML",
        OutputKind::Json => "JSON",
        OutputKind::Text => "text",
        OutputKind::Gzip => "gzip",
        OutputKind::Dat => "dat",
        OutputKind::Perfetto => "Perfetto",
    };
    let whole = std::path::absolute(&path).unwrap_or(path);
    let whole = whole.display().to_string();
    console.say(&format!("\nWrote trace {kind} file: file://{whole}\n"));
    Ok(whole)
}

fn title(args: &CaptureArgs) -> String {
    match args.target {
        Target::Android => "Android System Trace".to_owned(),
        Target::Linux => "Linux System Trace".to_owned(),
    }
}
