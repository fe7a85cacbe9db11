//! The command line of `traceloom export`.

use std::path::PathBuf;

use crate::align::AlignArgs;
use crate::input::InputArgs;

/// Write all tables to an SQLite file, or to Arrow files
///
/// The tables, columns and rows are the same as in traceloom query; docs/sql.md lists them. Several files are one trace.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  traceloom export trace.html -o trace.sqlite
  traceloom export app.trace -o slices.arrow --table slice
  traceloom export app.trace -o tables/")]
pub struct ExportArgs {
    /// The traces to read
    #[arg(required = true, value_name = "FILE")]
    pub inputs: Vec<PathBuf>,

    /// What to write
    ///
    /// x.sqlite (or .sqlite3, .db): an SQLite file with all tables. x.arrow: the table that --table names. Any other
    /// name: a folder with an Arrow file for each table.
    #[arg(short, long, value_name = "OUT")]
    pub output: PathBuf,

    /// Write only this table, as an Arrow file; repeatable for a folder
    #[arg(long, value_name = "NAME")]
    pub table: Vec<String>,

    /// Write files that have more than 64 times the size of the input
    #[arg(long)]
    pub all: bool,

    #[command(flatten)]
    pub align: AlignArgs,

    #[command(flatten)]
    pub open: InputArgs,
}
