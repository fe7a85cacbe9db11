//! Decides whether a change exceeds the noise.
//!
//! With at least two runs on each side, a change of the medians exceeds the noise if both hold:
//!
//! 1. **Ranks:** the exact two-sided Mann–Whitney test gives p ≤ 0.05, or the smallest p that so few runs can give (all
//!    runs of one side are above all of the other). That is 0.33 for two runs against two, 0.1 for three against
//!    three, and 0.03 for four against four.
//! 2. **Size:** the medians differ by more than 3 σ, where σ is 1.4826 times the median of all runs'
//!    distances from the median of their own side. If a side has an odd number of runs, one distance is zero by
//!    construction and is left out.
//!
//! The limits of the rule: each row is judged on its own, so of a thousand unchanged rows a few seem changed. With two
//! or three runs on a side the first condition is weak, as its p shows. With one run on a side, noise is unknown.

use rustc_hash::FxHashMap;
use traceloom_trace::sort;

use serde::Serialize;

/// The significance level, if there are enough runs to reach it.
const SIGNIFICANT: f64 = 0.05;

/// A change must exceed this many robust standard deviations.
const SIGMAS: f64 = 3.0;

/// Converts the median distance of normally distributed values to their standard deviation.
const MAD_TO_SIGMA: f64 = 1.4826;

/// Whether a change exceeds the noise, and its direction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The medians are equal.
    Same,
    /// It rose by more than the noise.
    More,
    /// It fell by more than the noise.
    Less,
    /// The medians differ by no more than the runs of one side do among themselves.
    WithinNoise,
    /// A side has only one run, so noise is unknown.
    Unknown,
}

/// Compares two sets of runs, and caches the distributions it computes.
#[derive(Debug, Default)]
pub(super) struct Judge {
    /// The number of ways to get each rank sum, by the doubled ranks and the size of the new side.
    ways: FxHashMap<(Vec<usize>, usize), Vec<f64>>,
}

/// A verdict, and the numbers behind it.
pub(super) struct Judgement {
    pub verdict: Verdict,
    pub p: Option<f64>,
    pub sigma: Option<f64>,
}

/// The median; the mean of the two middle values for an even number of values, 0 for none.
pub(super) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sort(&mut sorted);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => 0.0,
        count if count % 2 == 1 => sorted[middle],
        _ => (sorted[middle - 1] + sorted[middle]) / 2.0,
    }
}

fn sort(values: &mut [f64]) {
    values.sort_by(f64::total_cmp);
}

/// The pooled spread of both sides; see condition 2 in the module docs.
fn sigma(base: &[f64], new: &[f64]) -> f64 {
    let mut distances = Vec::new();
    for side in [base, new] {
        let (middle, before) = (median(side), distances.len());
        for value in side {
            distances.push((value - middle).abs());
        }
        if side.len() % 2 == 1 {
            sort(&mut distances[before..]);
            distances.remove(before);
        }
    }
    MAD_TO_SIGMA * median(&distances)
}

impl Judge {
    pub(super) fn compare(&mut self, base: &[f64], new: &[f64]) -> Judgement {
        let delta = median(new) - median(base);
        let has_noise = base.len() > 1 && new.len() > 1;
        let p = has_noise.then(|| self.rank_p(base, new));
        let sigma = has_noise.then(|| sigma(base, new));
        let verdict = match (p, sigma) {
            _ if delta == 0.0 => Verdict::Same,
            (Some(p), Some(sigma)) => {
                let reachable = SIGNIFICANT.max(smallest_p(base.len(), new.len()));
                let exceeds = p <= reachable * (1.0 + 1e-9) && delta.abs() > SIGMAS * sigma;
                match (exceeds, delta > 0.0) {
                    (false, _) => Verdict::WithinNoise,
                    (true, true) => Verdict::More,
                    (true, false) => Verdict::Less,
                }
            }
            _ => Verdict::Unknown,
        };
        Judgement { verdict, p, sigma }
    }

    /// The exact two-sided p of the Mann–Whitney test: the share of all ways to split the ranks between the sides in
    /// which the rank sum of the new side is at least as far from the middle.
    fn rank_p(&mut self, base: &[f64], new: &[f64]) -> f64 {
        let mut all: Vec<(f64, bool)> = Vec::new();
        for (side, is_new) in [(base, false), (new, true)] {
            for &value in side {
                all.push((value, is_new));
            }
        }
        sort::by(&mut all, |a, b| a.0.total_cmp(&b.0));
        let ranks = doubled_ranks(&all);
        let mut sum = 0;
        for (rank, (_, is_new)) in ranks.iter().zip(&all) {
            sum += if *is_new { *rank } else { 0 };
        }
        let middle = new.len() * (all.len() + 1);
        let key = (ranks, new.len());
        let ways = match self.ways.get(&key) {
            Some(ways) => ways,
            None => {
                let ways = ways_to_sums(&key.0, key.1);
                self.ways.entry(key).or_insert(ways)
            }
        };
        let (mut as_far, mut all) = (0.0, 0.0);
        for (at, ways) in ways.iter().enumerate() {
            all += ways;
            if at.abs_diff(middle) >= sum.abs_diff(middle) {
                as_far += ways;
            }
        }
        as_far / all
    }
}

/// The ranks of sorted values, doubled so that the mean rank of equal values is an integer.
fn doubled_ranks(all: &[(f64, bool)]) -> Vec<usize> {
    let mut ranks = Vec::with_capacity(all.len());
    for equal in all.chunk_by(|a, b| a.0 == b.0) {
        let first = ranks.len() + 1;
        let doubled = 2 * first + equal.len() - 1;
        ranks.resize(ranks.len() + equal.len(), doubled);
    }
    ranks
}

/// The number of ways in which `take` of the ranks give each sum.
fn ways_to_sums(ranks: &[usize], take: usize) -> Vec<f64> {
    // The ways to get each sum, by the number of ranks taken.
    let sums = ranks.iter().sum::<usize>() + 1;
    let mut ways = vec![0.0; (take + 1) * sums];
    ways[0] = 1.0;
    for &rank in ranks {
        for taken in (1..=take).rev() {
            for sum in rank..sums {
                ways[taken * sums + sum] += ways[(taken - 1) * sums + sum - rank];
            }
        }
    }
    ways.split_off(take * sums)
}

/// The smallest p that so few runs can give. Two of all ways to split the runs separate the sides.
fn smallest_p(base: usize, new: usize) -> f64 {
    let ways: f64 = (1..=new).map(|i| (base + i) as f64 / i as f64).product();
    2.0 / ways
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(base: &[f64], new: &[f64]) -> Verdict {
        Judge::default().compare(base, new).verdict
    }

    /// Expected values: all ways to split the runs, enumerated one by one (in Python).
    #[test]
    fn p_values() {
        let p = |base: &[f64], new: &[f64]| Judge::default().rank_p(base, new);
        let near = |p: f64, expected: f64| assert!((p - expected).abs() < 1e-4, "{p} {expected}");
        near(p(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]), 0.1);
        near(p(&[1.0, 2.0, 3.0, 4.0], &[5.0, 6.0, 7.0, 8.0]), 0.028_57);
        near(
            p(&[1.0, 3.0, 5.0, 7.0, 9.0], &[2.0, 4.0, 6.0, 8.0, 10.0]),
            0.690_48,
        );
        near(p(&[1.0, 2.0], &[3.0, 4.0]), 1.0 / 3.0);
        near(p(&[0.0, 0.0, 0.0], &[1.0, 1.0, 1.0]), 0.1);
        near(p(&[5.0; 3], &[5.0; 4]), 1.0);
        near(smallest_p(3, 3), 0.1);
        near(smallest_p(4, 4), 2.0 / 70.0);
    }

    #[test]
    fn verdicts() {
        assert_eq!(verdict(&[1.0], &[2.0]), Verdict::Unknown);
        assert_eq!(verdict(&[1.0], &[1.0]), Verdict::Same);
        assert_eq!(
            verdict(&[10.0, 11.0, 12.0], &[20.0, 21.0, 22.0]),
            Verdict::More
        );
        assert_eq!(
            verdict(&[20.0, 21.0, 22.0], &[10.0, 11.0, 12.0]),
            Verdict::Less
        );
        // The sides do not overlap, but vary too much within themselves.
        assert_eq!(
            verdict(&[10.0, 11.0, 12.0], &[12.5, 13.5, 14.5]),
            Verdict::WithinNoise
        );
        // The medians are far apart, but the sides overlap.
        assert_eq!(
            verdict(&[10.0, 11.0, 90.0], &[50.0, 80.0, 81.0]),
            Verdict::WithinNoise
        );
        // Counts that never vary.
        assert_eq!(verdict(&[3.0, 3.0], &[4.0, 4.0]), Verdict::More);
    }

    /// Runs drawn from one distribution: the rule may report a change for only a few. Its first
    /// condition allows 5 % for six against six; the second one reduces this further.
    #[test]
    fn equal_sides_seldom_differ() {
        let mut state = 12345_u64;
        let mut draw = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (0..6)
                .map(|shift| (state >> (shift * 8 + 8) & 0xff) as f64)
                .sum::<f64>()
        };
        let mut judge = Judge::default();
        let mut changed = 0;
        for _ in 0..2_000 {
            let base: Vec<f64> = (0..6).map(|_| draw()).collect();
            let new: Vec<f64> = (0..6).map(|_| draw()).collect();
            let verdict = judge.compare(&base, &new).verdict;
            changed += usize::from(matches!(verdict, Verdict::More | Verdict::Less));
        }
        assert!(changed < 60, "{changed} of 2000");
    }
}
