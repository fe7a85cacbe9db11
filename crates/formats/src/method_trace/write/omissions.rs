//! Counts of what a `.trace` file cannot express.

use traceloom_trace::Trace;

use super::calls::Call;
use super::{Clock, File, KEPT_KEYS};
use crate::omissions::{Omission, Written};

/// Facts that are computed again for the new file.
const RENEWED_KEYS: &[&str] = &[
    "data-file-overflow",
    "clock",
    "elapsed-time-usec",
    "num-method-calls",
    "method-trace-encoding",
    "method-trace-version",
    "method-trace-clocks",
];

impl File<'_> {
    /// The parts of the trace that a file with these `calls` does not contain.
    pub(super) fn omissions(&self, calls: &[Call]) -> Written {
        let trace = self.trace;
        let mut kept = vec![
            Omission::ThreadSlices,
            Omission::StartTimes,
            Omission::Categories,
            Omission::MethodDetails,
            Omission::UncalledMethods,
            // The actual losses are counted below.
            Omission::IdleThreads,
            Omission::ThreadNumbers,
            Omission::Processes,
            Omission::Facts,
        ];
        match self.layout.clock {
            Clock::Wall => kept.push(Omission::WallTimes),
            Clock::ThreadCpu => kept.push(Omission::CpuTimes),
            Clock::Dual => kept.extend([Omission::WallTimes, Omission::CpuTimes]),
        }
        let mut written = Written::keeping(trace, &kept);
        written.add(Omission::Fractions, self.fractions(calls));
        written.add(Omission::LongNames, self.cut_names);
        written.add(Omission::IdleThreads, self.unwritten_threads());
        written.add(Omission::ThreadNumbers, self.renumbered_threads());
        let known = u64::from(trace.metadata("pid").is_some());
        let processes = Omission::Processes.count_in(trace);
        written.add(Omission::Processes, processes.saturating_sub(known));
        written.add(Omission::Facts, facts(trace));
        written
    }

    /// The number of calls and returns whose times are finer than the records'.
    fn fractions(&self, calls: &[Call]) -> u64 {
        let (wall, cpu) = (
            self.layout.clock != Clock::ThreadCpu,
            self.layout.clock != Clock::Wall,
        );
        let is_fine =
            |call: &&Call| (wall && call.wall_ns % 1000 != 0) || (cpu && call.cpu_ns % 1000 != 0);
        calls.iter().filter(is_fine).count() as u64
    }

    fn unwritten_threads(&self) -> u64 {
        (self.trace.real_threads().count() - self.names.threads().count()) as u64
    }

    fn renumbered_threads(&self) -> u64 {
        let renumbered = |row: &usize| self.names.tid(*row) != self.trace.threads.tid.get(*row);
        self.names.threads().filter(renumbered).count() as u64
    }
}

/// The number of facts that the file neither contains nor implies.
fn facts(trace: &Trace) -> u64 {
    let is_lost = |key: &str| !KEPT_KEYS.contains(&key) && !RENEWED_KEYS.contains(&key);
    let keys = trace.metadata.key.iter();
    keys.filter(|key| is_lost(trace.strings.get(*key))).count() as u64
}
