//! The events of all threads in order of time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::clock::ClockMap;
use crate::events::Event;
use crate::recording::Chunk;
use crate::stream::{Stream, StreamFaults};

/// All events in order of time; those of one time in the order of threads.
#[derive(Debug)]
pub struct Events<'r, 'a> {
    clock: &'r ClockMap,
    streams: Vec<Stream<'r, 'a>>,
    heads: Vec<Option<Event<'a>>>,
    /// The next time of each stream but the current one.
    waiting: BinaryHeap<Reverse<(i64, usize)>>,
    current: Option<usize>,
}

impl<'r, 'a> Events<'r, 'a> {
    pub(crate) fn new(
        runs: impl Iterator<Item = (usize, &'r [Chunk<'a>])>,
        clock: &'r ClockMap,
    ) -> Self {
        let mut streams: Vec<_> = runs
            .map(|(thread, chunks)| Stream::new(thread, chunks))
            .collect();
        let heads: Vec<_> = streams
            .iter_mut()
            .map(|stream| stream.next(clock))
            .collect();
        let times = heads.iter().enumerate();
        let times = times.filter_map(|(index, head)| Some(Reverse((head.as_ref()?.ts_ns, index))));
        Self {
            clock,
            waiting: times.collect(),
            streams,
            heads,
            current: None,
        }
    }

    /// Chunks that ended in something that is no record, and where the first of them begins; whole
    /// once all events were taken.
    pub fn torn(&self) -> (u64, u64) {
        self.sum(|faults| (faults.torn, faults.first_torn))
    }

    /// Marks of which a part is missing, and where the first of them stands; as [`torn`](Self::torn).
    pub fn partial_marks(&self) -> (u64, u64) {
        self.sum(|faults| (faults.partial_marks, faults.first_partial))
    }

    fn sum(&self, of: impl Fn(&StreamFaults) -> (u64, u64)) -> (u64, u64) {
        let faults = self.streams.iter().map(|stream| of(&stream.faults));
        let faults = faults.filter(|(count, _)| *count > 0);
        faults
            .reduce(|a, b| (a.0 + b.0, a.1.min(b.1)))
            .unwrap_or_default()
    }
}

impl<'a> Iterator for Events<'_, 'a> {
    type Item = Event<'a>;

    #[inline]
    fn next(&mut self) -> Option<Event<'a>> {
        let stream = match self.current {
            Some(stream) => stream,
            None => self.waiting.pop()?.0.1,
        };
        let event = self.heads[stream].take()?;
        let next = self.streams[stream].next(self.clock);
        // Threads mostly write several events before another one does.
        self.current = next.as_ref().and_then(|next| {
            let key = (next.ts_ns, stream);
            let goes_on = self
                .waiting
                .peek()
                .is_none_or(|Reverse(other)| key < *other);
            if !goes_on {
                self.waiting.push(Reverse(key));
            }
            goes_on.then_some(stream)
        });
        self.heads[stream] = next;
        Some(event)
    }
}
