//! `traceloom profile`: inclusive and exclusive times of methods or slices, in the terminal.

mod columns;
mod head;
mod json;
pub(crate) mod load;
mod method;
mod rows;
mod tree;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use traceloom_analyze::{
    CallTree, CpuSource, GroupBy, Measure, OverheadReport, Profile, ProfileOptions, TreeDirection,
};

use crate::input::InputArgs;
use crate::print::stream;
use crate::times::{parse_percent, parse_time};

/// Default of `--limit`, rows.
const USUAL_LIMIT: usize = 30;

/// Show where the time went: calls, inclusive and exclusive time of each method or slice
///
/// Inclusive time is the time of a method and everything it calls; recursive calls are counted once.
/// Exclusive time leaves out the calls. `Calls+Recur` shows the outermost and the recursive calls.
/// In a system trace, the slices of all threads are profiled, and CPU time is the time that the
/// thread was running.
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

    /// Show one method with its parents and children, recursive ones apart. NAME is a name from the
    /// table or a part of it (case-sensitive only if it contains capitals)
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

    /// Sort rows by this, on the chosen clock
    #[arg(long, value_enum, default_value = "inclusive", conflicts_with_all = ["tree", "method"])]
    pub sort: Sort,

    /// Number of rows, 0 for all [default: 30; all with --csv and --json]. In a tree: children per row
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,

    /// Show a call tree: from the threads down, or from each method up to its callers
    #[arg(long, value_enum, conflicts_with = "folded")]
    pub tree: Option<Direction>,

    /// In a tree, leave out rows below this share of the total
    #[arg(long, value_name = "PERCENT", default_value = "1", requires = "tree", value_parser = parse_percent)]
    pub min_percent: f64,

    /// Number of tree levels
    #[arg(long, value_name = "N", default_value = "64", requires = "tree")]
    pub depth: u32,

    /// Group rows by this
    #[arg(long, value_enum, default_value = "method", conflicts_with = "folded")]
    pub by: By,

    /// Print CSV: times in nanoseconds, names and units in the header line
    #[arg(long, conflicts_with_all = ["json", "folded"])]
    pub csv: bool,

    /// Print JSON: times in nanoseconds
    #[arg(long, conflicts_with = "folded")]
    pub json: bool,

    /// Print collapsed stacks for flame graphs: `thread;outer;inner N`, N in nanoseconds
    #[arg(long)]
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

    #[command(flatten)]
    pub open: InputArgs,
}

/// A clock.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Clock {
    /// Time on a CPU
    Cpu,
    /// Real time
    Wall,
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
}

/// The direction of a tree.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// From the threads to what they call
    TopDown,
    /// From each method to its callers
    BottomUp,
}

/// The grouping of rows.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum By {
    /// Method, or slice name
    Method,
    /// Class
    Class,
    /// Package
    Package,
    /// Thread
    Thread,
}

/// Everything that the output needs.
struct Shown<'a> {
    args: &'a ProfileArgs,
    tree: &'a CallTree,
    profile: &'a Profile,
    overhead: Option<OverheadReport>,
}

/// Runs the command.
///
/// # Errors
/// If the file cannot be read, or lacks the requested threads, method or clock.
pub fn run(args: &ProfileArgs) -> Result<ExitCode> {
    if args.tree == Some(Direction::BottomUp) && args.by == By::Thread {
        bail!(
            "--tree bottom-up shows callers, and threads have none; use --tree top-down, or --by method"
        );
    }
    let mut tree = load::tree(&args.into())?;
    let clock = clock(args, &tree)?;
    check_sort(args, &tree)?;
    let overhead = correct(args, &mut tree)?;
    if args.folded {
        folded(&tree, clock)?;
        return Ok(ExitCode::SUCCESS);
    }
    let by = match args.by {
        By::Method => GroupBy::Method,
        By::Class => GroupBy::Class,
        By::Package => GroupBy::Package,
        By::Thread => GroupBy::Thread,
    };
    let profile = Profile::new(&tree, &ProfileOptions { by, clock });
    let shown = Shown {
        args,
        tree: &tree,
        profile: &profile,
        overhead,
    };
    match (&args.method, args.tree) {
        (Some(query), _) => method::show(&shown, query)?,
        (None, Some(direction)) => tree::show(&shown, direction.into())?,
        (None, None) => rows::show(&shown)?,
    }
    Ok(ExitCode::SUCCESS)
}

impl From<Direction> for TreeDirection {
    fn from(direction: Direction) -> Self {
        match direction {
            Direction::TopDown => Self::TopDown,
            Direction::BottomUp => Self::BottomUp,
        }
    }
}

fn clock(args: &ProfileArgs, tree: &CallTree) -> Result<Measure> {
    let measure = match args.clock {
        Some(Clock::Cpu) => Measure::Cpu,
        Some(Clock::Wall) => Measure::Wall,
        None => ProfileOptions::of(tree).clock,
    };
    if !tree.clocks.has(measure) {
        match measure {
            Measure::Cpu => bail!("--clock cpu: {} has no CPU times", args.file.display()),
            _ => bail!(
                "--clock wall: only CPU times were recorded in {}",
                args.file.display()
            ),
        }
    }
    Ok(measure)
}

fn check_sort(args: &ProfileArgs, tree: &CallTree) -> Result<()> {
    if matches!(args.sort, Sort::Runnable | Sort::Blocked) && !tree.clocks.states {
        bail!(
            "--sort runnable and blocked need scheduler events, and {} has none",
            args.file.display()
        );
    }
    Ok(())
}

fn correct(args: &ProfileArgs, tree: &mut CallTree) -> Result<Option<OverheadReport>> {
    if !args.correct_overhead {
        return Ok(None);
    }
    match tree.correct_overhead() {
        Some(report) => Ok(Some(report)),
        None if !tree.has_methods() => bail!(
            "--correct-overhead: {} is no method trace; only those say what reading their clocks cost",
            args.file.display()
        ),
        None => bail!(
            "--correct-overhead: {} does not say what reading its clocks cost: clock-call-overhead-nsec \
             is missing, or there are several traces in the file, each with its own; unpack it and name one",
            args.file.display()
        ),
    }
}

fn folded(tree: &CallTree, clock: Measure) -> Result<()> {
    stream(|out| {
        tree.folded(clock, |path, ns| writeln!(out, "{path} {ns}"))?;
        Ok(())
    })
}

impl Shown<'_> {
    /// The maximum number of rows.
    fn limit(&self) -> usize {
        let whole = self.args.csv || self.args.json;
        match self.args.limit {
            Some(0) => usize::MAX,
            Some(limit) => limit,
            None if whole => usize::MAX,
            None => USUAL_LIMIT,
        }
    }

    fn has_methods(&self) -> bool {
        self.tree.has_methods()
    }

    /// Whether CPU times come from thread clocks instead of scheduling events.
    fn has_thread_clock(&self) -> bool {
        self.tree.clocks.cpu != CpuSource::Scheduler
    }
}
