//! Time columns shared by the tables.

use traceloom_analyze::{Measure, Profile, Times};

use super::args::Sort;
use super::shown::Shown;
use crate::print::{Table, ms};

/// A clock, the headings of its columns, and how early they are dropped on a narrow terminal.
pub(super) struct Clock {
    pub measure: Measure,
    pub name: &'static str,
    pub spare: u8,
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
    let mut clocks = vec![Clock {
        measure: Measure::Cpu,
        name: if shown.has_thread_clock() {
            "CPU"
        } else {
            "Running"
        },
        spare: spare(Measure::Cpu),
    }];
    clocks.push(Clock {
        measure: Measure::Wall,
        name: "Real",
        spare: spare(Measure::Wall),
    });
    clocks.retain(|clock| shown.tree.clocks.has(clock.measure));
    clocks
}

/// A column of times in ms, and one of percentages.
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

/// A column of times in ms.
pub(super) fn times<'t>(
    table: &mut Table,
    clock: &Clock,
    head: &str,
    times: impl Iterator<Item = &'t Times>,
) {
    let cells = times.map(|t| cell(t.get(clock.measure)));
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
            let spare = if shown.args.sort == sort { 0 } else { 3 };
            let cells = times.clone().map(|t| cell(t.get(measure)));
            table.column(name, spare, cells.collect());
        }
    }
}

/// A column of the time of slices that never ended on the clock of the profile, if there is any.
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
