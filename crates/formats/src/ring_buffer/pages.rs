//! Splits pages into records: time, position and bytes of each event of one CPU.
//!
//! ```text
//! page     time of the first record (u64) | commit (long) | data …
//! commit   bits 0-26: bytes of data · bit 31: events are missing before this page ·
//!          bit 30: the number of missing events follows the data, as a long
//! record   type_len (5 bits) | time since the previous record (27 bits) | …
//!   1-28   an event of 4 * type_len bytes
//!   0      an event; the next 4 bytes are its length plus 4
//!   29     padding: without time, the rest of the page; otherwise a dropped event whose length is
//!          in the next 4 bytes
//!   30     time extend: the next 4 bytes are bits 27-58 of the time to add
//!   31     time stamp: the next 4 bytes are bits 27-58 of the time itself
//! ```
//! The source is the kernel's `include/linux/ring_buffer.h` and `kernel/trace/ring_buffer.c`. On a
//! big-endian machine type_len is the upper bits of its word.

use super::layout::PageLayout;

/// One event in a page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RawEvent<'a> {
    /// The time, in units of the trace clock (usually ns).
    pub ts: u64,
    /// The start of its record, bytes from the start of the CPU's data.
    pub offset: u64,
    /// The event: the common fields and its own fields. It may have up to 3 bytes more than its format declares.
    pub data: &'a [u8],
}

/// Missing or broken data in a CPU's pages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum PageFault {
    /// The kernel dropped events before this page.
    Lost {
        /// The number of lost events; 0 if the page does not give it.
        events: u64,
        /// The start of the page, bytes from the start of the CPU's data.
        offset: u64,
    },
    /// The last page is incomplete. The part that is present was read.
    TornPage {
        /// The start of the page.
        offset: u64,
        /// The number of bytes present.
        bytes: u64,
    },
    /// A page claims to hold more than fits into it. It was read to its end.
    BadCommit {
        /// The start of the page.
        offset: u64,
        /// The claimed size.
        commit: u64,
    },
    /// A record extends beyond its page. The rest of the page was skipped.
    BadRecord {
        /// The start of the record.
        offset: u64,
        /// The number of skipped bytes.
        bytes: u64,
    },
}

const LENGTH_MASK: u64 = (1 << 27) - 1;
const MISSING: u64 = 1 << 31;
const MISSING_STORED: u64 = 1 << 30;

const PADDING: u32 = 29;
const TIME_EXTEND: u32 = 30;
const TIME_STAMP: u32 = 31;
/// The number of time bits in a record's first word.
const TIME_BITS: u32 = 27;
/// The bits that a time stamp record lacks. They are taken from the previous time.
const UPPER_BITS: u64 = 0x1f << 59;

/// Iterates over the events in the pages of one CPU.
#[derive(Clone, Debug)]
pub struct CpuPages<'a> {
    layout: PageLayout,
    bytes: &'a [u8],
    /// The start of the next page.
    next_page: usize,
    /// The start of the current page's data.
    data_at: usize,
    /// The valid data of the current page.
    data: &'a [u8],
    at: usize,
    ts: u64,
    faults: Vec<PageFault>,
}

/// The result of parsing a record.
enum Step<'a> {
    Event(&'a [u8]),
    /// A time or padding record.
    Nothing,
    /// The rest of the page is empty.
    EndOfPage,
    Broken,
}

impl<'a> CpuPages<'a> {
    /// Iterates over consecutive pages of one CPU.
    pub fn new(bytes: &'a [u8], layout: PageLayout) -> Self {
        Self {
            layout,
            bytes,
            next_page: 0,
            data_at: 0,
            data: &[],
            at: 0,
            ts: 0,
            faults: Vec::new(),
        }
    }

    /// Takes the faults since the last call. A fault before an event is available as soon as the
    /// event is returned.
    pub fn take_faults(&mut self) -> Vec<PageFault> {
        std::mem::take(&mut self.faults)
    }

    /// Whether [`take_faults`](Self::take_faults) would return something.
    #[inline]
    pub fn has_faults(&self) -> bool {
        !self.faults.is_empty()
    }

    /// Moves to the next page with a complete header; `false` if there is none.
    fn turn_page(&mut self) -> bool {
        let (layout, start) = (self.layout, self.next_page);
        let rest = self.bytes.get(start..).unwrap_or_default();
        if rest.is_empty() {
            return false;
        }
        let page = &rest[..rest.len().min(layout.page_bytes)];
        self.next_page = start + page.len();
        let offset = start as u64;
        if page.len() < layout.page_bytes {
            let bytes = page.len() as u64;
            self.faults.push(PageFault::TornPage { offset, bytes });
        }
        let order = layout.order;
        let commit = order.uint(page, layout.commit_at, layout.long_bytes);
        let (Some(ts), Some(commit)) = (order.u64(page, 0), commit) else {
            return false;
        };
        let data = page.get(layout.data_at..).unwrap_or_default();
        self.note_loss(commit, data, offset);
        let length = (commit & LENGTH_MASK) as usize;
        if length > layout.page_bytes - layout.data_at {
            let commit = length as u64;
            self.faults.push(PageFault::BadCommit { offset, commit });
        }
        self.data_at = start + layout.data_at;
        self.data = &data[..length.min(data.len())];
        (self.at, self.ts) = (0, ts);
        true
    }

    fn note_loss(&mut self, commit: u64, data: &[u8], offset: u64) {
        if commit & MISSING == 0 {
            return;
        }
        let stored = (commit & MISSING_STORED != 0).then(|| {
            let at = (commit & LENGTH_MASK) as usize;
            self.layout.order.uint(data, at, self.layout.long_bytes)
        });
        let events = stored.flatten().unwrap_or(0);
        self.faults.push(PageFault::Lost { events, offset });
    }

    /// Parses the record at `self.at` and moves past it.
    #[inline]
    fn step(&mut self) -> Step<'a> {
        let order = self.layout.order;
        let Some(word) = order.u32(self.data, self.at) else {
            return Step::Broken;
        };
        let (type_len, delta) = if !order.big_endian {
            (word & 31, word >> 5)
        } else {
            (word >> 27, word & LENGTH_MASK as u32)
        };
        let body = self.at + 4;
        if let 1..PADDING = type_len {
            self.ts = self.ts.wrapping_add(delta.into());
            return self.event(body, type_len as usize * 4);
        }
        self.rarer(type_len, delta, body)
    }

    fn rarer(&mut self, type_len: u32, delta: u32, body: usize) -> Step<'a> {
        let order = self.layout.order;
        if type_len == PADDING && delta == 0 {
            return Step::EndOfPage;
        }
        let Some(word) = order.u32(self.data, body) else {
            return Step::Broken;
        };
        let long_time = u64::from(word) << TIME_BITS | u64::from(delta);
        match type_len {
            TIME_EXTEND => self.ts = self.ts.wrapping_add(long_time),
            TIME_STAMP => self.ts = self.ts & UPPER_BITS | long_time,
            PADDING => {
                // The length includes itself, but not the word before it.
                self.ts = self.ts.wrapping_add(delta.into());
                return match body.checked_add(word as usize) {
                    Some(end) if word >= 4 && end <= self.data.len() => {
                        self.at = end;
                        Step::Nothing
                    }
                    _ => Step::Broken,
                };
            }
            _ => {
                self.ts = self.ts.wrapping_add(delta.into());
                let length = (word as usize).saturating_sub(4);
                return self.event(body + 4, length);
            }
        }
        self.at = body + 4;
        Step::Nothing
    }

    #[inline]
    fn event(&mut self, body: usize, length: usize) -> Step<'a> {
        let Some(data) = body
            .checked_add(length)
            .and_then(|end| self.data.get(body..end))
        else {
            return Step::Broken;
        };
        // Records are aligned to 4 bytes.
        self.at = body + length.next_multiple_of(4);
        Step::Event(data)
    }

    #[cold]
    fn broken(&mut self) {
        let offset = (self.data_at + self.at) as u64;
        let bytes = (self.data.len() - self.at.min(self.data.len())) as u64;
        self.faults.push(PageFault::BadRecord { offset, bytes });
        self.at = self.data.len();
    }
}

impl<'a> Iterator for CpuPages<'a> {
    type Item = RawEvent<'a>;

    #[inline]
    fn next(&mut self) -> Option<RawEvent<'a>> {
        loop {
            if self.at >= self.data.len() {
                if !self.turn_page() {
                    return None;
                }
                continue;
            }
            let record = self.at;
            match self.step() {
                Step::Event(data) => {
                    return Some(RawEvent {
                        ts: self.ts,
                        offset: (self.data_at + record) as u64,
                        data,
                    });
                }
                Step::Nothing => {}
                Step::EndOfPage => self.at = self.data.len(),
                Step::Broken => self.broken(),
            }
        }
    }
}

#[cfg(test)]
mod props;
#[cfg(test)]
mod tests;
