//! Compares two sets of runs row by row: what got slower, faster, appeared or disappeared.

mod noise;

use std::borrow::Borrow;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use traceloom_trace::sort;

pub use noise::Verdict;

use crate::profile::{GroupBy, Profile, ProfileRow};
use crate::tree::{Function, Measure, Times};
use noise::{Judge, median};

/// The number to compare.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DiffMetric {
    /// Exclusive time: shows the cause of a change.
    Exclusive,
    /// Inclusive time: shows the effect of a change.
    Inclusive,
    /// Calls, recursive ones included.
    Calls,
}

/// The unit of the numbers in rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DiffUnit {
    /// Times, ns.
    Ns,
    /// Shares of the samples of their run, in percent. Recordings differ in length, so numbers of samples would differ
    /// even if the program did not change.
    PercentOfSamples,
}

/// One number on both sides, in the unit of its [`Diff`].
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Change {
    /// The median of the base runs; a run without the row counts as 0.
    pub base: f64,
    /// The median of the new runs.
    pub new: f64,
    /// `new - base`.
    pub delta: f64,
    /// `delta` in percent of `base`; `None` if `base` is 0 and `new` is not.
    pub percent: Option<f64>,
    /// Whether the change exceeds the noise.
    pub verdict: Verdict,
    /// The exact p of the rank test; `None` if a side has one run.
    pub p: Option<f64>,
    /// The variation within a side: a robust standard deviation. `None` if a side has one run.
    pub sigma: Option<f64>,
    /// The value of each base run.
    pub base_runs: Vec<f64>,
    /// The value of each new run.
    pub new_runs: Vec<f64>,
}

/// The sides that have a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Presence {
    /// On both sides, in at least one run of each.
    Both,
    /// In new runs only.
    New,
    /// In base runs only.
    Gone,
}

/// A method (or class, package, thread) on both sides.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct DiffRow {
    /// Its name. Threads are matched by name, without their tid.
    #[serde(flatten)]
    pub function: Function,
    /// The sides that have it.
    pub presence: Presence,
    /// Calls, recursive ones included. Samples have none.
    pub calls: Change,
    /// Time or samples with callees.
    pub inclusive: Change,
    /// Time or samples without callees.
    pub exclusive: Change,
    /// Time of slices that never ended; `None` if every slice of all runs ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unfinished: Option<Change>,
}

impl DiffRow {
    /// The change of one number.
    pub fn change(&self, metric: DiffMetric) -> &Change {
        match metric {
            DiffMetric::Exclusive => &self.exclusive,
            DiffMetric::Inclusive => &self.inclusive,
            DiffMetric::Calls => &self.calls,
        }
    }
}

/// The comparison of two sides.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Diff {
    /// What each row groups.
    pub by: GroupBy,
    /// The number that orders the rows.
    pub metric: DiffMetric,
    /// The unit of the inclusive and exclusive numbers of rows.
    pub unit: DiffUnit,
    /// The number of base runs.
    pub base_runs: usize,
    /// The number of new runs.
    pub new_runs: usize,
    /// The sum of all threads: a time, or a number of samples.
    pub total: Change,
    /// The sum of the unfinished time of all threads, which is not in the total; `None` if every slice of all runs
    /// ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unfinished: Option<Change>,
    /// The rows, the largest absolute change of the metric first; ties are ordered by name.
    pub rows: Vec<DiffRow>,
}

/// The numbers of a row in each run, base runs first: the calls of all runs, then their inclusive,
/// exclusive and unfinished times.
type Numbers = Vec<f64>;

/// How many numbers each run has.
const KINDS: usize = 4;

impl Diff {
    /// Compares profiles with the same grouping on one clock. Each side needs at least one. Profiles of samples can be
    /// compared only with each other.
    ///
    /// The [`Verdict`] of each number needs at least two runs on each side. A change exceeds the noise if the exact
    /// Mann–Whitney test gives p ≤ 0.05 (or the smallest p that so few runs allow), and if the medians differ by more
    /// than three robust standard deviations of the runs around the median of their own side. Each row is judged on
    /// its own.
    pub fn new<P: Borrow<Profile>>(
        base: &[P],
        new: &[P],
        clock: Measure,
        metric: DiffMetric,
    ) -> Self {
        let by = base
            .first()
            .map_or(GroupBy::Method, |profile| profile.borrow().by);
        let runs: Vec<&Profile> = base.iter().chain(new).map(P::borrow).collect();
        let mut judge = Judge::default();
        let mut rows: Vec<DiffRow> = Vec::new();
        let has_unfinished = runs.iter().any(|profile| profile.unfinished.is_some());
        let unit = unit(&runs);
        for (function, numbers) in collect(&runs, clock, unit) {
            let mut row = row(&mut judge, function, &numbers, base.len(), unit);
            if has_unfinished {
                row.unfinished = Some(change(&mut judge, runs_of(&numbers, 3, base.len())));
            }
            rows.push(row);
        }
        sort::by(&mut rows, |a, b| {
            let impact = |row: &DiffRow| row.change(metric).delta.abs();
            let by_impact = impact(b).total_cmp(&impact(a));
            by_impact.then_with(|| a.function.cmp(&b.function))
        });
        let totals = runs.iter().map(|profile| time(&profile.total, clock));
        let totals: Vec<f64> = totals.collect();
        let unfinished = runs.iter().map(|run| open_time(&run.unfinished, clock));
        let unfinished: Vec<f64> = unfinished.collect();
        Self {
            by,
            metric,
            unit,
            base_runs: base.len(),
            new_runs: new.len(),
            total: change(&mut judge, totals.split_at(base.len())),
            unfinished: has_unfinished.then(|| change(&mut judge, unfinished.split_at(base.len()))),
            rows,
        }
    }

    /// Whether noise can be estimated: it takes at least two runs on each side.
    pub fn has_noise(&self) -> bool {
        self.base_runs > 1 && self.new_runs > 1
    }
}

fn unit(runs: &[&Profile]) -> DiffUnit {
    if !runs.is_empty() && runs.iter().all(|run| run.total.samples.is_some()) {
        DiffUnit::PercentOfSamples
    } else {
        DiffUnit::Ns
    }
}

fn time(times: &Times, clock: Measure) -> f64 {
    times.get(clock).unwrap_or(0) as f64
}

fn open_time(times: &Option<Times>, clock: Measure) -> f64 {
    times.as_ref().map_or(0.0, |times| time(times, clock))
}

/// The key that matches rows. Tids differ between runs and are left out.
fn key(function: &Function, by: GroupBy) -> Function {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let numbered = function
        .name
        .strip_suffix(')')
        .and_then(|name| name.rsplit_once('('))
        .and_then(|(name, number)| Some((name.strip_suffix(' ')?, number)));
    match (by, numbered) {
        (GroupBy::Thread, Some((name, number))) if digits(number) => Function::named(name),
        _ => function.clone(),
    }
}

fn collect(runs: &[&Profile], clock: Measure, unit: DiffUnit) -> FxHashMap<Function, Numbers> {
    let mut found: FxHashMap<Function, Numbers> = FxHashMap::default();
    for (run, profile) in runs.iter().enumerate() {
        let whole = time(&profile.total, clock);
        let number = |times: &Times| match unit {
            DiffUnit::Ns => time(times, clock),
            DiffUnit::PercentOfSamples if whole > 0.0 => time(times, clock) * 100.0 / whole,
            DiffUnit::PercentOfSamples => 0.0,
        };
        // A thread may have no samples of the chosen event.
        let is_counted = |row: &&ProfileRow| unit == DiffUnit::Ns || number(&row.inclusive) > 0.0;
        for row in profile.rows.iter().filter(is_counted) {
            let entry = found.entry(key(&row.function, profile.by));
            let numbers = entry.or_insert_with(|| vec![0.0; KINDS * runs.len()]);
            numbers[run] += row.all_calls() as f64;
            numbers[runs.len() + run] += number(&row.inclusive);
            numbers[2 * runs.len() + run] += number(&row.exclusive);
            numbers[3 * runs.len() + run] += open_time(&row.unfinished, clock);
        }
    }
    found
}

/// Splits one kind of numbers into those of the base runs and those of the new runs.
fn runs_of(numbers: &Numbers, kind: usize, base: usize) -> (&[f64], &[f64]) {
    let runs = numbers.len() / KINDS;
    numbers[kind * runs..][..runs].split_at(base)
}

fn row(
    judge: &mut Judge,
    function: Function,
    numbers: &Numbers,
    base: usize,
    unit: DiffUnit,
) -> DiffRow {
    let of = |kind: usize| runs_of(numbers, kind, base);
    let any = |side: &[f64]| side.iter().any(|&number| number > 0.0);
    let (base_has, new_has) = match unit {
        DiffUnit::Ns => of(0),
        DiffUnit::PercentOfSamples => of(1),
    };
    let presence = match (any(base_has), any(new_has)) {
        (false, _) => Presence::New,
        (_, false) => Presence::Gone,
        _ => Presence::Both,
    };
    DiffRow {
        function,
        presence,
        calls: change(judge, of(0)),
        inclusive: change(judge, of(1)),
        exclusive: change(judge, of(2)),
        unfinished: None,
    }
}

fn change(judge: &mut Judge, (base_runs, new_runs): (&[f64], &[f64])) -> Change {
    let (base, new) = (median(base_runs), median(new_runs));
    let judged = judge.compare(base_runs, new_runs);
    let delta = new - base;
    Change {
        base,
        new,
        delta,
        percent: match (base == 0.0, delta == 0.0) {
            (_, true) => Some(0.0),
            (true, _) => None,
            _ => Some(delta * 100.0 / base),
        },
        verdict: judged.verdict,
        p: judged.p,
        sigma: judged.sigma,
        base_runs: base_runs.to_vec(),
        new_runs: new_runs.to_vec(),
    }
}
