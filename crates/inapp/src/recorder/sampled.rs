//! The threads whose stacks are sampled.

use traceloom_ring::ClockSource;
use traceloom_ring::layout::{SAMPLED_TID, THREAD_NAME_BYTES};

use super::writer::{Claimed, Identity, Writer};

/// The sampled threads by index. When a thread ends, its index is reused.
#[derive(Debug, Default)]
pub(crate) struct SampledThreads(pub Vec<Option<SampledThread>>);

#[derive(Debug)]
pub(crate) struct SampledThread {
    pub writer: Writer,
    /// The methods of the last sample, outermost first.
    pub open: Vec<u32>,
}

impl SampledThreads {
    /// Adds a thread and returns its index.
    pub fn add(&mut self, thread: SampledThread) -> u32 {
        let free = self.0.iter().position(Option::is_none);
        let index = free.unwrap_or(self.0.len());
        match self.0.get_mut(index) {
            Some(place) => *place = Some(thread),
            None => self.0.push(Some(thread)),
        }
        index as u32
    }
}

impl SampledThread {
    /// A thread of the recording number `session`. `number` is the virtual machine's number of the thread.
    pub fn new(session: u64, key: u32, number: u32, name: &[u8]) -> Self {
        let mut short = [0; THREAD_NAME_BYTES];
        let length = name.len().min(THREAD_NAME_BYTES - 1);
        short[..length].copy_from_slice(&name[..length]);
        Self {
            writer: Writer {
                session,
                body: 0,
                records: 0,
                used: 0,
                // No room: the first event claims a chunk.
                room: 0,
                clock: ClockSource::default(),
                claimed: Claimed { chunk: 0, claim: 0 },
                last: 0,
                entries: 0,
                entries_end: 0,
                ordinal: 0,
                identity: Identity {
                    key,
                    tid: SAMPLED_TID | number & (SAMPLED_TID - 1),
                    name: short,
                },
            },
            open: Vec::new(),
        }
    }
}
