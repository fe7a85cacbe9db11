//! The options of `traceloom events`.

use std::path::PathBuf;

use crate::input::InputArgs;
use crate::print::DataOutput;
use crate::times::{TimeRange, parse_number};

/// List the events that no other command shows, such as the function tracer's, with their fields
///
/// Events that became slices, counters, instants or thread states are not listed: profile, frames,
/// threads and view show those. Without options, the command prints how many events of each name
/// there are. Events are listed if any are selected, or with --limit, --csv or --json.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  traceloom events trace.dat
  traceloom events trace.dat --name 'ext4_*' --from 1.2s --until 1.3s
  traceloom events trace.dat --thread kworker --cpu 0 --limit 0
  traceloom events trace.dat --name mm_page_alloc --csv > allocations.csv")]
#[command(mut_arg("until", |until| until.visible_alias("to")))]
#[command(mut_arg("csv", |csv| csv.help("Print CSV: one line per event, a column per field; times in nanoseconds")))]
pub struct EventsArgs {
    /// The trace; - is standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// Only events with this name; * stands for any characters, ? for one; otherwise an exact match,
    /// else every name that contains it; repeatable
    #[arg(long, value_name = "NAME")]
    pub name: Vec<String>,

    /// Only threads with this name or tid (an exact match, else every name that contains it); repeatable
    #[arg(long, value_name = "NAME|TID")]
    pub thread: Vec<String>,

    /// Only processes with this name or pid (an exact match, else every name that contains it); repeatable
    #[arg(long, value_name = "NAME|PID")]
    pub process: Vec<String>,

    /// Only events on this CPU; repeatable
    #[arg(long, value_name = "N", value_parser = parse_number::<u32>)]
    pub cpu: Vec<u32>,

    #[command(flatten)]
    pub range: TimeRange,

    /// Number of events, 0 for all [default: 100; all with --csv and --json]
    #[arg(long, value_name = "N", value_parser = parse_number::<usize>)]
    pub limit: Option<usize>,

    #[command(flatten)]
    pub data: DataOutput,

    #[command(flatten)]
    pub open: InputArgs,
}

impl EventsArgs {
    /// The number of events to list.
    pub(super) fn shown(&self) -> usize {
        const USUAL: usize = 100;
        self.data.most_rows(self.limit, USUAL)
    }

    /// Whether to count the events of each name instead of listing them.
    pub(super) fn counts(&self) -> bool {
        let chosen = !self.name.is_empty()
            || !self.thread.is_empty()
            || !self.process.is_empty()
            || !self.cpu.is_empty()
            || self.range.from.is_some()
            || self.range.until.is_some();
        !chosen && self.limit.is_none() && !self.data.is_chosen()
    }
}
