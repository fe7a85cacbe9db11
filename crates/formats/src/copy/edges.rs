//! Counts slices that are cut by a range.

use rustc_hash::FxHashMap;

use crate::ftrace::MarkEdge;

/// The open slices of each thread: those that began before the range, and those that began in it.
#[derive(Debug, Default)]
pub(super) struct Edges {
    open: FxHashMap<i32, [u64; 2]>,
    cut: u64,
}

impl Edges {
    /// Takes the next begin or end of a slice.
    pub fn see(&mut self, edge: MarkEdge, ts: i64, (from, until): (i64, i64)) {
        match edge {
            MarkEdge::Begin(tid) if ts < until => {
                self.open.entry(tid).or_default()[usize::from(ts >= from)] += 1;
            }
            MarkEdge::Begin(_) => {}
            MarkEdge::End(tid) => {
                let Some([before, inside]) = self.open.get_mut(&tid) else {
                    return;
                };
                if *inside > 0 {
                    *inside -= 1;
                    self.cut += u64::from(ts >= until);
                } else if *before > 0 {
                    *before -= 1;
                    self.cut += u64::from(ts >= from);
                }
            }
        }
    }

    /// The number of slices that are partly in the range and have lines outside it.
    pub fn cut(&self) -> u64 {
        self.cut
    }
}

#[cfg(test)]
mod tests {
    use super::{Edges, MarkEdge};

    #[test]
    fn slices_around_and_across_the_ends() {
        let (begin, end) = (MarkEdge::Begin, MarkEdge::End);
        // A slice around the range, one that begins before it, one inside it and one that ends after it; slices before
        // and after the range; and a slice of another thread.
        let events = [
            (1, begin(1)),
            (2, begin(1)),
            (2, end(2)),
            (3, begin(2)),
            (4, end(2)),
            (11, end(1)),
            (12, begin(1)),
            (13, end(1)),
            (19, begin(1)),
            (21, end(1)),
            (22, end(1)),
            (23, begin(1)),
            (24, end(1)),
        ];
        let mut edges = Edges::default();
        for (ts, edge) in events {
            edges.see(edge, ts, (10, 20));
        }
        assert_eq!(edges.cut(), 3);
    }
}
