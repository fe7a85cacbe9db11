//! Numbers in groups: the children of each node, the arrows of each slice.

/// The members of each group, in the order in which they were listed.
#[derive(Debug, Default)]
pub(super) struct Groups {
    /// Where each group begins in `members`.
    starts: Vec<u32>,
    members: Vec<u32>,
}

impl Groups {
    /// Groups pairs of a group below `count` and a member. Others are left out.
    pub fn new(count: usize, pairs: impl Iterator<Item = (usize, u32)> + Clone) -> Self {
        let pairs = pairs.filter(|(group, _)| *group < count);
        let mut starts = vec![0; count + 1];
        for (group, _) in pairs.clone() {
            starts[group + 1] += 1;
        }
        for at in 0..count {
            starts[at + 1] += starts[at];
        }
        let mut members = vec![0; starts[count] as usize];
        let mut next = starts.clone();
        for (group, member) in pairs {
            members[next[group] as usize] = member;
            next[group] += 1;
        }
        Self { starts, members }
    }

    /// The members of a group; none if there is no such group.
    pub fn of(&self, group: usize) -> &[u32] {
        let bounds = (self.starts.get(group), self.starts.get(group + 1));
        let (Some(start), Some(end)) = bounds else {
            return &[];
        };
        self.members
            .get(*start as usize..*end as usize)
            .unwrap_or_default()
    }
}
