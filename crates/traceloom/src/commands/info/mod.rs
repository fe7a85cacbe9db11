//! `traceloom info`: the format and contents of a trace.

mod facts;
mod text;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;

use crate::input::{InputArgs, leave, once_a_pair, read_trace};
use crate::output::print;
use facts::Facts;

/// Show what a trace is: format, device, clocks, processes, threads, counts, repairs
#[derive(clap::Args, Debug)]
#[command(after_help = "Example:\n  traceloom info app.trace")]
pub struct InfoArgs {
    /// The traces; - is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Print JSON: one object for one file, an array for several
    #[arg(long)]
    json: bool,

    /// List every thread and process, not only the busiest
    #[arg(long)]
    all: bool,

    #[command(flatten)]
    open: InputArgs,
}

/// Runs the command. If one file cannot be read, the others are still shown and the exit code is 2.
///
/// # Errors
/// If standard output cannot be written.
pub fn run(args: &InfoArgs) -> Result<ExitCode> {
    let mut shown = Vec::new();
    let mut code = ExitCode::SUCCESS;
    let files = once_a_pair(&args.files);
    let last = files.len();
    for (nth, path) in (1..).zip(files) {
        match read_trace(path, &args.open) {
            Ok(trace) => {
                shown.push(Facts::of(path, &trace));
                if nth == last {
                    leave(trace);
                }
            }
            Err(error) => {
                crate::failure::report(&error);
                code = ExitCode::from(2);
            }
        }
    }
    print(|out| {
        if args.json {
            write_json(out, &shown)
        } else {
            text::write(out, &shown, args.all)
        }
    })?;
    Ok(code)
}

fn write_json(out: &mut dyn std::io::Write, shown: &[Facts]) -> Result<()> {
    match shown {
        [] => return Ok(()),
        [one] => serde_json::to_writer_pretty(&mut *out, one)?,
        several => serde_json::to_writer_pretty(&mut *out, several)?,
    }
    writeln!(out)?;
    Ok(())
}
