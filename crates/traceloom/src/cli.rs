//! The command line: the subcommands, and the names that make the program act as another program.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use traceloom_heap::Heap;

use crate::commands::{
    callgraph, capture, convert, diff, events, frames, info, profile, report, threads, view, weave,
    why,
};
#[cfg(feature = "query")]
use crate::commands::{export, query};
use crate::failure::{print_usage, report as report_error};
use crate::input::join_pairs;

/// Records, opens, measures and shares Android and Linux traces.
///
/// Opens method traces of Traceview, Dalvik and ART; systrace pages; text of atrace and ftrace;
/// trace.dat of trace-cmd; Perfetto traces; perf.data of perf and simpleperf; Chrome's JSON; logs of
/// strace; sample reports of simpleperf; ring files of the recorder in an app; and reports of
/// traceloom. All of them may be inside gzip, zlib, Zstandard, zip or tar.
#[derive(Parser, Debug)]
#[command(
    name = "traceloom",
    version,
    propagate_version = true,
    max_term_width = 100
)]
#[command(
    after_help = "Example:\n  traceloom profile app.trace\n\nCalled through a link named atrace, dmtracedump, systrace or traceview, it takes that program's options."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    Info(info::InfoArgs),
    Profile(Box<profile::ProfileArgs>),
    Callgraph(Box<callgraph::CallgraphArgs>),
    Diff(Box<diff::DiffArgs>),
    Frames(frames::FramesArgs),
    Threads(threads::ThreadsArgs),
    Why(why::WhyArgs),
    Events(events::EventsArgs),
    #[cfg(feature = "query")]
    Query(Box<query::QueryArgs>),
    #[cfg(feature = "query")]
    Export(Box<export::ExportArgs>),
    Convert(convert::ConvertArgs),
    View(Box<view::ViewArgs>),
    Report(Box<report::ReportArgs>),
    Capture(Box<capture::CaptureCommand>),
    Weave(Box<weave::WeaveArgs>),
    /// Act as dmtracedump, byte for byte: profile, HTML, dump, diff and graph of a method trace
    #[command(
        disable_help_flag = true,
        after_help = "Example:\n  traceloom dmtracedump -h app.trace > app.html"
    )]
    Dmtracedump(Rest),
    /// Act as atrace: record this machine with the options of Android's atrace
    #[cfg(target_os = "linux")]
    #[command(
        disable_help_flag = true,
        after_help = "Example:\n  traceloom atrace -t 5 sched gfx view"
    )]
    Atrace(Rest),
    /// Act as systrace: record a device or this machine into one HTML file
    #[command(
        disable_help_flag = true,
        after_help = "Example:\n  traceloom systrace -t 5 -o trace.html sched gfx view"
    )]
    Systrace(Rest),
    /// Act as Traceview's regression mode: print the thread, call and method tables of a method trace
    #[command(
        disable_help_flag = true,
        after_help = "Example:\n  traceloom traceview -r app.trace"
    )]
    Traceview(Rest),
}

/// Arguments passed on unchanged to a program that parses its own options.
#[derive(clap::Args, Debug)]
struct Rest {
    /// The options and files of the original; without any, its usage is printed
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "ARGS"
    )]
    args: Vec<OsString>,
}

/// The whole command line, for man pages and completions.
pub fn command() -> clap::Command {
    Cli::command()
}

/// Runs the program. Exit codes: 0 success, 1 a check failed, 2 an error.
pub fn main(args: impl Iterator<Item = OsString>) -> ExitCode {
    let args: Vec<OsString> = args.collect();
    // A recording forks a guardian process, which allocates memory.
    Heap::over_forks();
    if let Some(code) = run_as_other_program(&args) {
        return code;
    }
    let args = match with_config_file(join_pairs(args)) {
        Ok(args) => args,
        Err(error) => {
            report_error(&error);
            return ExitCode::from(2);
        }
    };
    #[cfg(feature = "query")]
    let args = query::keep_comments(args);
    let command = match Cli::try_parse_from(args) {
        Ok(cli) => cli.command,
        Err(error) => {
            return print_usage(error);
        }
    };
    match run(command) {
        Ok(code) => code,
        Err(error) => {
            report_error(&error);
            ExitCode::from(2)
        }
    }
}

fn run(command: Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Info(args) => info::run(&args),
        Command::Convert(args) => convert::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Profile(args) => profile::run(&args),
        Command::Callgraph(args) => callgraph::run(&args),
        Command::Diff(args) => diff::run(&args),
        Command::View(args) => view::run(*args),
        Command::Capture(args) => capture::run(&args),
        Command::Frames(args) => frames::run(&args),
        Command::Threads(args) => threads::run(&args),
        Command::Why(args) => why::run(&args),
        Command::Events(args) => events::run(&args),
        #[cfg(feature = "query")]
        Command::Query(args) => query::run(&args),
        #[cfg(feature = "query")]
        Command::Export(args) => export::run(&args),
        Command::Weave(args) => weave::run(&args),
        Command::Dmtracedump(rest) => Ok(traceloom_dmtracedump::main(with_name(
            "dmtracedump",
            rest.args,
        ))),
        #[cfg(target_os = "linux")]
        Command::Atrace(rest) => Ok(traceloom_tracefs::atrace::run(with_name(
            "atrace", rest.args,
        ))),
        Command::Systrace(rest) => Ok(capture::main_as_systrace(with_name("systrace", rest.args))),
        Command::Traceview(rest) => Ok(crate::traceview::main(with_name("traceview", rest.args))),
    }
}

/// Adds the options of the file that `capture --config` names.
fn with_config_file(mut args: Vec<OsString>) -> anyhow::Result<Vec<OsString>> {
    if args.get(1).is_none_or(|name| name != "capture") {
        return Ok(args);
    }
    let command = Cli::command();
    let Some(mut capture) = command.find_subcommand("capture") else {
        return Ok(args);
    };
    let mut words = 2;
    if let Some(start) = args.get(2).filter(|word| *word == "start")
        && let Some(found) = capture.find_subcommand(start)
    {
        (capture, words) = (found, 3);
    }
    let own = args.split_off(words);
    args.extend(capture::with_config(capture, own)?);
    Ok(args)
}

/// Acts as another program if the link has its name, or if the subcommand has its name and only
/// files follow. In the second case, clap is skipped, because it would take a tenth of a run on a
/// small trace.
fn run_as_other_program(args: &[OsString]) -> Option<ExitCode> {
    if let Some(code) = other_program(called_as(args)?, args) {
        return Some(code);
    }
    let [_, name, files @ ..] = args else {
        return None;
    };
    if name == "atrace" {
        // atrace parses all its options itself, `--help` and `--version` included.
        return other_program(name, &args[1..]);
    }
    let is_file = |arg: &OsString| !arg.is_empty() && !arg.as_encoded_bytes().starts_with(b"-");
    if !files.is_empty() && files.iter().all(is_file) {
        other_program(name, &join_pairs(args[1..].to_vec()))
    } else {
        None
    }
}

/// The name under which the program was called.
fn called_as(args: &[OsString]) -> Option<&OsStr> {
    Path::new(args.first()?).file_stem()
}

fn other_program(name: &OsStr, args: &[OsString]) -> Option<ExitCode> {
    match name.to_str()? {
        "dmtracedump" => Some(traceloom_dmtracedump::main(args.iter().cloned())),
        #[cfg(target_os = "linux")]
        "atrace" => Some(traceloom_tracefs::atrace::run(args.iter().cloned())),
        "systrace" => Some(capture::main_as_systrace(args.iter().cloned())),
        "traceview" => Some(crate::traceview::main(args.iter().cloned())),
        _ => None,
    }
}

fn with_name(name: &str, args: Vec<OsString>) -> impl Iterator<Item = OsString> {
    std::iter::once(OsString::from(name)).chain(args)
}
