//! From pages to records: time, position and bytes of each event of one CPU.
//!
//! ```text
//! page     time of the first record (u64) | commit (long) | data …
//! commit   bits 0-26: bytes of data · bit 31: events are missing before this page ·
//!          bit 30: how many stands behind the data, as a long
//! record   type_len (5 bits) | time since the record before (27 bits) | …
//!   1-28   an event of 4 * type_len bytes
//!   0      an event; the next 4 bytes are its length and 4 more
//!   29     padding: without time the rest of the page, else a dropped event of the length that
//!          the next 4 bytes have
//!   30     time extend: the next 4 bytes are bits 27-58 of the time to add
//!   31     time stamp: the next 4 bytes are bits 27-58 of the time itself
//! ```
//! The source is the kernel's `include/linux/ring_buffer.h` and `kernel/trace/ring_buffer.c`. On a
//! big-endian machine type_len is the upper bits of its word.

use super::layout::PageLayout;

/// One event as it stands in a page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RawEvent<'a> {
    /// When, in units of the trace clock (mostly ns).
    pub ts: u64,
    /// Where its record begins, bytes from the start of the CPU's data.
    pub offset: u64,
    /// The event: common fields and its own. May have up to 3 bytes more than its format says.
    pub data: &'a [u8],
}

/// Something that is missing or broken in a CPU's pages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum PageFault {
    /// The kernel dropped events before this page.
    Lost {
        /// How many; 0 where the page does not say.
        events: u64,
        /// Where the page begins, bytes from the start of the CPU's data.
        offset: u64,
    },
    /// The last page is not whole; what is there of it was read.
    TornPage {
        /// Where it begins.
        offset: u64,
        /// How many bytes of it are there.
        bytes: u64,
    },
    /// A page says that it holds more than fits into it; it was read up to its end.
    BadCommit {
        /// Where it begins.
        offset: u64,
        /// What it says.
        commit: u64,
    },
    /// A record reaches beyond its page; the rest of the page was left out.
    BadRecord {
        /// Where the record begins.
        offset: u64,
        /// Bytes left out.
        bytes: u64,
    },
}

const LENGTH_MASK: u64 = (1 << 27) - 1;
const MISSING: u64 = 1 << 31;
const MISSING_STORED: u64 = 1 << 30;

const PADDING: u32 = 29;
const TIME_EXTEND: u32 = 30;
const TIME_STAMP: u32 = 31;
/// Bits of the time in a record's first word.
const TIME_BITS: u32 = 27;
/// The bits of an absolute time that a time stamp lacks; they are those of the time before.
const UPPER_BITS: u64 = 0x1f << 59;

/// Iterates over the events in the pages of one CPU.
#[derive(Clone, Debug)]
pub struct CpuPages<'a> {
    layout: PageLayout,
    bytes: &'a [u8],
    /// Where the next page begins.
    next_page: usize,
    /// Where the data of the current page begins.
    data_at: usize,
    /// The valid data of the current page.
    data: &'a [u8],
    at: usize,
    ts: u64,
    faults: Vec<PageFault>,
}

/// What a record turned out to be.
enum Step<'a> {
    Event(&'a [u8]),
    /// Time or padding.
    Nothing,
    /// The rest of the page holds nothing.
    EndOfPage,
    Broken,
}

impl<'a> CpuPages<'a> {
    /// The pages of one CPU, one after the other.
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

    /// What was missing or broken since the last call. Faults before an event are there when the
    /// event is.
    pub fn take_faults(&mut self) -> Vec<PageFault> {
        std::mem::take(&mut self.faults)
    }

    /// Whether [`take_faults`](Self::take_faults) has something to give.
    #[inline]
    pub fn has_faults(&self) -> bool {
        !self.faults.is_empty()
    }

    /// Turns to the next page that has a whole header; `false` if there is none.
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

    /// Takes the record at `self.at` apart and goes behind it.
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
                // The length counts itself, not the word before it.
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
        // Records stand at multiples of 4.
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
