//! Running sums of all names: adding up parts, and ranking.

use std::cmp::Reverse;

use crate::timeline::stats::Sum;

/// The names that occur, the longest inclusive time first, and how many are beyond `limit`.
pub(super) fn ranked(sums: &[Sum], limit: usize) -> (Vec<u32>, usize) {
    let mut order = Vec::new();
    for (sum, name) in sums.iter().zip(0..) {
        if sum.count > 0 {
            order.push(name);
        }
    }
    order.sort_by_key(|&name: &u32| (Reverse(sums[name as usize].total), name));
    let hidden = order.len().saturating_sub(limit);
    order.truncate(limit);
    (order, hidden)
}

/// Adds up the sums of all parts.
pub(super) fn merged(parts: &[Vec<Sum>]) -> Vec<Sum> {
    let mut all = parts.first().cloned().unwrap_or_default();
    for part in parts.iter().skip(1) {
        let both = all.iter_mut().zip(part);
        both.for_each(|(sum, part)| sum.merge(part));
    }
    all
}
