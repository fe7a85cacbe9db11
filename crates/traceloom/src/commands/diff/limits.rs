//! Filters and checks: `--min-change`, `--significant` and `--fail-above`.

use anyhow::{Result, bail};
use traceloom_analyze::{Change, Diff, DiffMetric, DiffRow, DiffUnit, Presence, Verdict};

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
            (Self::Points(least), _) => row.change(metric).delta.abs() >= least,
        }
    }
}

fn exceeds_noise(change: &Change) -> bool {
    matches!(change.verdict, Verdict::More | Verdict::Less)
}

impl DiffArgs {
    /// Checks that the options fit what is compared.
    pub(super) fn check(&self, diff: &Diff) -> Result<()> {
        let limits = |wanted: fn(&MinChange) -> bool| self.min_change.iter().any(wanted);
        let samples = diff.unit == DiffUnit::PercentOfSamples;
        if samples && limits(|limit| matches!(limit, MinChange::Time(_))) {
            bail!("--min-change: samples have no times; write percentage points (0.5pp)");
        }
        if samples && diff.metric == DiffMetric::Calls {
            bail!("--sort calls: samples have no calls");
        }
        if !samples && limits(|limit| matches!(limit, MinChange::Points(_))) {
            bail!("--min-change needs a time here (300us, 1ms); percentage points are for samples");
        }
        Ok(())
    }

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
        let all = match (diff.unit, diff.metric) {
            (DiffUnit::PercentOfSamples, _) => 100.0,
            (_, DiffMetric::Calls) => diff.rows.iter().map(|row| row.calls.base).sum(),
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
        // The number of samples depends on the length of the recording.
        let is_total_checked = diff.unit == DiffUnit::Ns && diff.metric != DiffMetric::Calls;
        rows.count() + usize::from(is_total_checked && grew(&diff.total))
    }
}
