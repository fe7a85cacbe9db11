//! The options of `traceloom diff`.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use traceloom_analyze::DiffMetric;

use crate::calls::{By, Clock, Samples, Selection};
use crate::input::InputArgs;
use crate::print::DataOutput;
use crate::times::{parse_number, parse_time};

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
/// A row that is missing from a run counts as 0 there. For samples of a profiler, shares are compared
/// (percent of all samples of a run), because recordings differ in length. Exit code 1 means that --fail-above found a growth.
#[derive(clap::Args, Debug)]
#[command(
    override_usage = "traceloom diff [OPTIONS] BASE NEW\n       traceloom diff [OPTIONS] --base FILE... --new FILE..."
)]
#[command(after_help = "\
Examples:
  traceloom diff before.trace after.trace
  traceloom diff before.trace after.trace --by class --sort inclusive --min-change 1ms
  traceloom diff before.perf.data after.perf.data --min-change 0.5pp
  traceloom diff --base a1.trace a2.trace a3.trace --new b1.trace b2.trace b3.trace
  traceloom diff main.trace pr.trace --markdown --fail-above 10 --min-change 500us > comment.md")]
#[command(mut_arg("json", |json| json.help("Print JSON: times in nanoseconds, with the numbers of every run")))]
pub struct DiffArgs {
    /// The base trace and the new trace
    #[arg(value_names = ["BASE", "NEW"], num_args = 2, required_unless_present_all = ["base", "new"])]
    pub(super) files: Vec<PathBuf>,

    /// Runs of the base side
    #[arg(long, value_name = "FILE", num_args = 1.., requires = "new", conflicts_with = "files")]
    pub(super) base: Vec<PathBuf>,

    /// Runs of the new side
    #[arg(long, value_name = "FILE", num_args = 1.., requires = "base", conflicts_with = "files")]
    pub(super) new: Vec<PathBuf>,

    /// Group rows by this; threads are matched by name
    #[arg(long, value_enum, default_value = "method")]
    pub(super) by: By,

    /// Sort and check rows by this [default: exclusive; inclusive for threads]
    #[arg(long, value_enum)]
    pub(super) sort: Option<Metric>,

    /// Clock to measure by [default: cpu for method traces that recorded it, else wall]
    #[arg(long, value_enum)]
    pub(super) clock: Option<Clock>,

    /// Only threads with this name or tid (an exact match, else every name that contains it); repeatable
    #[arg(long, value_name = "NAME|TID")]
    pub(super) thread: Vec<String>,

    /// Only processes with this name or pid (an exact match, else every name that contains it); repeatable
    #[arg(long, value_name = "NAME|PID")]
    pub(super) process: Vec<String>,

    /// Number of rows, 0 for all [default: 30; all with --csv and --json]
    #[arg(long, value_name = "N", value_parser = parse_number::<usize>)]
    pub(super) limit: Option<usize>,

    /// Leave out smaller changes than this: a part of the base (5%), a time (300us, 1ms) or, for samples,
    /// percentage points (0.5pp); if repeated, all must hold
    #[arg(long, value_name = "CHANGE")]
    pub(super) min_change: Vec<MinChange>,

    /// Only changes that exceed the noise (needs several runs per side)
    #[arg(long)]
    pub(super) significant: bool,

    /// Exit with code 1 if the total or a row grew by more than this and, if known, beyond the noise
    ///
    /// Checks the number chosen by --sort in all rows that --min-change keeps. A row that is new has
    /// no time on the base side; its growth is measured against the total of the base side.
    #[arg(long, value_name = "PERCENT", value_parser = crate::times::parse_growth)]
    pub(super) fail_above: Option<f64>,

    /// In a system trace, include slices that belong to no thread: async slices, interrupts
    #[arg(long)]
    pub(super) all_tracks: bool,

    /// Count the samples of a profiler; the default for traces without calls and slices
    #[arg(long, conflicts_with_all = ["clock", "all_tracks"])]
    pub(super) samples: bool,

    /// Count only the samples of this event, such as cycles:u (an exact match, else a name that contains it)
    #[arg(long, value_name = "NAME", conflicts_with_all = ["clock", "all_tracks"])]
    pub(super) event: Option<String>,

    #[command(flatten)]
    pub(super) data: DataOutput,

    /// Print Markdown for a pull request
    #[arg(long, conflicts_with_all = ["csv", "csv_safe", "json"])]
    pub(super) markdown: bool,

    #[command(flatten)]
    pub(super) open: InputArgs,
}

/// The sort order.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Metric {
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

/// The smallest change of interest.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum MinChange {
    /// Of the base.
    Percent(f64),
    /// ns.
    Time(i64),
    /// Percentage points: a change of a share of the samples.
    Points(f64),
}

impl FromStr for MinChange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "{text} is not a change; write a part of the base (5%), a time (300us, 1ms) or percentage points (0.5pp)"
            )
        };
        if let Some(number) = text.strip_suffix('%') {
            return number.parse().map(Self::Percent).map_err(|_| wrong());
        }
        if let Some(number) = text.strip_suffix("pp") {
            return number.parse().map(Self::Points).map_err(|_| wrong());
        }
        if text.ends_with(|c: char| c.is_ascii_digit()) {
            return Err(wrong());
        }
        parse_time(text).map(Self::Time).map_err(|_| wrong())
    }
}

impl DiffArgs {
    pub(super) fn sides(&self) -> (&[PathBuf], &[PathBuf]) {
        match self.files.as_slice() {
            [base, new] => (std::slice::from_ref(base), std::slice::from_ref(new)),
            _ => (&self.base, &self.new),
        }
    }

    pub(super) fn selection<'a>(&'a self, file: &'a Path) -> Selection<'a> {
        Selection {
            file,
            open: &self.open,
            thread: &self.thread,
            process: &self.process,
            from: None,
            to: None,
            all_tracks: self.all_tracks,
            samples: Samples::wanted(self.samples, self.event.as_deref()),
            event: self.event.as_deref(),
        }
    }

    pub(super) fn metric(&self) -> DiffMetric {
        match (self.sort, self.by) {
            (Some(metric), _) => metric.into(),
            (None, By::Thread) => DiffMetric::Inclusive,
            (None, _) => DiffMetric::Exclusive,
        }
    }

    pub(super) fn limit(&self) -> usize {
        self.data.most_rows(self.limit, USUAL_LIMIT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_as_people_write_them() {
        assert_eq!("5%".parse(), Ok(MinChange::Percent(5.0)));
        assert_eq!("300us".parse(), Ok(MinChange::Time(300_000)));
        assert_eq!("0.5pp".parse(), Ok(MinChange::Points(0.5)));
        for wrong in ["5", "", "%", "ms", "5x", "pp", "p"] {
            assert!(wrong.parse::<MinChange>().is_err(), "{wrong}");
        }
    }
}
