//! `traceloom query`: answers questions in SQL.

mod args;
mod input;
mod rows;
mod table;

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use traceloom_formats::ReadError;
use traceloom_query::{Limits, Output, QueryError, Session};
use traceloom_trace::TraceBuilder;

use crate::align::read_traces;
use crate::output::write_file;
use crate::print::{csv_for_spreadsheets, terminal_width};
use args::Format;
use input::{Question, question};
use rows::{Csv, Json, JsonLines};
use table::TableRows;

pub use args::QueryArgs;

/// Runs the command.
///
/// # Errors
/// If a file cannot be read, the SQL is wrong or breaks a limit, or the result cannot be written.
pub fn run(args: &QueryArgs) -> Result<ExitCode> {
    csv_for_spreadsheets(args.csv_safe);
    let Question { files, name, sql } = question(args)?;
    let trace = match read_traces(&files, &args.align, &args.open) {
        Err(error) if files.len() == 1 && is_empty(&error) => {
            eprintln!("traceloom: {}: the file is empty", files[0].display());
            TraceBuilder::new().finish()
        }
        read => read?,
    };
    let limits = Limits {
        timeout: args.timeout,
        memory: Some(args.memory_limit),
    };
    let mut session = Session::open(trace, limits)?;
    write_file(&args.output, |out| {
        answer(args, out, |output| {
            session.run(&name, &sql, &args.param, output)
        })
    })?;
    // The kernel frees the memory faster than a walk over all tables would.
    std::mem::forget(session);
    Ok(ExitCode::SUCCESS)
}

/// Whether the only trace is an empty file. Questions about many files should not fail because of one of them.
fn is_empty(error: &anyhow::Error) -> bool {
    let mut causes = error.chain();
    causes.any(|cause| matches!(cause.downcast_ref(), Some(ReadError::Empty)))
}

/// Prints the result of `run` as the options want it.
fn answer(
    args: &QueryArgs,
    out: &mut dyn Write,
    run: impl FnOnce(&mut dyn Output) -> Result<bool, QueryError>,
) -> Result<()> {
    match args.printed() {
        Format::Table => {
            let is_screen = args.output.as_os_str() == "-";
            let width = terminal_width().filter(|_| is_screen);
            let mut table = TableRows::new(out, width);
            run(&mut table)?;
            table.finish()
        }
        Format::Csv => run(&mut Csv { out }).map(drop).map_err(Into::into),
        Format::Jsonl => run(&mut JsonLines::new(out)).map(drop).map_err(Into::into),
        Format::Json => {
            let mut json = Json::new(out);
            run(&mut json)?;
            json.finish()
        }
    }
}
