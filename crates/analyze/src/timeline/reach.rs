//! The latest ends of overlapping rows.

/// For each group whose rows overlap, the latest end up to each of its rows. Groups are sorted.
#[derive(Debug, Default)]
pub(super) struct Reach {
    groups: Vec<(u32, Vec<i64>)>,
}

impl Reach {
    /// Appends a group, with the ends of its rows in order.
    pub(super) fn push(&mut self, group: u32, rows: &[u32], end: &dyn Fn(usize) -> i64) {
        let mut latest = i64::MIN;
        let reach = rows.iter().map(|&row| {
            latest = latest.max(end(row as usize));
            latest
        });
        self.groups.push((group, reach.collect()));
    }

    /// The latest ends of a group; `None` if its rows do not overlap.
    pub(super) fn of_group(&self, group: u32) -> Option<&[i64]> {
        let found = self.groups.binary_search_by_key(&group, |(own, _)| *own);
        found.ok().map(|at| &self.groups[at].1[..])
    }

    /// Memory used, bytes.
    pub(super) fn heap_bytes(&self) -> usize {
        let ends = self.groups.iter().map(|(_, ends)| ends.capacity() * 8);
        ends.sum::<usize>() + self.groups.capacity() * size_of::<(u32, Vec<i64>)>()
    }
}
