//! The options of `traceloom profile`.

use std::path::PathBuf;

use traceloom_analyze::TreeDirection;

use crate::calls::{By, Clock, Samples, Selection};
use crate::input::InputArgs;
use crate::print::DataOutput;
use crate::times::{parse_number, parse_percent, parse_time};

/// Show where the time went: calls, inclusive and exclusive time of each method or slice
///
/// Inclusive time is the time of a method and everything it calls; recursive calls are counted once.
/// Exclusive time leaves out the calls. `Calls+Recur` shows the outermost and the recursive calls.
/// In a system trace, the slices of all threads are profiled, and CPU time is the time that the
/// thread was running. In a trace of a sampling profiler, the numbers are samples.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  traceloom profile app.trace
  traceloom profile app.trace --method onBindViewHolder
  traceloom profile app.trace --thread main --tree top-down --min-percent 5
  traceloom profile systrace.html --process com.example.app --sort runnable
  traceloom profile app.trace --folded > app.folded")]
pub struct ProfileArgs {
    /// The trace; - is standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// Show one method with its parents and children, recursive ones separately. NAME is a name
    /// from the table or a part of it (case-sensitive only if it contains capitals)
    #[arg(long, value_name = "NAME", conflicts_with_all = ["tree", "folded"])]
    pub method: Option<String>,

    /// Only threads with this name or tid (an exact match, else every name that contains it); repeatable
    #[arg(long, value_name = "NAME|TID")]
    pub thread: Vec<String>,

    /// Only processes with this name or pid (an exact match, else every name that contains it); repeatable
    #[arg(long, value_name = "NAME|PID")]
    pub process: Vec<String>,

    /// Start this long after the first event (1.5s, 200ms, 300us, 40ns; a bare number is seconds)
    ///
    /// A call that started earlier counts with the part after this time. Its CPU time is divided in
    /// proportion to the wall time between the events before and after the cut.
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub from: Option<i64>,

    /// Stop this long after the first event
    #[arg(long, visible_alias = "until", value_name = "TIME", value_parser = parse_time)]
    pub to: Option<i64>,

    /// Clock to rank rows by [default: cpu for method traces that recorded it, else wall]
    #[arg(long, value_enum)]
    pub clock: Option<Clock>,

    /// Sort rows by this, on the chosen clock [default: inclusive; exclusive for samples]
    #[arg(long, value_enum, conflicts_with_all = ["tree", "method"])]
    pub sort: Option<Sort>,

    /// Number of rows, 0 for all [default: 30; all with --csv and --json]. In a tree: children per row
    #[arg(long, value_name = "N", value_parser = parse_number::<usize>)]
    pub limit: Option<usize>,

    /// Show a call tree: from the threads down, or from each method up to its callers
    #[arg(long, value_enum, conflicts_with = "folded")]
    pub tree: Option<Direction>,

    /// In a tree, leave out rows below this share of the total
    #[arg(long, value_name = "PERCENT", default_value = "1", requires = "tree", value_parser = parse_percent)]
    pub min_percent: f64,

    /// Number of tree levels
    #[arg(long, value_name = "N", default_value = "64", requires = "tree", value_parser = parse_number::<u32>)]
    pub depth: u32,

    /// Group rows by this
    #[arg(long, value_enum, default_value = "method", conflicts_with = "folded")]
    pub by: By,

    /// Print the result even if it has more than 64 times the size of the input
    #[arg(long)]
    pub all: bool,

    #[command(flatten)]
    pub data: DataOutput,

    /// Print collapsed stacks for flame graphs: `thread;outer;inner N`, N in nanoseconds or samples
    #[arg(long, conflicts_with_all = ["csv", "csv_safe", "json"])]
    pub folded: bool,

    /// Subtract the cost of reading the clocks while recording
    ///
    /// A method trace records the cost of one clock reading (clock-call-overhead-nsec). Each call
    /// makes two: one counts towards the method's own exclusive time, one towards its caller's. No
    /// time becomes negative.
    #[arg(long)]
    pub correct_overhead: bool,

    /// In a system trace, include slices that belong to no thread: async slices, interrupts
    #[arg(long)]
    pub all_tracks: bool,

    /// Count the samples of a profiler; the default for a trace without calls and slices
    #[arg(long, conflicts_with_all = ["clock", "all_tracks", "correct_overhead"])]
    pub samples: bool,

    /// Count only the samples of this event, such as cycles:u (an exact match, else a name that contains it)
    #[arg(long, value_name = "NAME", conflicts_with_all = ["clock", "all_tracks", "correct_overhead"])]
    pub event: Option<String>,

    #[command(flatten)]
    pub open: InputArgs,
}

/// Sort order: names ascending, everything else descending.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sort {
    /// Time including callees
    Inclusive,
    /// Time excluding callees
    Exclusive,
    /// Number of calls, including recursive ones
    Calls,
    /// Inclusive time per call
    PerCall,
    /// Name
    Name,
    /// Time waiting for a CPU (system traces)
    Runnable,
    /// Time sleeping and in uninterruptible sleep (system traces)
    Blocked,
    /// Time of slices that never ended (system traces)
    Unfinished,
}

/// The direction of a tree.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// From the threads to what they call
    TopDown,
    /// From each method to its callers
    BottomUp,
}

impl From<Direction> for TreeDirection {
    fn from(direction: Direction) -> Self {
        match direction {
            Direction::TopDown => Self::TopDown,
            Direction::BottomUp => Self::BottomUp,
        }
    }
}

impl<'a> From<&'a ProfileArgs> for Selection<'a> {
    fn from(args: &'a ProfileArgs) -> Self {
        Self {
            file: &args.file,
            open: &args.open,
            thread: &args.thread,
            process: &args.process,
            from: args.from,
            to: args.to,
            all_tracks: args.all_tracks,
            event: args.event.as_deref(),
            samples: Samples::wanted(args.samples, args.event.as_deref()),
        }
    }
}
