//! `traceloom diff`: compares traces, or several runs of two versions.

mod csv;
mod json;
mod limits;
mod markdown;
mod table;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, bail};
use traceloom_analyze::{
    CallTree, Diff, DiffMetric, DiffRow, GroupBy, Measure, Profile, ProfileOptions,
};

use crate::calls::{Clock, Selection, choose_clock, read_calls};
use crate::commands::profile::By;
use crate::input::InputArgs;
use crate::output::print;
use crate::print::plain;
use limits::MinChange;

/// Default of `--limit`, rows.
const USUAL_LIMIT: usize = 30;

/// Compare two traces, or several runs of two versions: calls and times, largest change first
///
/// With several runs on each side (--base, --new), the medians are compared and each change is
/// checked against the noise: `*` marks a change that exceeds it, `~` one that does not. A change
/// exceeds the noise if both hold: (1) the exact two-sided Mann-Whitney test gives p <= 0.05 or, with
/// too few runs for that, the two sides do not overlap; (2) the medians differ by more than 3 robust
/// standard deviations (1.4826 x the median distance of the runs from the median of their side).
/// Every row is tested separately, so among many rows some exceed the noise by chance, and two or
/// three runs per side are weak evidence (p is at best 0.33 or 0.1). With a single run on a side the
/// noise is unknown.
///
/// A row that is missing from a run counts as 0 there. Exit code 1 means that --fail-above found a growth.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  traceloom diff before.trace after.trace
  traceloom diff before.trace after.trace --by class --sort inclusive --min-change 1ms
  traceloom diff --base a1.trace a2.trace a3.trace --new b1.trace b2.trace b3.trace
  traceloom diff main.trace pr.trace --markdown --fail-above 10 --min-change 500us > comment.md")]
pub struct DiffArgs {
    /// The base trace and the new trace
    #[arg(value_name = "FILE", num_args = 2, required_unless_present_all = ["base", "new"])]
    files: Vec<PathBuf>,

    /// Runs of the base side
    #[arg(long, value_name = "FILE", num_args = 1.., requires = "new", conflicts_with = "files")]
    base: Vec<PathBuf>,

    /// Runs of the new side
    #[arg(long, value_name = "FILE", num_args = 1.., requires = "base", conflicts_with = "files")]
    new: Vec<PathBuf>,

    /// Group rows by this; threads are matched by name
    #[arg(long, value_enum, default_value = "method")]
    by: By,

    /// Sort and check rows by this [default: exclusive; inclusive for threads]
    #[arg(long, value_enum)]
    sort: Option<Metric>,

    /// Clock to measure by [default: cpu for method traces that recorded it, else wall]
    #[arg(long, value_enum)]
    clock: Option<Clock>,

    /// Only threads with this name or tid (an exact match, else every name that contains it); repeatable
    #[arg(long, value_name = "NAME|TID")]
    thread: Vec<String>,

    /// Only processes with this name or pid (an exact match, else every name that contains it); repeatable
    #[arg(long, value_name = "NAME|PID")]
    process: Vec<String>,

    /// Number of rows, 0 for all [default: 30; all with --csv and --json]
    #[arg(long, value_name = "N")]
    limit: Option<usize>,

    /// Leave out changes smaller than this share (5%) or time (300us, 1ms); if repeated, all must hold
    #[arg(long, value_name = "CHANGE")]
    min_change: Vec<MinChange>,

    /// Only changes that exceed the noise (needs several runs per side)
    #[arg(long)]
    significant: bool,

    /// Exit with code 1 if the total or a row grew by more than this and, if known, beyond the noise
    ///
    /// Checks the number chosen by --sort in all rows that --min-change keeps. A row that is new has
    /// no time on the base side; its growth is measured against the total of the base side.
    #[arg(long, value_name = "PERCENT", value_parser = crate::times::parse_growth)]
    fail_above: Option<f64>,

    /// Print CSV: times in nanoseconds, names and units in the header line
    #[arg(long, conflicts_with_all = ["json", "markdown"])]
    csv: bool,

    /// Print JSON: times in nanoseconds, with the numbers of every run
    #[arg(long, conflicts_with = "markdown")]
    json: bool,

    /// Print Markdown for a pull request
    #[arg(long)]
    markdown: bool,

    #[command(flatten)]
    open: InputArgs,
}

/// The sort order.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Metric {
    /// Time excluding callees: where a change comes from
    Exclusive,
    /// Time including callees: what a change affects
    Inclusive,
    /// Number of calls, including recursive ones
    Calls,
}

impl From<Metric> for DiffMetric {
    fn from(metric: Metric) -> Self {
        match metric {
            Metric::Exclusive => Self::Exclusive,
            Metric::Inclusive => Self::Inclusive,
            Metric::Calls => Self::Calls,
        }
    }
}

/// Everything that the output needs.
struct Shown<'a> {
    args: &'a DiffArgs,
    diff: &'a Diff,
    clock: Measure,
    /// The rows to print.
    rows: Vec<&'a DiffRow>,
    /// Rows that changed but exceed the limit.
    more: usize,
}

/// Runs the command.
///
/// # Errors
/// If a trace cannot be read, or lacks the requested threads or clock.
pub fn run(args: &DiffArgs) -> Result<ExitCode> {
    let (diff, clock) = compare(args)?;
    if args.significant && !diff.knows_noise() {
        bail!("--significant needs two runs or more on each side (--base a1 a2 --new b1 b2)");
    }
    let changed = args.changed(&diff);
    let failures = args.failures(&diff, &changed);
    let limit = args.limit();
    let more = changed.len().saturating_sub(limit);
    let rows = changed.into_iter().take(limit).collect();
    let shown = Shown {
        args,
        diff: &diff,
        clock,
        rows,
        more,
    };
    print(|out| match (args.csv, args.json, args.markdown) {
        (true, _, _) => csv::write(out, &shown),
        (_, true, _) => json::write(out, &shown),
        (_, _, true) => markdown::write(out, &shown),
        _ => table::write(out, &shown),
    })?;
    Ok(match failures {
        0 => ExitCode::SUCCESS,
        count => {
            eprintln!("traceloom: --fail-above: {count} numbers grew too much");
            ExitCode::from(1)
        }
    })
}

fn compare(args: &DiffArgs) -> Result<(Diff, Measure)> {
    let (base, new) = args.sides();
    let read = |side: &[PathBuf]| -> Result<Vec<CallTree>> {
        side.iter()
            .map(|file| read_calls(&args.selection(file)))
            .collect()
    };
    let (base, new) = (read(base)?, read(new)?);
    let all: Vec<&CallTree> = base.iter().chain(&new).collect();
    warn_of_two_kinds(args, &all);
    let clock = choose_clock(args.clock, &all)?;
    let options = ProfileOptions {
        by: args.by.into(),
        clock,
    };
    let profiles = |side: &[CallTree]| -> Vec<Profile> {
        side.iter()
            .map(|tree| Profile::new(tree, &options))
            .collect()
    };
    let diff = Diff::new(&profiles(&base), &profiles(&new), clock, args.metric());
    Ok((diff, clock))
}

/// Methods and slices have no names in common.
fn warn_of_two_kinds(args: &DiffArgs, trees: &[&CallTree]) {
    let (base, new) = args.sides();
    let files: Vec<&PathBuf> = base.iter().chain(new).collect();
    let find = |methods| trees.iter().position(|tree| tree.has_methods() == methods);
    if let (Some(methods), Some(slices)) = (find(true), find(false)) {
        let [methods, slices] = [methods, slices].map(|at| files[at].display().to_string());
        eprintln!(
            "traceloom: {} has calls of methods, {} slices of a system trace: their names hardly match",
            plain(&methods),
            plain(&slices)
        );
    }
}

impl DiffArgs {
    fn sides(&self) -> (&[PathBuf], &[PathBuf]) {
        match self.files.as_slice() {
            [base, new] => (std::slice::from_ref(base), std::slice::from_ref(new)),
            _ => (&self.base, &self.new),
        }
    }

    fn selection<'a>(&'a self, file: &'a Path) -> Selection<'a> {
        Selection {
            file,
            open: &self.open,
            thread: &self.thread,
            process: &self.process,
            from: None,
            to: None,
            all_tracks: false,
        }
    }

    fn metric(&self) -> DiffMetric {
        match (self.sort, self.by) {
            (Some(metric), _) => metric.into(),
            (None, By::Thread) => DiffMetric::Inclusive,
            (None, _) => DiffMetric::Exclusive,
        }
    }

    fn limit(&self) -> usize {
        match self.limit {
            Some(0) => usize::MAX,
            Some(limit) => limit,
            None if self.csv || self.json => usize::MAX,
            None => USUAL_LIMIT,
        }
    }
}

impl From<By> for GroupBy {
    fn from(by: By) -> Self {
        match by {
            By::Method => Self::Method,
            By::Class => Self::Class,
            By::Package => Self::Package,
            By::Thread => Self::Thread,
        }
    }
}
