//! Prints a result in the format that the options ask for.

use std::io::Write;

use anyhow::Result;
use traceloom_query::{ArrowRows, Output};

use super::args::{Format, QueryArgs};
use super::rows::{Csv, Json, JsonLines};
use super::table::TableRows;
use crate::print::terminal_width;

/// Prints the result that `run` produces.
///
/// # Errors
/// The error of `run`, and if `out` cannot be written.
pub(super) fn print(
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
        Format::Arrow => {
            let mut rows = ArrowRows::new(args.memory_limit);
            run(&mut rows)?;
            Ok(rows.finish(out)?)
        }
    }
}
