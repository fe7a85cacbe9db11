//! The command line: which subcommands there are, and what the program answers as.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use crate::commands::{callgraph, convert, diff, info, profile};
use crate::input::join_pairs;
use crate::print::plain;

/// Records, opens, measures and shares Android and Linux traces.
///
/// Opens every .trace of Traceview and ART, and every systrace, atrace and ftrace text.
#[derive(Parser, Debug)]
#[command(
    name = "traceloom",
    version,
    propagate_version = true,
    max_term_width = 100
)]
#[command(
    after_help = "Example:\n  traceloom profile app.trace\n\nCalled as dmtracedump or traceview it takes their options."
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
    Convert(convert::ConvertArgs),
    /// dmtracedump, byte for byte: profile, HTML, dump, diff and graph of method traces
    #[command(
        disable_help_flag = true,
        after_help = "Example:\n  traceloom dmtracedump -h app.trace > app.html"
    )]
    Dmtracedump(Rest),
    /// Traceview's regression mode: thread, call and method tables of a method trace
    #[command(
        disable_help_flag = true,
        after_help = "Example:\n  traceloom traceview -r app.trace"
    )]
    Traceview(Rest),
}

/// Arguments handed on as they are to a program with its own rules.
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

/// Runs the program. Exit codes: 0 fine, 1 a check failed, 2 an error.
pub fn main(args: impl Iterator<Item = OsString>) -> ExitCode {
    let args: Vec<OsString> = args.collect();
    if let Some(code) = run_as_other_program(&args) {
        return code;
    }
    let command = match Cli::try_parse_from(join_pairs(args)) {
        Ok(cli) => cli.command,
        Err(error) => {
            // A closed pipe is all that can go wrong while printing help.
            let _closed = error.print();
            return if error.use_stderr() {
                ExitCode::from(2)
            } else {
                ExitCode::SUCCESS
            };
        }
    };
    match run(command) {
        Ok(code) => code,
        Err(error) => {
            report(&error);
            ExitCode::from(2)
        }
    }
}

fn run(command: Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Info(args) => info::run(&args),
        Command::Convert(args) => convert::run(&args),
        Command::Profile(args) => profile::run(&args),
        Command::Callgraph(args) => callgraph::run(&args),
        Command::Diff(args) => diff::run(&args),
        Command::Dmtracedump(rest) => Ok(crate::dmtracedump::main(with_name(
            "dmtracedump",
            rest.args,
        ))),
        Command::Traceview(rest) => Ok(crate::traceview::main(with_name("traceview", rest.args))),
    }
}

/// One clear sentence, and what to do next.
pub(crate) fn report(error: &anyhow::Error) {
    let message = format!("{error:#}");
    let lines: Vec<_> = message.lines().map(plain).collect();
    eprintln!("traceloom: {}", lines.join("\n  "));
    if let Some(hint) = crate::hints::for_error(error) {
        eprintln!("  {hint}");
    }
}

/// Called through a link named after a program that traceloom replaces, it is that program.
fn run_as_other_program(args: &[OsString]) -> Option<ExitCode> {
    let name = Path::new(args.first()?).file_stem()?;
    match name.to_str()? {
        "dmtracedump" => Some(crate::dmtracedump::main(args.iter().cloned())),
        "traceview" => Some(crate::traceview::main(args.iter().cloned())),
        _ => None,
    }
}

fn with_name(name: &str, args: Vec<OsString>) -> impl Iterator<Item = OsString> {
    std::iter::once(OsString::from(name)).chain(args)
}
