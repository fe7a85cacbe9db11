//! What every encoding shares: dense indices, declarations, repairs and the batch on its way to
//! the consumer.

use std::borrow::Cow;
use std::hash::Hasher;

use rustc_hash::FxHasher;
use traceloom_trace::{
    MethodEvent, MethodEvents, MethodIndex, MethodLine, Place, RepairKind, ThreadIndex,
};

use super::clocks::ThreadClocks;
use super::ids::{Declared, Ids, NONE};

/// Events handed over at once: 16 KB, which stay in the nearest cache.
pub(super) const BATCH: usize = 512;

/// So many threads and methods may have rows of their own, whatever the size of the file, which
/// pays for more by the share of its bytes below. Far more than any recording has; beyond, a broken
/// file of records with ever new ids would take hundreds of bytes of memory for nine of its own.
const FREE_IDS: usize = 1 << 16;

/// Bytes read for each method beyond [`FREE_IDS`].
const BYTES_A_METHOD: u64 = 64;

/// Bytes read for each thread beyond [`FREE_IDS`].
const BYTES_A_THREAD: u64 = 1024;

/// The name of what stands for all methods, or threads, beyond the limit.
const OTHERS: &str = "(others)";

/// A repair until the end of the trace, where the consumer hears of it.
#[derive(Clone, Debug)]
struct Mended {
    kind: RepairKind,
    count: u64,
    first: Place,
    detail: String,
}

/// Repairs counted so far, one entry a kind.
#[derive(Clone, Debug, Default)]
pub(super) struct Repairs(Vec<Mended>);

impl Repairs {
    /// Counts a repair. `detail` is asked for only the first time.
    #[cold]
    pub fn add(&mut self, kind: RepairKind, offset: u64, detail: impl FnOnce() -> String) {
        match self.0.iter_mut().find(|mended| mended.kind == kind) {
            Some(mended) => mended.count += 1,
            None => self.0.push(Mended {
                kind,
                count: 1,
                first: Place::at_offset(offset),
                detail: detail(),
            }),
        }
    }
}

/// The state between tokens and the consumer.
#[derive(Clone, Debug, Default)]
pub(super) struct Emitter {
    pub threads: Ids<0>,
    pub methods: Ids<2>,
    /// By thread index.
    pub clocks: Vec<ThreadClocks>,
    /// Records read, those of no known action included.
    pub records: u64,
    pub repairs: Repairs,
}

fn hash(parts: &[&str]) -> u64 {
    let mut hasher = FxHasher::default();
    for part in parts {
        hasher.write(part.as_bytes());
        hasher.write_u8(b'\t');
    }
    hasher.finish()
}

impl Emitter {
    /// Text out of the file; bytes that are not UTF-8 are replaced and counted.
    pub fn text<'a>(&mut self, bytes: &'a [u8], offset: u64) -> Cow<'a, str> {
        let text = String::from_utf8_lossy(bytes);
        if let Cow::Owned(text) = &text {
            let kind = RepairKind::InvalidUtf8;
            self.repairs.add(kind, offset, || text.clone());
        }
        text
    }

    /// The index of a thread that a record names; an unknown one is announced without a name.
    #[inline]
    pub fn thread(&mut self, tid: u32, offset: u64, sink: &mut dyn MethodEvents) -> ThreadIndex {
        match self.threads.find(tid.into()) {
            NONE => self.new_thread(tid, offset, sink),
            index => ThreadIndex(index),
        }
    }

    #[cold]
    fn new_thread(&mut self, tid: u32, offset: u64, sink: &mut dyn MethodEvents) -> ThreadIndex {
        let index = self.insert_thread(tid, offset);
        let is_shared = self.threads.is_shared(index.0);
        sink.thread(index, tid, if is_shared { OTHERS } else { "" });
        index
    }

    fn insert_thread(&mut self, tid: u32, offset: u64) -> ThreadIndex {
        self.clocks.push(ThreadClocks::default());
        let index = self.threads.insert(tid.into(), offset);
        if !has_room(self.threads.len(), offset, BYTES_A_THREAD) {
            self.threads.share(index);
            self.beyond_limit("threads", offset);
        }
        ThreadIndex(index)
    }

    fn insert_method(&mut self, raw_id: u64, offset: u64) -> u32 {
        let index = self.methods.insert(raw_id, offset);
        if !has_room(self.methods.len(), offset, BYTES_A_METHOD) {
            self.methods.share(index);
            self.beyond_limit("methods", offset);
        }
        index
    }

    /// Counts what has no row of its own.
    #[cold]
    pub fn beyond_limit(&mut self, what: &str, offset: u64) {
        let kind = RepairKind::BeyondLimit;
        self.repairs.add(kind, offset, || what.to_owned());
    }

    /// The index of a method that a record names; an unknown one is announced by its id.
    #[inline]
    pub fn method(&mut self, raw_id: u64, offset: u64, sink: &mut dyn MethodEvents) -> MethodIndex {
        match self.methods.find(raw_id) {
            NONE => self.new_method(raw_id, offset, sink),
            index => MethodIndex(index),
        }
    }

    #[cold]
    fn new_method(&mut self, raw_id: u64, offset: u64, sink: &mut dyn MethodEvents) -> MethodIndex {
        let index = MethodIndex(self.insert_method(raw_id, offset));
        let line = MethodLine {
            raw_id,
            name: if self.methods.is_shared(index.0) {
                OTHERS
            } else {
                ""
            },
            line: -1,
            ..MethodLine::default()
        };
        sink.method(index, &line);
        index
    }

    /// A thread's line or packet.
    pub fn declare_thread(
        &mut self,
        tid: u32,
        name: &str,
        offset: u64,
        sink: &mut dyn MethodEvents,
    ) {
        let index = match self.threads.find(tid.into()) {
            NONE => self.insert_thread(tid, offset),
            index => ThreadIndex(index),
        };
        if self.threads.is_shared(index.0) {
            sink.thread(index, tid, OTHERS);
            return self.beyond_limit("threads", offset);
        }
        let declared = self.threads.declare(index.0, hash(&[name]));
        self.note_redefined(declared, offset, || format!("thread {tid}: {name}"));
        if declared != Declared::Again {
            sink.thread(index, tid, name);
        }
    }

    /// A method's line or packet.
    pub fn declare_method(
        &mut self,
        line: &MethodLine<'_>,
        offset: u64,
        sink: &mut dyn MethodEvents,
    ) {
        let index = match self.methods.find(line.raw_id) {
            NONE => self.insert_method(line.raw_id, offset),
            index => index,
        };
        if self.methods.is_shared(index) {
            let name = OTHERS;
            let line = MethodLine {
                name,
                ..MethodLine::default()
            };
            sink.method(MethodIndex(index), &line);
            return self.beyond_limit("methods", offset);
        }
        let text = hash(&[line.class, line.name, line.signature, line.file]);
        let declared = self.methods.declare(index, text);
        self.note_redefined(declared, offset, || {
            format!("method 0x{:x}: {}.{}", line.raw_id, line.class, line.name)
        });
        if declared != Declared::Again {
            sink.method(MethodIndex(index), line);
        }
    }

    fn note_redefined(&mut self, declared: Declared, offset: u64, detail: impl FnOnce() -> String) {
        if declared == Declared::Anew {
            self.repairs.add(RepairKind::Redefined, offset, detail);
        }
    }

    /// The records are over: says what was mended, then that it is the end.
    pub fn finish(&mut self, keys: &[(String, String)], sink: &mut dyn MethodEvents) {
        for mended in self.repairs.0.drain(..) {
            sink.repair(mended.kind, mended.count, mended.first, mended.detail);
        }
        let (count, first) = self.threads.undeclared();
        if let Some((tid, offset)) = first {
            let place = Place::at_offset(offset);
            sink.repair(
                RepairKind::UnknownThread,
                count,
                place,
                format!("thread {tid}"),
            );
        }
        let (count, first) = self.methods.undeclared();
        if let Some((raw_id, offset)) = first {
            let place = Place::at_offset(offset);
            sink.repair(
                RepairKind::UnknownMethod,
                count,
                place,
                format!("0x{raw_id:x}"),
            );
        }
        sink.finish(keys);
    }
}

/// Whether one more than `count` ids may come up, so many bytes into the input.
fn has_room(count: usize, offset: u64, bytes_an_id: u64) -> bool {
    (count as u64) < FREE_IDS as u64 + offset / bytes_an_id
}

/// Events that come one by one, collected into batches.
#[derive(Clone, Debug)]
pub(super) struct Batch {
    events: Vec<MethodEvent>,
}

impl Default for Batch {
    fn default() -> Self {
        Self {
            events: Vec::with_capacity(BATCH),
        }
    }
}

impl Batch {
    /// Adds an event, and hands all over when there are enough.
    #[inline]
    pub fn push(&mut self, event: MethodEvent, sink: &mut dyn MethodEvents) {
        self.events.push(event);
        if self.events.len() >= BATCH {
            self.flush(sink);
        }
    }

    /// Hands over what is there.
    pub fn flush(&mut self, sink: &mut dyn MethodEvents) {
        if !self.events.is_empty() {
            sink.events(&self.events);
            self.events.clear();
        }
    }
}
