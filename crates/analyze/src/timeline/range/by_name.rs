//! The statistics of each name in a range.

use traceloom_trace::{SliceId, Trace};

use super::cached;
use super::count::{Count, RangeScope};
use super::one_name;
use super::sums::{merged, ranked};
use crate::timeline::durations::DurationCache;
use crate::timeline::index::Timeline;
use crate::timeline::names::NameId;
use crate::timeline::stats::NameStats;
use crate::timeline::totals::Totals;

impl Timeline {
    /// How often each name occurs in the whole trace, tracks without a thread included; counted at the first call.
    pub fn totals(&self, trace: &Trace) -> &Totals {
        self.totals.get_or_init(|| {
            let scope = RangeScope {
                all_tracks: true,
                ..RangeScope::default()
            };
            let found = self.by_name(trace, &scope, usize::MAX, &|| false);
            Totals::new(found.unwrap_or_default().0, self.names.len())
        })
    }

    /// Caches the sorted durations of each name, which makes ranges over most of the trace fast. Takes 8 bytes
    /// per slice.
    pub fn cache_durations(&self, trace: &Trace) {
        self.durations
            .get_or_init(|| cached::durations(trace, self));
    }

    /// The cached durations, if they hold for a scope.
    fn cached_durations(&self, scope: &RangeScope<'_>) -> Option<&DurationCache> {
        self.durations
            .get()
            .filter(|_| scope.tracks.is_none() && !scope.all_tracks)
    }

    /// The slices of a scope by name, the longest inclusive time first, and how many names are beyond `limit`.
    /// Percentiles are computed for the first `limit` names only. `None` if `cancelled`.
    pub fn by_name(
        &self,
        trace: &Trace,
        scope: &RangeScope<'_>,
        limit: usize,
        cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Option<(Vec<NameStats>, usize)> {
        let count = Count::new(trace, self, scope);
        if let Some(cached) = self.cached_durations(scope)
            && let Some(found) = cached.by_name(&count, limit)
        {
            return Some(found);
        }
        let source = count.source();
        let by_part = count.sums(&source, cancelled);
        let sums = count.settled(merged(&by_part));
        let (order, hidden) = ranked(&sums, limit);
        let percentiles = count.percentiles(&source, &by_part, &order, cancelled);
        if cancelled() {
            return None;
        }
        let mut stats = Vec::with_capacity(order.len());
        for (name, percentiles) in order.into_iter().zip(percentiles) {
            stats.push(sums[name as usize].stats(NameId(name), percentiles));
        }
        Some((stats, hidden))
    }

    /// The statistics of one name from all its slices that a scope has. `None` if there are none, or if
    /// `cancelled`.
    pub fn stats_of(
        &self,
        trace: &Trace,
        scope: &RangeScope<'_>,
        slices: (NameId, &[SliceId]),
        cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Option<NameStats> {
        one_name::of_name(&Count::new(trace, self, scope), slices, cancelled)
    }
}
