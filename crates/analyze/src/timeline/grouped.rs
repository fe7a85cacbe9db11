//! Table rows by group: states by thread, runs by CPU, values by counter.

use super::downsample::Spans;
use super::reach::Reach;

/// A row's start and end, ns.
pub type Extent<'f> = &'f dyn Fn(usize) -> (i64, i64);

/// The rows of a table by group. Within a group they are in order of time.
#[derive(Debug, Default)]
pub struct Grouped {
    rows: Vec<u32>,
    /// The start of each group in `rows`, and the end of the last one.
    starts: Vec<u32>,
    reach: Reach,
}

impl Grouped {
    /// Groups `count` rows by `group_of`. Rows whose group is not below `groups` are left out.
    pub fn new(count: usize, groups: usize, group_of: &dyn Fn(usize) -> usize) -> Self {
        let mut starts = vec![0u32; groups + 1];
        for row in 0..count {
            if let Some(start) = starts.get_mut(group_of(row).saturating_add(1)) {
                *start += 1;
            }
        }
        (0..groups).for_each(|at| starts[at + 1] += starts[at]);
        let mut next = starts.clone();
        let mut rows = vec![0u32; starts[groups] as usize];
        for row in 0..count {
            let group = group_of(row);
            if group < groups {
                rows[next[group] as usize] = row as u32;
                next[group] += 1;
            }
        }
        Self {
            rows,
            starts,
            reach: Reach::default(),
        }
    }

    /// Finds rows that start before an earlier one of their group ends.
    pub fn with_extents(mut self, extent: Extent<'_>) -> Self {
        let mut reach = Reach::default();
        for group in 0..self.groups() {
            let rows = self.rows(group);
            let mut latest = i64::MIN;
            let mut overlap = false;
            for &row in rows {
                let (start, end) = extent(row as usize);
                overlap |= start < latest;
                latest = latest.max(end);
            }
            if overlap {
                reach.push(group as u32, rows, &|row| extent(row).1);
            }
        }
        self.reach = reach;
        self
    }

    /// The number of groups.
    pub fn groups(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The rows of a group; none for a group that does not exist.
    pub fn rows(&self, group: usize) -> &[u32] {
        match (
            self.starts.get(group),
            self.starts.get(group.saturating_add(1)),
        ) {
            (Some(&start), Some(&end)) => &self.rows[start as usize..end as usize],
            _ => &[],
        }
    }

    /// The rows of a group as spans of time.
    pub fn spans<'t>(&'t self, group: usize, extent: Extent<'t>) -> GroupSpans<'t> {
        GroupSpans {
            rows: self.rows(group),
            reach: self.reach.of_group(group as u32),
            extent,
        }
    }
}

/// The rows of one group.
pub struct GroupSpans<'t> {
    /// Their numbers in the table.
    pub rows: &'t [u32],
    reach: Option<&'t [i64]>,
    extent: Extent<'t>,
}

impl Spans for GroupSpans<'_> {
    fn count(&self) -> usize {
        self.rows.len()
    }

    fn start(&self, at: usize) -> i64 {
        (self.extent)(self.rows[at] as usize).0
    }

    fn end(&self, at: usize) -> i64 {
        (self.extent)(self.rows[at] as usize).1
    }

    fn reach(&self, at: usize) -> Option<i64> {
        self.reach.map(|reach| reach[at])
    }
}
