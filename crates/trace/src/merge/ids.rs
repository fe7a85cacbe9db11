//! The ids of another trace's rows after those of this one.

use super::tasks::Tasks;
use crate::ids::{ProcessId, RowId, StringId, ThreadId};
use crate::remap::{IdKind, Remap};
use crate::trace::Trace;

/// Maps ids of the other trace to those in the merged one.
pub(super) struct Ids {
    strings: Vec<StringId>,
    sources: u32,
    processes: Vec<u32>,
    threads: Vec<u32>,
    tracks: u32,
    slices: u32,
    methods: u32,
    arg_sets: u32,
    records: u32,
}

impl Ids {
    pub fn new(new: &mut Trace, other: &Trace, tasks: &Tasks) -> Self {
        let strings = other.strings.iter();
        Self {
            strings: strings.map(|(_, text)| new.strings.intern(text)).collect(),
            sources: new.sources.len() as u32,
            processes: rows(&tasks.processes, new.processes.len()),
            threads: rows(&tasks.threads, new.threads.len()),
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

/// The new row of each row: the row that it shares, or the next one.
fn rows(shared: &[Option<u32>], len: usize) -> Vec<u32> {
    let mut next = len as u32;
    let mut row = |shared: &Option<u32>| {
        shared.unwrap_or_else(|| {
            next += 1;
            next - 1
        })
    };
    shared.iter().map(&mut row).collect()
}

impl Remap for Ids {
    fn changes(&self, _: IdKind) -> bool {
        true
    }

    #[inline]
    fn new_id(&mut self, kind: IdKind, id: u32) -> u32 {
        let before = match kind {
            IdKind::String => return self.string(id).0,
            IdKind::Process => return known(&self.processes, id, ProcessId::NONE.0),
            IdKind::Thread => return known(&self.threads, id, ThreadId::NONE.0),
            IdKind::Source => self.sources,
            IdKind::Track => self.tracks,
            IdKind::Slice => self.slices,
            IdKind::Method => self.methods,
            IdKind::ArgSet => self.arg_sets,
            IdKind::Record => self.records,
        };
        before + id
    }
}

/// The new row of a row; `none` for a row that does not exist.
fn known(rows: &[u32], id: u32, none: u32) -> u32 {
    rows.get(id as usize).copied().unwrap_or(none)
}
