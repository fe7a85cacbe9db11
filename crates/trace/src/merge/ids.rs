//! The ids of another trace's rows after those of this one.

use crate::ids::StringId;
use crate::remap::{IdKind, Remap};
use crate::trace::Trace;

/// Maps ids of the other trace to those in the merged one.
pub(super) struct Ids {
    strings: Vec<StringId>,
    sources: u32,
    processes: u32,
    threads: u32,
    tracks: u32,
    slices: u32,
    methods: u32,
    arg_sets: u32,
}

impl Ids {
    pub fn new(new: &mut Trace, other: &Trace) -> Self {
        let strings = other.strings.iter();
        Self {
            strings: strings.map(|(_, text)| new.strings.intern(text)).collect(),
            sources: new.sources.len() as u32,
            processes: new.processes.len() as u32,
            threads: new.threads.len() as u32,
            tracks: new.tracks.len() as u32,
            slices: new.slices.len() as u32,
            methods: new.methods.len() as u32,
            arg_sets: new.args.len() as u32,
        }
    }

    fn string(&self, id: u32) -> StringId {
        let known = self.strings.get(id as usize);
        known.copied().unwrap_or(StringId::NULL)
    }
}

impl Remap for Ids {
    fn changes(&self, _: IdKind) -> bool {
        true
    }

    #[inline]
    fn new_id(&mut self, kind: IdKind, id: u32) -> u32 {
        let before = match kind {
            IdKind::String => return self.string(id).0,
            IdKind::Source => self.sources,
            IdKind::Process => self.processes,
            IdKind::Thread => self.threads,
            IdKind::Track => self.tracks,
            IdKind::Slice => self.slices,
            IdKind::Method => self.methods,
            IdKind::ArgSet => self.arg_sets,
        };
        before + id
    }
}
