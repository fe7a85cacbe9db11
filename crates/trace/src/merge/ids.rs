//! The ids of another trace's rows after those of this one.

use crate::ids::{ProcessId, StringId, ThreadId};
use crate::remap::{IdKind, Remap};
use crate::trace::Trace;

/// Maps ids of the other trace to those in the merged one.
pub(super) struct Ids {
    strings: Vec<StringId>,
    sources: u32,
    /// The idle process is the same row in both, so the others follow one row earlier.
    processes: u32,
    threads: u32,
    /// The new row of the other trace's idle thread.
    idle_thread: u32,
    tracks: u32,
    slices: u32,
    methods: u32,
    arg_sets: u32,
    records: u32,
}

impl Ids {
    pub fn new(new: &mut Trace, other: &Trace) -> Self {
        let strings = other.strings.iter();
        let threads = (new.threads.len() - first_thread(new, other)) as u32;
        Self {
            strings: strings.map(|(_, text)| new.strings.intern(text)).collect(),
            sources: new.sources.len() as u32,
            processes: new.processes.len() as u32 - 1,
            idle_thread: if first_thread(new, other) == 0 {
                threads
            } else {
                ThreadId::IDLE.0
            },
            threads,
            tracks: new.tracks.len() as u32,
            slices: new.slices.len() as u32,
            methods: new.methods.len() as u32,
            arg_sets: new.args.len() as u32,
            records: new.records.len() as u32,
        }
    }

    fn string(&self, id: u32) -> StringId {
        let known = self.strings.get(id as usize);
        known.copied().unwrap_or(StringId::NULL)
    }
}

/// The first thread of the other trace that gets a row of its own. Its idle thread does if both inputs have one.
pub(super) fn first_thread(new: &Trace, other: &Trace) -> usize {
    usize::from(!(new.has_idle_thread() && other.has_idle_thread()))
}

impl Remap for Ids {
    fn changes(&self, _: IdKind) -> bool {
        true
    }

    #[inline]
    fn new_id(&mut self, kind: IdKind, id: u32) -> u32 {
        let before = match kind {
            IdKind::String => return self.string(id).0,
            IdKind::Process if id == ProcessId::IDLE.0 => return id,
            IdKind::Thread if id == ThreadId::IDLE.0 => return self.idle_thread,
            IdKind::Source => self.sources,
            IdKind::Process => self.processes,
            IdKind::Thread => self.threads,
            IdKind::Track => self.tracks,
            IdKind::Slice => self.slices,
            IdKind::Method => self.methods,
            IdKind::ArgSet => self.arg_sets,
            IdKind::Record => self.records,
        };
        before + id
    }
}
