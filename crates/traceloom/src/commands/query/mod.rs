//! `traceloom query`: answers questions in SQL.

mod args;
mod each;
mod input;
mod modules;
mod rows;
mod table;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use traceloom_formats::ReadError;
use traceloom_query::{Limits, Output};
use traceloom_trace::{Trace, TraceBuilder};

use crate::align::read_traces;
use crate::input::InputArgs;
use crate::output::write_file;
use crate::print::{csv_for_spreadsheets, terminal_width};
use args::Format;
use input::{Question, question};
use modules::open_session;
use rows::{Csv, Json, JsonLines};
use table::TableRows;

pub use args::QueryArgs;

/// Runs the command.
///
/// # Errors
/// If a file cannot be read, the SQL is wrong or breaks a limit, or the result cannot be written.
pub fn run(args: &QueryArgs) -> Result<ExitCode> {
    csv_for_spreadsheets(args.csv_safe);
    let question = question(args)?;
    let limits = Limits {
        timeout: args.timeout,
        memory: Some(args.memory_limit),
    };
    if args.each {
        return each::run(args, &question, limits);
    }
    let Question { files, name, sql } = question;
    let trace = read_files(&files, args, &args.open)?;
    let mut session = open_session(trace, limits, &args.sql_modules)?;
    write_file(&args.output, |out| {
        answer(args, out, |output| {
            session.run(&name, &sql, &args.param, output)?;
            Ok(())
        })
    })?;
    // The kernel frees the memory faster than a walk over all tables would.
    std::mem::forget(session);
    Ok(ExitCode::SUCCESS)
}

/// Reads files into one trace. A single empty file is a trace without rows, so that a script over many files does not
/// stop at it.
fn read_files(files: &[PathBuf], args: &QueryArgs, open: &InputArgs) -> Result<Trace> {
    match read_traces(files, &args.align, open) {
        Err(error) if files.len() == 1 && is_empty(&error) => {
            eprintln!("traceloom: {}: the file is empty", files[0].display());
            Ok(TraceBuilder::new().finish())
        }
        read => read,
    }
}

/// Whether the error says that a file is empty.
fn is_empty(error: &anyhow::Error) -> bool {
    let mut causes = error.chain();
    causes.any(|cause| matches!(cause.downcast_ref(), Some(ReadError::Empty)))
}

/// Prints the result of `run` as the options want it.
fn answer(
    args: &QueryArgs,
    out: &mut dyn Write,
    run: impl FnOnce(&mut dyn Output) -> Result<()>,
) -> Result<()> {
    match args.printed() {
        Format::Table => {
            let is_screen = args.output.as_os_str() == "-";
            let width = terminal_width().filter(|_| is_screen);
            let mut table = TableRows::new(out, width);
            run(&mut table)?;
            table.finish()
        }
        Format::Csv => run(&mut Csv { out }),
        Format::Jsonl => run(&mut JsonLines::new(out)),
        Format::Json => {
            let mut json = Json::new(out);
            run(&mut json)?;
            json.finish()
        }
    }
}
