//! Which changes count: `--min-change`, `--significant` and `--fail-above`.

use std::str::FromStr;

use traceloom_analyze::{Change, Diff, DiffMetric, DiffRow, Presence, Verdict};

use super::DiffArgs;
use crate::times::parse_time;

/// The smallest change of interest.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum MinChange {
    Percent(f64),
    Time(i64),
}

impl FromStr for MinChange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text} is no change; write a share (5%) or a time (300us, 1ms)");
        if let Some(number) = text.strip_suffix('%') {
            return number.parse().map(Self::Percent).map_err(|_| wrong());
        }
        if text.ends_with(|c: char| c.is_ascii_digit()) {
            return Err(wrong());
        }
        parse_time(text).map(Self::Time).map_err(|_| wrong())
    }
}

impl MinChange {
    /// Calls have no time; a limit in time looks at the exclusive time then.
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
    /// The rows that changed enough.
    pub(super) fn changed<'a>(&self, diff: &'a Diff) -> Vec<&'a DiffRow> {
        let metric = diff.metric;
        let differs = |row: &DiffRow| {
            let changes = [&row.calls, &row.inclusive, &row.exclusive];
            row.presence != Presence::Both || changes.iter().any(|change| change.delta != 0.0)
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

    /// How many numbers grew by more than `--fail-above`.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_as_people_write_them() {
        assert_eq!("5%".parse(), Ok(MinChange::Percent(5.0)));
        assert_eq!("300us".parse(), Ok(MinChange::Time(300_000)));
        for wrong in ["5", "", "%", "ms", "5x"] {
            assert!(wrong.parse::<MinChange>().is_err(), "{wrong}");
        }
    }
}
