//! `traceloom profile`: Traceview's profile panel in the terminal, for method traces and for the
//! slices of system traces.

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

/// Rows of a table that nobody asked for more of.
const USUAL_LIMIT: usize = 30;

/// Show where the time went: calls, inclusive and exclusive time of each method or slice
///
/// Inclusive time is that of a method with all it calls (calls within calls of itself count once);
/// exclusive time is without what it calls. `Calls+Recur` counts calls while the method was not
/// open, and those while it was. For system traces the slices of all threads take the place of
/// methods, and CPU time is the time that the scheduler let the thread run.
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

    /// Show one method: its parents and children, also while recursive. The name as the table shows
    /// it, or a part of it (case matters only if you type capitals)
    #[arg(long, value_name = "NAME", conflicts_with_all = ["tree", "folded"])]
    pub method: Option<String>,

    /// Only threads of this name or tid (exact, else all whose name contains it); repeatable
    #[arg(long, value_name = "NAME|TID")]
    pub thread: Vec<String>,

    /// Only threads of processes of this name or pid (exact, else all whose name contains it)
    #[arg(long, value_name = "NAME|PID")]
    pub process: Vec<String>,

    /// Only from this time on, after the first event (1.5s, 200ms, 300us, 40ns; a bare number is seconds)
    ///
    /// Calls that began before are counted with the part behind this time; their CPU time is
    /// divided in proportion between the events around it.
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub from: Option<i64>,

    /// Only up to this time after the first event
    #[arg(long, visible_alias = "until", value_name = "TIME", value_parser = parse_time)]
    pub to: Option<i64>,

    /// The clock that rows are ranked by [default: cpu for method traces that recorded it, else wall]
    #[arg(long, value_enum)]
    pub clock: Option<Clock>,

    /// What rows are sorted by, on the clock chosen
    #[arg(long, value_enum, default_value = "inclusive", conflicts_with_all = ["tree", "method"])]
    pub sort: Sort,

    /// Rows to show, 0 for all [default: 30; all with --csv and --json]. In a tree: rows below one row
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,

    /// Show the tree of calls: from the threads down, or from each method up to its callers
    #[arg(long, value_enum, conflicts_with = "folded")]
    pub tree: Option<Direction>,

    /// In a tree, leave out what has less than this share of the total
    #[arg(long, value_name = "PERCENT", default_value = "1", requires = "tree", value_parser = parse_percent)]
    pub min_percent: f64,

    /// Levels of a tree to show
    #[arg(long, value_name = "N", default_value = "64", requires = "tree")]
    pub depth: u32,

    /// What a row stands for
    #[arg(long, value_enum, default_value = "method", conflicts_with = "folded")]
    pub by: By,

    /// Print CSV: times in nanoseconds, a header line with names and units
    #[arg(long, conflicts_with_all = ["json", "folded"])]
    pub csv: bool,

    /// Print JSON: times in nanoseconds
    #[arg(long, conflicts_with = "folded")]
    pub json: bool,

    /// Print collapsed stacks for flame graphs: `thread;outer;inner N`, N in nanoseconds
    #[arg(long)]
    pub folded: bool,

    /// Take out what reading the clocks cost while recording
    ///
    /// A method trace says what one reading costs (clock-call-overhead-nsec). A call makes two: one
    /// falls into the method's own exclusive time, one into its caller's. No time gets below zero.
    #[arg(long)]
    pub correct_overhead: bool,

    /// Of a system trace, take slices of no thread too: async slices, interrupts
    #[arg(long)]
    pub all_tracks: bool,

    #[command(flatten)]
    pub open: InputArgs,
}

/// Which clock.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Clock {
    /// Time on a CPU
    Cpu,
    /// Real time
    Wall,
}

/// What rows are sorted by. Names go up, everything else down.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sort {
    /// Time with callees
    Inclusive,
    /// Time without callees
    Exclusive,
    /// Number of calls, recursive ones included
    Calls,
    /// Inclusive time a call
    PerCall,
    /// Name
    Name,
    /// Time runnable without a CPU (system traces)
    Runnable,
    /// Time sleeping and in uninterruptible sleep (system traces)
    Blocked,
}

/// Which way a tree grows.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// Threads, what they call, what that calls
    TopDown,
    /// Methods, who called them, who called those
    BottomUp,
}

/// What a row stands for.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum By {
    /// A method, or a slice's name
    Method,
    /// A class
    Class,
    /// A package
    Package,
    /// A thread
    Thread,
}

/// All that output is made from.
struct Shown<'a> {
    args: &'a ProfileArgs,
    tree: &'a CallTree,
    profile: &'a Profile,
    overhead: Option<OverheadReport>,
}

/// Runs the command.
///
/// # Errors
/// If the file cannot be read, or what was asked for is not in it.
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
    /// Rows to show at most.
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

    /// Whether CPU times were read from the threads' clocks, not from the scheduler.
    fn has_thread_clock(&self) -> bool {
        self.tree.clocks.cpu != CpuSource::Scheduler
    }
}
