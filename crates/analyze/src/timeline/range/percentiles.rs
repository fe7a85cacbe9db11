//! Medians and 95th percentiles by name.

use super::{Count, Source, Sum};
use crate::timeline::parts::in_turn;

impl Count<'_> {
    /// Median and 95th percentile of each of these names. Each part puts its lengths in order of
    /// names, where there is room for as many as it has counted.
    pub(super) fn percentiles(
        &self,
        source: &Source<'_>,
        by_part: &[Vec<Sum>],
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
                all += by_part[part][name as usize].count as usize;
            }
            (vec![0i64; all], next)
        };
        let collect = |(lengths, next): &mut (Vec<i64>, Vec<usize>), row, part| {
            let place = place.get(self.name(row).row());
            if let Some(next) = place.and_then(|place| next.get_mut(*place as usize))
                && let Some(length) = lengths.get_mut(*next)
            {
                *length = part;
                *next += 1;
            }
        };
        let lengths = self.each(source, &new, collect, cancelled);
        // Behind its last length, each name's place in a part is where the next name's begins.
        let of_name = |at: usize| {
            let mut all = Vec::new();
            for (part, (lengths, next)) in lengths.iter().enumerate() {
                let count = by_part[part][names[at] as usize].count as usize;
                let end = next[at];
                all.extend_from_slice(&lengths[end.saturating_sub(count)..end]);
            }
            nearest_ranks(&mut all)
        };
        let all = lengths.iter().map(|(lengths, _)| lengths.len()).sum();
        in_turn(names.len(), all, &of_name)
    }
}

/// The median and the 95th percentile.
pub(super) fn nearest_ranks(lengths: &mut [i64]) -> [i64; 2] {
    if lengths.is_empty() {
        return [0; 2];
    }
    nth(
        lengths,
        [50, 95].map(|share| place_of(lengths.len(), share)),
    )
}

/// The place of the length that a share of them, in percent, does not exceed.
pub(super) fn place_of(lengths: usize, share: usize) -> usize {
    (lengths * share).div_ceil(100).max(1) - 1
}

/// What stands at two places, the smaller first, once all is in order.
#[cfg(not(target_family = "wasm"))]
fn nth(lengths: &mut [i64], [low, high]: [usize; 2]) -> [i64; 2] {
    let (below, &mut at_high, _) = lengths.select_nth_unstable(high);
    if low < below.len() {
        [*below.select_nth_unstable(low).1, at_high]
    } else {
        [at_high, at_high]
    }
}

#[cfg(target_family = "wasm")]
fn nth(lengths: &mut [i64], places: [usize; 2]) -> [i64; 2] {
    places.map(|place| nth_by_digits(lengths, place))
}

/// The same in little code: digit by digit from the highest, by how many lengths have each.
#[cfg(any(target_family = "wasm", test))]
fn nth_by_digits(lengths: &[i64], mut place: usize) -> i64 {
    // Orders like the length, without a sign.
    let key = |length: i64| length as u64 ^ 1 << 63;
    let first = key(lengths[0]);
    let differs = lengths
        .iter()
        .fold(0, |all, &other| all | key(other) ^ first);
    let (mut found, mut known) = (0, 0);
    for shift in (0..64).step_by(8).rev() {
        let digit = |key: u64| (key >> shift & 255) as usize;
        let mut at = digit(first);
        if digit(differs) != 0 {
            let mut counts = [0_usize; 256];
            let matching = lengths.iter().map(|&length| key(length));
            matching
                .filter(|key| key & known == found)
                .for_each(|key| counts[digit(key)] += 1);
            at = 0;
            while place >= counts[at] {
                place -= counts[at];
                at += 1;
            }
        }
        found |= (at as u64) << shift;
        known |= 255 << shift;
    }
    (found ^ 1 << 63) as i64
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

    #[test]
    fn both_ways_find_the_same() {
        let wild = [i64::MAX, -1, 0, 0, 255, 256, i64::MIN, 1 << 40, -300, 7, 7];
        for values in [&wild[..], &[5; 9], &[3], &[1_000, 70_000, 1_001, 65_536]] {
            for place in 0..values.len() {
                let at = *values.to_vec().select_nth_unstable(place).1;
                assert_eq!(nth_by_digits(values, place), at, "{place} of {values:?}");
            }
        }
    }
}
