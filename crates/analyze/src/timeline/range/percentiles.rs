//! Medians and 95th percentiles by name.

use super::count::{Count, Source};
use crate::parallel;
use crate::percentile;
use crate::timeline::stats::Sums;

impl Count<'_> {
    /// Median and 95th percentile of the slices of each of these names that ended. Each part sorts
    /// its lengths by name, into the space reserved by its counts.
    pub(super) fn percentiles(
        &self,
        source: &Source<'_>,
        by_part: &[Sums],
        names: &[u32],
        cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Vec<[i64; 2]> {
        let mut place = vec![u32::MAX; self.timeline.names.len()];
        for (at, &name) in names.iter().enumerate() {
            place[name as usize] = at as u32;
        }
        let new = |part: usize| {
            let mut next = Vec::with_capacity(names.len());
            let mut all = 0;
            for &name in names {
                next.push(all);
                all += by_part[part].names[name as usize].ended();
            }
            (vec![0i64; all], next)
        };
        let collect = |(lengths, next): &mut (Vec<i64>, Vec<usize>), row, part| {
            if self.unfinished.place(row).is_some() {
                return;
            }
            let place = place.get(self.name(row).row());
            if let Some(next) = place.and_then(|place| next.get_mut(*place as usize))
                && let Some(length) = lengths.get_mut(*next)
            {
                *length = part;
                *next += 1;
            }
        };
        let lengths = self.each(source, &new, collect, cancelled);
        // After the last length of a name is stored, its position in a part is the start of the next name.
        let of_name = |at: usize| {
            let mut all = Vec::new();
            for (part, (lengths, next)) in lengths.iter().enumerate() {
                let count = by_part[part].names[names[at] as usize].ended();
                let end = next[at];
                all.extend_from_slice(&lengths[end.saturating_sub(count)..end]);
            }
            nearest_ranks(&mut all)
        };
        let all = lengths.iter().map(|(lengths, _)| lengths.len()).sum();
        parallel::map_indices(names.len(), all, &of_name)
    }
}

/// The median and the 95th percentile.
pub(super) fn nearest_ranks(lengths: &mut [i64]) -> [i64; 2] {
    if lengths.is_empty() {
        return [0; 2];
    }
    let ranks = [50, 95].map(|percent| percentile::rank(lengths.len(), percent));
    nth(lengths, ranks)
}

/// The lengths at two places in sorted order, the smaller place first.
fn nth(lengths: &mut [i64], [low, high]: [usize; 2]) -> [i64; 2] {
    let (below, &mut at_high, _) = lengths.select_nth_unstable(high);
    if low < below.len() {
        [*below.select_nth_unstable(low).1, at_high]
    } else {
        [at_high, at_high]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_by_nearest_rank() {
        assert_eq!(nearest_ranks(&mut [7]), [7, 7]);
        assert_eq!(nearest_ranks(&mut [3, 1, 2]), [2, 3]);
        let mut hundred: Vec<i64> = (1..=100).rev().collect();
        assert_eq!(nearest_ranks(&mut hundred), [50, 95]);
    }
}
