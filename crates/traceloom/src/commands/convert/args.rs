//! The command line of `traceloom convert`.

use std::path::PathBuf;

use crate::input::InputArgs;
use crate::times::{TimeRange, parse_number};

/// Write a trace, or a time range of it, in another format
#[derive(clap::Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  traceloom convert app.trace -o app.html\n  traceloom convert trace.html -o piece.systrace --from 1.2s --until 1.5s"
)]
pub struct ConvertArgs {
    /// The trace to read; - is standard input
    #[arg(value_name = "IN")]
    pub(super) input: PathBuf,

    /// The file to write; - is standard output
    #[arg(short, long, value_name = "OUT")]
    pub(super) output: PathBuf,

    /// The format to write [default: by the ending of OUT]
    #[arg(long, value_name = "FORMAT")]
    pub(super) to: Option<String>,

    /// Version of the .trace records: 1, 2 or 3
    #[arg(long, value_name = "1|2|3", default_value_t = 3)]
    pub(super) trace_version: u8,

    /// Write a streaming .trace
    #[arg(long)]
    pub(super) streaming: bool,

    /// Write CPU time instead of wall time (collapsed stacks)
    #[arg(long)]
    pub(super) cpu: bool,

    /// Write ftrace text and pages from the tables, even if the lines of the input could be copied
    #[arg(long)]
    pub(super) rewrite: bool,

    /// Leave out calls deeper than this (collapsed stacks); their time counts for the last one written
    #[arg(long, value_name = "N", value_parser = parse_number::<u32>)]
    pub(super) depth: Option<u32>,

    /// Write the result even if it has more than 64 times the size of the input
    #[arg(long)]
    pub(super) all: bool,

    #[command(flatten)]
    pub(super) range: TimeRange,

    #[command(flatten)]
    pub(super) open: InputArgs,
}
