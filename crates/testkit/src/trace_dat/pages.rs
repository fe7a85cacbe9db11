//! Ring buffer pages.

use super::Machine;

/// Writes records to pages, as the kernel does for one CPU.
#[derive(Clone, Debug)]
pub struct RingPages {
    machine: Machine,
    page_bytes: usize,
    /// Complete pages.
    bytes: Vec<u8>,
    /// Data of the last page, and its first time.
    data: Vec<u8>,
    page_ts: u64,
    last_ts: u64,
    missing: Option<u64>,
}

const MISSING: u64 = 1 << 31;
const MISSING_STORED: u64 = 1 << 30;

impl RingPages {
    /// Pages of `page_bytes` bytes.
    pub fn new(machine: Machine, page_bytes: usize) -> Self {
        Self {
            machine,
            page_bytes,
            bytes: Vec::new(),
            data: Vec::new(),
            page_ts: 0,
            last_ts: 0,
            missing: None,
        }
    }

    fn header(&self) -> usize {
        8 + self.machine.long_bytes
    }

    /// Records that `events` events were lost, and begins a new page.
    pub fn lose(&mut self, events: u64) {
        self.end_page();
        self.missing = Some(events);
    }

    /// Adds an event.
    pub fn push(&mut self, ts: u64, event: &[u8]) {
        let words = event.len().div_ceil(4);
        let is_long = words > 28;
        let room = self.page_bytes - self.header() - 8;
        if self.data.len() + words * 4 + 16 > room {
            self.end_page();
        }
        if self.data.is_empty() {
            (self.page_ts, self.last_ts) = (ts, ts);
        }
        let delta = ts - self.last_ts;
        let delta = if delta >= 1 << 27 {
            self.word(30, delta & ((1 << 27) - 1));
            self.number(delta >> 27, 4);
            0
        } else {
            delta
        };
        if is_long {
            self.word(0, delta);
            self.number(words as u64 * 4 + 4, 4);
        } else {
            self.word(words as u32, delta)
        }
        self.data.extend_from_slice(event);
        self.data.resize(self.data.len().next_multiple_of(4), 0);
        self.last_ts = ts;
    }

    fn word(&mut self, type_len: u32, delta: u64) {
        let word = if !self.machine.big_endian {
            u64::from(type_len) | delta << 5
        } else {
            u64::from(type_len) << 27 | delta
        };
        self.number(word, 4);
    }

    fn number(&mut self, value: u64, size: usize) {
        let bytes = self.machine.number(value, size);
        self.data.extend(bytes);
    }

    fn end_page(&mut self) {
        if self.data.is_empty() {
            return;
        }
        let long = self.machine.long_bytes;
        let mut commit = self.data.len() as u64;
        if let Some(missing) = self.missing.take() {
            commit |= MISSING | MISSING_STORED;
            self.number(missing, long);
        }
        let end = self.bytes.len() + self.page_bytes;
        self.bytes.extend(self.machine.number(self.page_ts, 8));
        self.bytes.extend(self.machine.number(commit, long));
        self.bytes.append(&mut self.data);
        self.bytes.resize(end, 0);
    }

    /// All pages; the last is padded with zeros.
    pub fn finish(mut self) -> Vec<u8> {
        self.end_page();
        self.bytes
    }
}
