//! Time columns shared by the tables.

use traceloom_analyze::{CpuSource, Measure, Profile, Times};

use super::args::Sort;
use super::shown::Shown;
use crate::print::{Table, ms, thousands};

/// A clock, the headings of its columns, and how early they are dropped on a narrow terminal.
pub(super) struct Clock {
    pub measure: Measure,
    pub name: &'static str,
    pub spare: u8,
    /// Whether it counts samples instead of time.
    pub counts_samples: bool,
}

impl Clock {
    /// A time in ms, or a number of samples.
    pub fn number(&self, number: i64) -> String {
        if self.counts_samples {
            thousands(number.max(0) as u64)
        } else {
            ms(number)
        }
    }
}

/// The clocks of a profile, CPU first as in Traceview.
pub(super) fn clocks(shown: &Shown<'_>) -> Vec<Clock> {
    let spare = |measure| {
        if measure == shown.profile.clock() {
            0
        } else {
            2
        }
    };
    let clock = |measure, name| Clock {
        measure,
        name,
        spare: spare(measure),
        counts_samples: shown.counts_samples(),
    };
    let cpu = match shown.tree.clocks.cpu {
        CpuSource::Scheduler => "Running",
        CpuSource::Samples => "Samples",
        _ => "CPU",
    };
    let mut clocks = vec![clock(Measure::Cpu, cpu), clock(Measure::Wall, "Real")];
    clocks.retain(|clock| shown.tree.clocks.has(clock.measure));
    clocks
}

/// A column of times in ms (or of samples), and one of percentages.
pub(super) fn timed<'t>(
    table: &mut Table,
    clock: &Clock,
    head: &str,
    times: impl Iterator<Item = &'t Times> + Clone,
    share: impl Fn(&Times) -> f64,
) {
    self::times(table, clock, head, times.clone());
    let shares = times.map(|t| format!("{:.1}", share(t)));
    table.column("%", clock.spare, shares.collect());
}

/// A column of times in ms, or of samples.
pub(super) fn times<'t>(
    table: &mut Table,
    clock: &Clock,
    head: &str,
    times: impl Iterator<Item = &'t Times>,
) {
    let cell = |number| clock.number(number);
    let cells = times.map(|t| t.get(clock.measure).map(cell).unwrap_or_default());
    table.column(
        &format!("{head} {}", clock.name),
        clock.spare,
        cells.collect(),
    );
}

/// Columns for thread states, if the trace has any.
pub(super) fn states<'t>(
    table: &mut Table,
    shown: &Shown<'_>,
    times: impl Iterator<Item = &'t Times> + Clone,
) {
    let names = [
        (Measure::Runnable, "Runnable", Sort::Runnable),
        (Measure::Sleeping, "Sleeping", Sort::Blocked),
        (Measure::Uninterruptible, "Uninterr.", Sort::Blocked),
    ];
    for (measure, name, sort) in names {
        if shown.tree.clocks.has(measure) {
            // The sort column stays even on the narrowest terminal.
            let spare = if shown.sort() == sort { 0 } else { 3 };
            let cells = times.clone().map(|t| cell(t.get(measure)));
            table.column(name, spare, cells.collect());
        }
    }
}

/// Adds a column for the time of slices that never ended, by the clock of the profile. Does nothing
/// if every slice ended.
pub(super) fn unfinished<'t>(
    table: &mut Table,
    shown: &Shown<'_>,
    times: impl Iterator<Item = &'t Option<Times>>,
) {
    if shown.profile.unfinished.is_some() {
        let clock = shown.profile.clock();
        let cells = times.map(|times| cell(times.as_ref().and_then(|times| times.get(clock))));
        table.column("Unfinished", 1, cells.collect());
    }
}

/// A time as a percentage of the total.
pub(super) fn of_total(profile: &Profile, measure: Measure) -> impl Fn(&Times) -> f64 + '_ {
    move |times| profile.percent(times, measure)
}

fn cell(time: Option<i64>) -> String {
    time.map(ms).unwrap_or_default()
}
