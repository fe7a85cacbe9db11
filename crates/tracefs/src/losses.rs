//! Events that the kernel lost, from the `stats` of each CPU.
//!
//! The kernel marks overwritten events in its text and in its pages. Events that did not fit into a full
//! buffer (`overwrite` is off) are only counted: in a text, [`TextLosses`] adds the lines for them.

use std::fmt::Write;

use crate::Tracefs;

/// The events that one CPU lost since its buffer was cleared.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Lost {
    /// Old events that newer ones replaced.
    pub overwritten: u64,
    /// New events that did not fit, or that interrupted too many others.
    pub dropped: u64,
}

impl Lost {
    /// Parses a CPU's `stats`.
    pub fn parse(stats: &str) -> Self {
        let mut lost = Self::default();
        for (name, count) in stats.lines().filter_map(|line| line.split_once(": ")) {
            let count = || count.trim().parse().unwrap_or(0);
            match name {
                "overrun" => lost.overwritten += count(),
                "commit overrun" | "dropped events" => lost.dropped += count(),
                _ => {}
            }
        }
        lost
    }

    /// Reads the counts of each CPU of a buffer, in order of the CPUs' numbers.
    pub fn of_cpus(tree: &dyn Tracefs) -> Vec<(u32, Self)> {
        let number = |name: String| name.strip_prefix("cpu")?.parse().ok();
        let mut cpus: Vec<u32> = tree
            .list("per_cpu")
            .into_iter()
            .filter_map(number)
            .collect();
        cpus.sort_unstable();
        let read = |cpu| {
            let stats = tree.read(&format!("per_cpu/cpu{cpu}/stats"));
            (cpu, Self::parse(&stats.unwrap_or_default()))
        };
        cpus.into_iter().map(read).collect()
    }

    /// All lost events.
    pub fn total(self) -> u64 {
        self.overwritten + self.dropped
    }
}

/// Which dropped events a text already reports.
#[derive(Debug, Default)]
pub struct TextLosses {
    reported: Vec<u64>,
}

impl TextLosses {
    /// Lines like the kernel's own, `CPU:1 [LOST 12 EVENTS]`, for the events that were dropped since the
    /// last call. Empty if there are none.
    pub fn lines(&mut self, tree: &dyn Tracefs) -> String {
        let mut lines = String::new();
        for (cpu, lost) in Lost::of_cpus(tree) {
            let at = cpu as usize;
            if at >= self.reported.len() {
                self.reported.resize(at + 1, 0);
            }
            let new = lost.dropped.saturating_sub(self.reported[at]);
            self.reported[at] = lost.dropped;
            if new > 0 {
                // Writing to a string cannot fail.
                _ = writeln!(lines, "CPU:{cpu} [LOST {new} EVENTS]");
            }
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::Lost;

    #[test]
    fn the_counts_of_a_cpu() {
        let stats = "entries: 10\noverrun: 3\ncommit overrun: 2\nbytes: 2048\n\
                     dropped events: 4\nread events: 90\n";
        let lost = Lost::parse(stats);
        assert_eq!((lost.overwritten, lost.dropped, lost.total()), (3, 6, 9));
        assert_eq!(Lost::parse(""), Lost::default());
    }
}
