//! The options of `traceloom threads`.

use std::path::PathBuf;

use crate::input::InputArgs;
use crate::print::DataOutput;
use crate::times::{TimeRange, parse_number};

/// Show how long each thread ran and waited, what it waited for, and who woke it
///
/// Running is time on a CPU. Runnable is time in which the thread was ready but had no CPU.
/// Sleeping is interruptible sleep, blocked is uninterruptible sleep: disks and locks of the
/// kernel. The latency of a wake-up is the time from the wake-up until the thread got a CPU. With
/// --thread or --process, the command also lists who woke each thread, where it was blocked, and
/// its CPUs. Works with every format that has scheduling events (category sched).
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  traceloom threads systrace.html
  traceloom threads systrace.html --process com.example.app
  traceloom threads trace.dat --thread RenderThread --from 1.2s --until 1.5s
  traceloom threads systrace.html --sort worst --limit 5")]
#[command(mut_arg("until", |until| until.visible_alias("to")))]
#[command(mut_arg("csv", |csv| csv.help("Print CSV: one line per thread; times in nanoseconds")))]
pub struct ThreadsArgs {
    /// The trace; - is standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// Only processes with this name or pid (an exact match, else every name that contains it); repeatable
    #[arg(long, value_name = "NAME|PID")]
    pub process: Vec<String>,

    /// Only threads with this name or tid (an exact match, else every name that contains it); repeatable
    #[arg(long, value_name = "NAME|TID")]
    pub thread: Vec<String>,

    #[command(flatten)]
    pub range: TimeRange,

    /// Sort threads by this, longest first
    #[arg(long, value_enum, default_value = "running")]
    pub sort: Sort,

    /// Number of threads, 0 for all [default: 30; all with --csv and --json]
    #[arg(long, value_name = "N", value_parser = parse_number::<usize>)]
    pub limit: Option<usize>,

    #[command(flatten)]
    pub data: DataOutput,

    #[command(flatten)]
    pub open: InputArgs,
}

/// Sort order: names ascending, everything else descending.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sort {
    /// Time on a CPU
    Running,
    /// Time waiting for a CPU
    Runnable,
    /// Time in interruptible sleep
    Sleeping,
    /// Time in uninterruptible sleep
    Blocked,
    /// 99th percentile of the wake-up latency
    Latency,
    /// Longest wake-up latency
    Worst,
    /// Name
    Name,
}

impl ThreadsArgs {
    /// The number of threads to show.
    pub(super) fn shown(&self) -> usize {
        const USUAL: usize = 30;
        self.data.most_rows(self.limit, USUAL)
    }

    /// Whether to describe each thread in detail.
    pub(super) fn chosen(&self) -> bool {
        !self.thread.is_empty() || !self.process.is_empty()
    }
}
