//! Numbers as people read them: times in ms, shares of samples in percent.

use traceloom_analyze::{DiffMetric, DiffUnit, Measure};

use super::shown::Shown;
use crate::print::{mean_ms, signed_ms};

impl Shown<'_> {
    /// Whether samples are compared instead of times.
    pub(super) fn counts_samples(&self) -> bool {
        self.diff.unit == DiffUnit::PercentOfSamples
    }

    /// A number of a row.
    pub(super) fn number(&self, number: f64) -> String {
        match self.diff.unit {
            DiffUnit::Ns => mean_ms(number),
            DiffUnit::PercentOfSamples => format!("{number:.2}"),
        }
    }

    /// The change of a number of a row.
    pub(super) fn signed(&self, change: f64) -> String {
        match self.diff.unit {
            DiffUnit::Ns => signed_ms(change),
            DiffUnit::PercentOfSamples => format!("{change:+.2}"),
        }
    }

    /// The word for the numbers of rows.
    pub(super) fn metric_words(&self) -> &'static str {
        match (self.diff.metric, self.counts_samples()) {
            (DiffMetric::Exclusive, false) => "exclusive time",
            (DiffMetric::Inclusive, false) => "inclusive time",
            (DiffMetric::Exclusive, true) => "exclusive samples",
            (DiffMetric::Inclusive, true) => "inclusive samples",
            (DiffMetric::Calls, _) => "calls",
        }
    }

    /// The total on both sides, and its change.
    pub(super) fn total(&self, arrow: &str) -> String {
        let total = &self.diff.total;
        if self.counts_samples() {
            return format!("{} {arrow} {} ({:+}", total.base, total.new, total.delta);
        }
        let (base, new, delta) = (
            mean_ms(total.base),
            mean_ms(total.new),
            signed_ms(total.delta),
        );
        format!("{base} {arrow} {new} ms ({delta} ms")
    }

    /// The clock, or `None` for samples.
    pub(super) fn clock_name(&self) -> Option<&'static str> {
        match self.clock {
            _ if self.counts_samples() => None,
            Measure::Cpu => Some("CPU"),
            _ => Some("wall"),
        }
    }
}
