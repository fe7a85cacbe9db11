//! Counts of the parts that the text cannot express.

use traceloom_trace::{ArgSetId, RowId, SliceId};

use super::dump::Dump;
use super::facts;
use super::kernel;
use super::plan::{Plan, is_writable};
use crate::ftrace::marker::COOKIE;
use crate::omissions::{Omission, Written};

impl Plan<'_> {
    /// The parts of the trace that the text omits.
    pub fn omissions(&self, dump: &Dump<'_>) -> Written {
        let mut written = Written::keeping(
            self.trace,
            &[
                Omission::ThreadSlices,
                Omission::ThreadTrackSlices,
                Omission::AsyncSlices,
                Omission::ProcessSlices,
                Omission::CpuSlices,
                Omission::GlobalSlices,
                Omission::Counters,
                Omission::CounterCategories,
                Omission::Instants,
                Omission::SchedSlices,
                Omission::KernelEvents,
                Omission::StartTimes,
                Omission::WallTimes,
                Omission::Processes,
                Omission::ThreadNumbers,
                // Counted below, if they are lost.
                Omission::Flows,
                Omission::ThreadStates,
                Omission::Arguments,
                Omission::Facts,
                Omission::ClockSyncs,
                Omission::ProcessDetails,
                Omission::IdleThreads,
            ],
        );
        let lost = |kind: Omission, held: u64| kind.count_in(self.trace).saturating_sub(held);
        let details = lost(Omission::ProcessDetails, dump.whole_processes());
        written.add(Omission::ProcessDetails, details);
        let idle = lost(Omission::IdleThreads, dump.threads());
        written.add(Omission::IdleThreads, idle);
        written.add(Omission::Flows, self.unwritten_flows());
        written.add(Omission::ThreadStates, self.unwritten_states);
        written.add(Omission::Arguments, self.unwritten_arguments());
        written.add(Omission::Fractions, self.fractions());
        written.add(Omission::Facts, self.unwritten_facts());
        let clocks = self.trace.clocks.iter();
        let unwritten = clocks.filter(|clock| !is_writable(clock)).count();
        written.add(Omission::ClockSyncs, unwritten as u64);
        written
    }

    /// Flows other than those of binder calls and of events.
    fn unwritten_flows(&self) -> u64 {
        let written = |slice: SliceId| {
            self.binder.contains_key(&slice) || self.derived.makes(self.trace, slice)
        };
        let flows = self.trace.flows.rows();
        flows
            .filter(|flow| !written(flow.slice_out) || !written(flow.slice_in))
            .count() as u64
    }

    /// Arguments of events of programs; those of kernel events are fields of their lines.
    fn unwritten_arguments(&self) -> u64 {
        let trace = self.trace;
        let slices = trace.slices.rows().enumerate();
        let slices = slices.filter(|(row, slice)| {
            let id = SliceId::from_row(*row);
            let track = trace.tracks.row(slice.track_id.row());
            slice.arg_set_id != ArgSetId::NONE
                && match track.kind {
                    _ if self.derived.makes(trace, id) => false,
                    _ if slice.instant => true,
                    kind if kind.is_stack() && self.binder.contains_key(&id) => false,
                    _ if self.is_cookie(slice.arg_set_id) => false,
                    _ => kernel::pair(trace, id).is_none(),
                }
        });
        slices.count() as u64
    }

    /// Whether the arguments are only the cookie of an asynchronous slice.
    fn is_cookie(&self, args: ArgSetId) -> bool {
        let is_cookie = |key| self.trace.strings.get(key) == COOKIE;
        self.trace.args.set(args).all(|(key, _)| is_cookie(key))
    }

    fn fractions(&self) -> u64 {
        self.lines
            .iter()
            .filter(|line| line.ts % 1_000 != 0)
            .count() as u64
    }

    /// Facts that the header does not repeat.
    fn unwritten_facts(&self) -> u64 {
        let facts = 0..self.trace.metadata.len();
        facts
            .filter(|row| !facts::is_written(self.trace, *row))
            .count() as u64
    }
}
