//! Shared by all encodings: dense indices, declarations, repairs, and batches of events for the
//! consumer.

use std::borrow::Cow;
use std::hash::Hasher;

use rustc_hash::FxHasher;
use traceloom_trace::{
    MethodEvent, MethodEvents, MethodIndex, MethodLine, Place, RepairKind, ThreadIndex,
};

use super::clocks::ThreadClocks;
use super::ids::{Declared, Ids, NONE};

/// Events of a batch: 16 KB, which fit in the L1 cache.
pub(super) const BATCH: usize = 512;

/// The number of threads or methods that get their own rows whatever the size of the file. More of
/// them are allowed only in proportion to the file's size, in the constants below. This is far more
/// than any recording has. Without the limit, a broken file with a new id in every record would
/// take hundreds of bytes of memory for each nine bytes of input.
const FREE_IDS: usize = 1 << 16;

/// Bytes of input needed for each method beyond [`FREE_IDS`].
const BYTES_A_METHOD: u64 = 64;

/// Bytes of input needed for each thread beyond [`FREE_IDS`].
const BYTES_A_THREAD: u64 = 1024;

/// The name of the row for all methods, or threads, beyond the limit.
const OTHERS: &str = "(others)";

/// A repair. It is passed on at the end.
#[derive(Clone, Debug)]
struct Mended {
    kind: RepairKind,
    count: u64,
    first: Place,
    detail: String,
}

/// Repairs so far, one entry for each kind.
#[derive(Clone, Debug, Default)]
pub(super) struct Repairs(Vec<Mended>);

impl Repairs {
    /// Counts a repair. `detail` is called only the first time.
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

/// The state between the tokenizer and the consumer.
#[derive(Clone, Debug, Default)]
pub(super) struct Emitter {
    pub threads: Ids<0>,
    pub methods: Ids<2>,
    /// By thread index.
    pub clocks: Vec<ThreadClocks>,
    /// Records read, including those with an unknown action.
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
    /// A text of the file. Bytes that are not UTF-8 are replaced and counted.
    pub fn text<'a>(&mut self, bytes: &'a [u8], offset: u64) -> Cow<'a, str> {
        let text = String::from_utf8_lossy(bytes);
        if let Cow::Owned(text) = &text {
            let kind = RepairKind::InvalidUtf8;
            self.repairs.add(kind, offset, || text.clone());
        }
        text
    }

    /// The index of a thread that a record names. An unknown thread is declared without a name.
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

    /// Counts threads and methods without rows of their own.
    #[cold]
    pub fn beyond_limit(&mut self, what: &str, offset: u64) {
        let kind = RepairKind::BeyondLimit;
        self.repairs.add(kind, offset, || what.to_owned());
    }

    /// The index of a method that a record names. An unknown method is declared by its id.
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

    /// Declares a thread.
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

    /// Declares a method.
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

    /// Ends the records: passes on the repairs, then finishes.
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

/// Whether an id beyond `count` may get a row, this many bytes into the input.
fn has_room(count: usize, offset: u64, bytes_an_id: u64) -> bool {
    (count as u64) < FREE_IDS as u64 + offset / bytes_an_id
}

/// Collects single events into batches.
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
    /// Adds an event; passes on a full batch.
    #[inline]
    pub fn push(&mut self, event: MethodEvent, sink: &mut dyn MethodEvents) {
        self.events.push(event);
        if self.events.len() >= BATCH {
            self.flush(sink);
        }
    }

    /// Passes on the events collected so far.
    pub fn flush(&mut self, sink: &mut dyn MethodEvents) {
        if !self.events.is_empty() {
            sink.events(&self.events);
            self.events.clear();
        }
    }
}
