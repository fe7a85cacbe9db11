//! The events of one thread and nesting, in the order in which it wrote them.

use std::borrow::Cow;

use crate::chunk::{Chunk, ChunkHeader};
use crate::clock::{ClockMap, Line};
use crate::events::{Event, Name, What};
use crate::fault::count_fault;
use crate::layout::{MARK_CONTINUES, MARK_GOES_ON};
use crate::record::{Kind, Record, Records};

/// Damage found in the records.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StreamFaults {
    /// Chunks that end in an invalid record.
    pub torn: u64,
    pub first_torn: u64,
    /// Marks with a missing part.
    pub partial_marks: u64,
    pub first_partial: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct Stream<'r, 'a> {
    pub thread: usize,
    chunks: std::slice::Iter<'r, Chunk<'a>>,
    records: Records<'a>,
    /// Offset of the current chunk's records, bytes.
    offset: u64,
    /// The clock near the last record.
    line: Option<Line>,
    /// Header of the current chunk.
    header: Option<&'r ChunkHeader>,
    /// Number of chunks missing before the next event.
    missing: u32,
    /// An unfinished mark: its time, its offset and the text so far.
    pending: Option<(i64, u64, Vec<u8>)>,
    pub faults: StreamFaults,
}

impl<'r, 'a> Stream<'r, 'a> {
    pub fn new(thread: usize, chunks: &'r [Chunk<'a>]) -> Self {
        Self {
            thread,
            chunks: chunks.iter(),
            records: Records::new(&[], 0),
            offset: 0,
            line: None,
            header: None,
            missing: 0,
            pending: None,
            faults: StreamFaults::default(),
        }
    }

    /// The next event.
    #[inline]
    pub fn next(&mut self, clock: &ClockMap) -> Option<Event<'a>> {
        loop {
            match self.records.next_record() {
                Some(record) => {
                    let ts_ns = self.ns(record.ticks, clock);
                    let offset = self.offset + record.at as u64;
                    if let Some(mut event) = self.event(record, ts_ns, offset) {
                        event.missing_chunks = std::mem::take(&mut self.missing);
                        return Some(event);
                    }
                }
                None => self.next_chunk()?,
            }
        }
    }

    #[inline]
    fn ns(&mut self, ticks: u64, clock: &ClockMap) -> i64 {
        match self.line.filter(|line| line.contains(ticks)) {
            Some(line) => line.ns(ticks),
            None => self.line.insert(clock.line(ticks)).ns(ticks),
        }
    }

    #[cold]
    fn next_chunk(&mut self) -> Option<()> {
        if self.records.torn_bytes() > 0 {
            let at = self.offset;
            count_fault(&mut self.faults.torn, &mut self.faults.first_torn, at);
        }
        self.records = Records::new(&[], 0);
        let Some(chunk) = self.chunks.next() else {
            self.drop_pending();
            return None;
        };
        let header = &chunk.header;
        let missing = self.header.map_or(0, |before| header.missing_since(before));
        if missing > 0 {
            // The rest of the mark was in the missing chunks.
            self.drop_pending();
        }
        if header.nesting == 0 {
            self.missing = self.missing.saturating_add(missing);
        }
        self.header = Some(header);
        self.records = Records::new(chunk.body, header.base);
        self.offset = chunk.offset;
        Some(())
    }

    fn drop_pending(&mut self) {
        if let Some((_, at, _)) = self.pending.take() {
            self.count_partial_mark(at);
        }
    }

    fn count_partial_mark(&mut self, at: u64) {
        let faults = &mut self.faults;
        count_fault(&mut faults.partial_marks, &mut faults.first_partial, at);
    }

    #[inline]
    fn event(&mut self, record: Record<'a>, ts_ns: i64, offset: u64) -> Option<Event<'a>> {
        if record.kind == Kind::Mark {
            return self.mark(record, ts_ns, offset);
        }
        let what = what(&record)?;
        Some(Event {
            ts_ns,
            thread: self.thread,
            what,
            offset,
            missing_chunks: 0,
        })
    }

    /// A mark, or a part of one.
    fn mark(&mut self, record: Record<'a>, ts_ns: i64, offset: u64) -> Option<Event<'a>> {
        let goes_on = record.argument & MARK_GOES_ON != 0;
        let continues = record.argument & MARK_CONTINUES != 0;
        let event = |ts_ns, offset, text| Event {
            ts_ns,
            thread: self.thread,
            what: What::Mark(text),
            offset,
            missing_chunks: 0,
        };
        match (continues, goes_on) {
            (false, false) => {
                let event = event(ts_ns, offset, Cow::Borrowed(record.text));
                self.drop_pending();
                Some(event)
            }
            (false, true) => {
                self.drop_pending();
                self.pending = Some((ts_ns, offset, record.text.to_vec()));
                None
            }
            (true, _) => {
                let Some((ts, at, text)) = &mut self.pending else {
                    self.count_partial_mark(offset);
                    return None;
                };
                text.extend_from_slice(record.text);
                if goes_on {
                    return None;
                }
                let (ts, at, text) = (*ts, *at, std::mem::take(text));
                self.pending = None;
                let what = What::Mark(Cow::Owned(text));
                Some(Event {
                    ts_ns: ts,
                    thread: self.thread,
                    what,
                    offset: at,
                    missing_chunks: 0,
                })
            }
        }
    }
}

#[inline]
fn what<'a>(record: &Record<'a>) -> Option<What<'a>> {
    let id = record.argument;
    let (name, text) = (Name::Id(id), Name::Text(record.text));
    let value = record.value as i64;
    let cpu_ns = Some(record.value);
    Some(match record.kind {
        Kind::Begin => What::Begin(name),
        Kind::End => What::End,
        Kind::Enter => What::Enter { id, cpu_ns: None },
        Kind::Exit => What::Exit { id, cpu_ns: None },
        Kind::EnterCpu => What::Enter { id, cpu_ns },
        Kind::ExitCpu => What::Exit { id, cpu_ns },
        Kind::Counter => What::Counter(name, value),
        Kind::Instant => What::Instant(name),
        Kind::AsyncBegin => What::AsyncBegin(name, value),
        Kind::AsyncEnd => What::AsyncEnd(name, value),
        Kind::BeginNamed => What::Begin(text),
        Kind::CounterNamed => What::Counter(text, value),
        Kind::InstantNamed => What::Instant(text),
        Kind::AsyncBeginNamed => What::AsyncBegin(text, value),
        Kind::AsyncEndNamed => What::AsyncEnd(text, value),
        Kind::Mark | Kind::Time | Kind::Owner => return None,
    })
}
