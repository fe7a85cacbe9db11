//! Percentiles by nearest rank.

/// The index of a percentile among `count` sorted values.
pub(crate) fn rank(count: usize, percent: usize) -> usize {
    (count * percent).div_ceil(100).max(1) - 1
}

/// A percentile of sorted values; 0 if there are none.
pub(crate) fn at(sorted: &[i64], percent: usize) -> i64 {
    let rank = rank(sorted.len(), percent);
    sorted.get(rank).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_by_nearest_rank() {
        let hundred: Vec<i64> = (1..=100).collect();
        assert_eq!(
            [50, 95, 100].map(|percent| at(&hundred, percent)),
            [50, 95, 100]
        );
        assert_eq!(
            [0, 50, 51, 100].map(|percent| at(&[3, 7], percent)),
            [3, 3, 7, 7]
        );
    }

    #[test]
    fn without_values_every_percentile_is_0() {
        assert_eq!([rank(0, 50), rank(0, 100)], [0, 0]);
        assert_eq!(at(&[], 50), 0);
    }
}
