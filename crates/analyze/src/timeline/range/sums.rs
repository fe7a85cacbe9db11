//! Running sums of all names: adding up parts, and ranking.

use std::cmp::Reverse;

use traceloom_trace::{RowId, SliceId, sort};

use super::count::Count;
use crate::timeline::stats::{OpenSum, Sum, Sums};

/// The names that occur, the longest inclusive time first, and how many are beyond `limit`.
pub(super) fn ranked(sums: &[Sum], limit: usize) -> (Vec<u32>, usize) {
    let mut order = Vec::new();
    for (sum, name) in sums.iter().zip(0..) {
        if sum.count > 0 {
            order.push(name);
        }
    }
    sort::by_key(&mut order, |&name: &u32| {
        (Reverse(sums[name as usize].total), name)
    });
    let hidden = order.len().saturating_sub(limit);
    order.truncate(limit);
    (order, hidden)
}

/// Adds up the sums of all parts.
pub(super) fn merged(parts: &[Sums]) -> Sums {
    let mut parts = parts.iter();
    let mut all = parts.next().cloned().unwrap_or_else(|| Sums::new(0, 0));
    parts.for_each(|part| all.merge(part));
    all
}

impl Count<'_> {
    /// Adds a slice.
    #[inline]
    pub fn add(&self, sums: &mut Sums, row: usize, part: i64) {
        let place = self.unfinished.place(row);
        self.change_around(sums, (row, place), part.into());
        let Some(sum) = sums.names.get_mut(self.name(row).row()) else {
            return;
        };
        match place {
            None => sum.add(part, self.recursion.is(row)),
            Some(place) => {
                sum.count += 1;
                sum.open += 1;
                sums.open[place].span += i128::from(part);
            }
        }
    }

    /// Removes a slice that was added.
    pub fn remove(&self, sums: &mut Sums, row: usize, part: i64) {
        let place = self.unfinished.place(row);
        self.change_around(sums, (row, place), -i128::from(part));
        let Some(sum) = sums.names.get_mut(self.name(row).row()) else {
            return;
        };
        match place {
            None => sum.remove(part, self.recursion.is(row)),
            Some(place) => {
                sum.count -= 1;
                sum.open -= 1;
                sums.open[place].span -= i128::from(part);
            }
        }
    }

    /// Subtracts the time of a slice from the own time of the slice around it. A slice around it that never ended has
    /// no own time; the time is then part of its inclusive time.
    #[inline]
    fn change_around(&self, sums: &mut Sums, (row, place): (usize, Option<usize>), time: i128) {
        let parent = self.trace.slices.parent_id.get(row);
        if parent == SliceId::NONE {
            return;
        }
        match (self.unfinished.place(parent.row()), place) {
            (None, _) => {
                if let Some(above) = sums.names.get_mut(self.name(parent.row()).row()) {
                    above.own -= time;
                }
            }
            (Some(parent), None) => sums.open[parent].inside += time,
            // Known once all slices inside this one are added.
            (Some(_), Some(_)) => {}
        }
    }

    /// Completes the sums of names with the slices that never ended.
    pub fn settled(&self, mut sums: Sums) -> Vec<Sum> {
        for (place, &row) in self.unfinished.rows().iter().enumerate() {
            let (row, OpenSum { span, inside }) = (row as usize, sums.open[place]);
            if let Some(parent) = self.unfinished.place_of_parent(self.trace, row) {
                sums.open[parent].inside += inside;
            }
            if self.recursion.is(row) {
                continue;
            }
            if let Some(sum) = sums.names.get_mut(self.name(row).row()) {
                sum.total += inside;
                sum.unfinished += span - inside;
            }
        }
        sums.names
    }
}
