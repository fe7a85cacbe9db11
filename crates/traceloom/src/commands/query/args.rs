//! The options of `traceloom query`.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, bail};
use clap::ValueEnum;
use traceloom_query::Value;

use super::pattern::PathPattern;
use crate::align::AlignArgs;
use crate::input::{InputArgs, parse_bytes};

/// Ask any question in SQL
///
/// The engine is SQLite, with the tables and columns of PerfettoSQL (slice, thread, sched, counter,
/// args …); docs/sql.md lists them. Several files are one trace, except with --each. The result of the
/// last statement that returns rows is printed. Without SQL, a terminal shows a prompt, and a pipe is read as the SQL.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  traceloom query app.trace
  traceloom query app.trace \"SELECT name, count(*), sum(dur) FROM slice GROUP BY name\"
  traceloom query systrace.html --file slow.sql --param limit=16000000 --format csv -o slow.csv
  traceloom query a.ftrace b.trace - < question.sql
  traceloom query runs/*/*.trace --each --pattern '{release}/*' --file slow.sql --format csv")]
pub struct QueryArgs {
    /// The traces, then the SQL; - as the SQL is standard input
    #[arg(required = true, value_name = "FILE|SQL")]
    pub inputs: Vec<PathBuf>,

    /// Read the SQL from a file; all other arguments are traces
    #[arg(short, long, value_name = "FILE")]
    pub file: Option<PathBuf>,

    /// How to print the result
    #[arg(long, value_enum, default_value = "table")]
    pub format: Format,

    /// Like --format csv, but safe to open in a spreadsheet: a ' is put before fields that start with =, +, - or @, which a spreadsheet would run as formulas
    #[arg(long, conflicts_with = "format")]
    pub csv_safe: bool,

    /// The file to write; - is standard output
    #[arg(short, long, value_name = "OUT", default_value = "-")]
    pub output: PathBuf,

    /// Give the parameter :NAME of the SQL a value: a number, or else text; repeatable
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_param)]
    pub param: Vec<(String, Value)>,

    /// Add modules from the .sql files of a folder: DIR/a/b.sql is the module a.b; repeatable
    #[arg(long, value_name = "DIR")]
    pub sql_modules: Vec<PathBuf>,

    /// Stop the query after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub timeout: Option<Duration>,

    /// Stop the query if it needs more memory than this, in addition to the trace (K, M or G)
    #[arg(long, value_name = "BYTES", default_value = "4G", value_parser = parse_bytes)]
    pub memory_limit: u64,

    /// Run the query on each file separately. The output has the rows of one file after the other, with the columns path, app and device in front
    #[arg(long, conflicts_with = "align", help_heading = "Many files")]
    pub each: bool,

    /// Add columns with parts of each path, for example '{release}/{device}/*.trace'
    #[arg(long, requires = "each", value_parser = PathPattern::parse, help_heading = "Many files")]
    pub pattern: Option<PathPattern>,

    /// Exit with 1 if any file has no answer
    #[arg(long, requires = "each", help_heading = "Many files")]
    pub strict: bool,

    /// At the prompt, keep no history of the statements
    #[arg(long)]
    pub no_history: bool,

    #[command(flatten)]
    pub align: AlignArgs,

    #[command(flatten)]
    pub open: InputArgs,
}

/// How a result is printed.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Columns for people; control characters are made visible
    Table,
    /// A line per row, after the names of the columns (RFC 4180)
    Csv,
    /// One object: {"columns": […], "rows": [[…], …]}
    Json,
    /// An object per row and line
    Jsonl,
    /// A file of Apache Arrow (IPC), with types
    Arrow,
}

impl QueryArgs {
    /// Refuses bytes on a terminal, which would show them as text.
    ///
    /// # Errors
    /// If an Arrow file would be written to a terminal.
    pub(super) fn check(&self) -> Result<()> {
        let is_stdout = self.output.as_os_str() == "-";
        if self.format == Format::Arrow && is_stdout && std::io::stdout().is_terminal() {
            bail!("an Arrow file is not text; name the file to write with -o");
        }
        Ok(())
    }

    /// How to print the result.
    pub(super) fn printed(&self) -> Format {
        if self.csv_safe {
            Format::Csv
        } else {
            self.format
        }
    }
}

/// Reads `name=value`. What looks like a number is one.
fn parse_param(text: &str) -> Result<(String, Value), String> {
    let Some((name, value)) = text.split_once('=') else {
        return Err(format!("{text} has no =; write for example utid=5"));
    };
    let real = || value.parse().ok().filter(|real: &f64| real.is_finite());
    let value = match value.parse() {
        Ok(integer) => Value::Integer(integer),
        Err(_) => real().map_or_else(|| Value::Text(value.to_owned()), Value::Real),
    };
    let name = name.trim_start_matches([':', '@', '$']);
    Ok((name.to_owned(), value))
}

pub(super) fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds: Option<f64> = text.strip_suffix('s').unwrap_or(text).parse().ok();
    let limit = seconds.filter(|seconds| *seconds > 0.0);
    limit
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or_else(|| format!("{text} is not a number of seconds; write for example 30 or 0.5"))
}
