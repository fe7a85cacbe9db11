//! Filters and checks: `--min-change`, `--significant` and `--fail-above`.

use traceloom_analyze::{Change, Diff, DiffMetric, DiffRow, Presence, Verdict};

use super::args::{DiffArgs, MinChange};

impl MinChange {
    /// If rows are compared by calls, a time limit applies to the exclusive time, because a number of calls has no
    /// time.
    fn allows(self, row: &DiffRow, metric: DiffMetric) -> bool {
        match (self, metric) {
            (Self::Percent(least), _) => {
                let percent = row.change(metric).percent;
                percent.is_none_or(|percent| percent.abs() >= least)
            }
            (Self::Time(least), DiffMetric::Calls) => row.exclusive.delta.abs() >= least as f64,
            (Self::Time(least), _) => row.change(metric).delta.abs() >= least as f64,
        }
    }
}

fn exceeds_noise(change: &Change) -> bool {
    matches!(change.verdict, Verdict::More | Verdict::Less)
}

impl DiffArgs {
    /// The rows whose change is large enough.
    pub(super) fn changed<'a>(&self, diff: &'a Diff) -> Vec<&'a DiffRow> {
        let metric = diff.metric;
        let differs = |row: &DiffRow| {
            let changes = [&row.calls, &row.inclusive, &row.exclusive];
            let mut changes = changes.into_iter().chain(&row.unfinished);
            row.presence != Presence::Both || changes.any(|change| change.delta != 0.0)
        };
        diff.rows
            .iter()
            .filter(|row| differs(row))
            .filter(|row| {
                self.min_change
                    .iter()
                    .all(|least| least.allows(row, metric))
            })
            .filter(|row| !self.significant || exceeds_noise(row.change(metric)))
            .collect()
    }

    /// The number of values that grew by more than `--fail-above`.
    pub(super) fn failures(&self, diff: &Diff, rows: &[&DiffRow]) -> usize {
        let Some(limit) = self.fail_above else {
            return 0;
        };
        let all = match diff.metric {
            DiffMetric::Calls => diff.rows.iter().map(|row| row.calls.base).sum(),
            _ => diff.total.base,
        };
        let grew = |change: &Change| {
            let percent = change
                .percent
                .unwrap_or(change.delta * 100.0 / f64::max(all, 1.0));
            let is_noise = change.verdict == Verdict::WithinNoise;
            change.delta > 0.0 && percent > limit && !is_noise
        };
        let rows = rows.iter().filter(|row| grew(row.change(diff.metric)));
        rows.count() + usize::from(diff.metric != DiffMetric::Calls && grew(&diff.total))
    }
}
