//! Gives all ids of a trace new values.

use crate::ids::{ArgSetId, StringId};
use crate::remap::{IdKind, Remap, Value};
use crate::trace::Trace;

/// Gives sets of arguments new ids.
struct ArgSets<F>(F);

impl<F: Fn(ArgSetId) -> ArgSetId> Remap for ArgSets<F> {
    fn changes(&self, kind: IdKind) -> bool {
        kind == IdKind::ArgSet
    }

    fn new_id(&mut self, _: IdKind, id: u32) -> u32 {
        (self.0)(ArgSetId(id)).0
    }
}

/// Gives strings new ids.
struct Strings<F>(F);

impl<F: Fn(StringId) -> StringId> Remap for Strings<F> {
    fn changes(&self, kind: IdKind) -> bool {
        kind == IdKind::String
    }

    fn new_id(&mut self, _: IdKind, id: u32) -> u32 {
        (self.0)(StringId(id)).0
    }
}

impl Trace {
    /// Replaces every string of the tables, except absent ones, by another string of the pool.
    pub fn replace_strings(&mut self, new: impl Fn(StringId) -> StringId) {
        self.remap(&mut Strings(new));
    }

    /// Replaces every set of arguments in the tables.
    pub fn replace_arg_sets(&mut self, new: impl Fn(ArgSetId) -> ArgSetId) {
        self.remap(&mut ArgSets(new));
    }

    /// Gives every id of the trace its new value. The rows that they refer to do not move.
    pub(crate) fn remap(&mut self, to: &mut impl Remap) {
        // Every field is named, so that a new table cannot be forgotten.
        let Self {
            strings: _,
            sources,
            processes,
            threads,
            tracks,
            slices,
            methods,
            counters,
            exact_counters,
            flows,
            sched_slices,
            run_ends,
            wakeups,
            thread_names,
            thread_states,
            ftrace_events,
            args,
            records,
            metadata,
            clocks,
            repairs,
            bounds: _,
        } = self;
        sources.remap(to);
        processes.remap(to);
        threads.remap(to);
        tracks.remap(to);
        methods.remap(to);
        slices.remap(to);
        counters.remap(to);
        exact_counters.remap(to);
        flows.remap(to);
        sched_slices.remap(to);
        run_ends.remap(to);
        wakeups.remap(to);
        thread_names.remap(to);
        thread_states.remap(to);
        ftrace_events.remap(to);
        metadata.remap(to);
        args.remap(to);
        args.remap_rows(to);
        records.remap(to);
        if to.changes(IdKind::Source) {
            for row in clocks {
                row.source = row.source.remapped(to);
            }
            repairs.remap(to);
        }
    }
}

#[cfg(test)]
mod tests;
