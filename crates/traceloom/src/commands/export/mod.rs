//! `traceloom export`: writes the tables of a trace for other tools.

mod args;
mod target;

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};
use traceloom_query::{ExportError, Limits, Session, exported_tables, write_arrow, write_sqlite};

use crate::output::{write_by_name, write_file};
use crate::print::{most_bytes, tables_too_long, within_or};
use crate::read::read_files;
use target::Target;

pub use args::ExportArgs;

/// Runs the command.
///
/// # Errors
/// If a file cannot be read, the kind of output is unknown, or the output cannot be written.
pub fn run(args: &ExportArgs) -> Result<ExitCode> {
    let target = Target::of(&args.output, &args.table)?;
    let trace = read_files(&args.inputs, &args.align, &args.open)?;
    let most = most_bytes(trace.sources.bytes.iter().sum(), args.all);
    let mut session = Session::open(trace, Limits::default())?;
    match target {
        Target::Sqlite => sqlite(&mut session, &args.output, most)?,
        Target::Arrow(table) => arrow(&mut session, table, &args.output, most)?,
        Target::Folder(mut tables) => {
            if tables.is_empty() {
                tables = exported_tables(&mut session)?;
            }
            folder(&mut session, &tables, &args.output, most)?;
        }
    }
    // The kernel frees the memory faster than a walk over all tables would.
    std::mem::forget(session);
    Ok(ExitCode::SUCCESS)
}

fn sqlite(session: &mut Session, path: &Path, most: u64) -> Result<()> {
    write_by_name(path, |name| match write_sqlite(session, name, most) {
        Err(ExportError::TooLong) => Err(tables_too_long(most)),
        written => Ok(written?),
    })
}

fn arrow(session: &mut Session, table: &str, path: &Path, most: u64) -> Result<()> {
    write_file(path, |out| {
        let write = |out: &mut dyn std::io::Write| Ok(write_arrow(session, table, out)?);
        within_or(most, out, write, || tables_too_long(most))
    })
}

/// Writes a file for each table into a folder, which is created if it does not exist.
fn folder(session: &mut Session, tables: &[&str], path: &Path, most: u64) -> Result<()> {
    if !path.is_dir() {
        let created = std::fs::create_dir(path);
        created.with_context(|| format!("cannot create the folder {}", path.display()))?;
    }
    for table in tables {
        let file = path.join(format!("{table}.arrow"));
        arrow(session, table, &file, most)?;
    }
    Ok(())
}
