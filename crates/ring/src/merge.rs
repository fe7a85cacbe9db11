//! Merging the events of all threads into one sequence, ordered by time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::chunk::Chunk;
use crate::clock::ClockMap;
use crate::events::Event;
use crate::stream::{Stream, StreamFaults};

/// All events, ordered by time; events of the same time are ordered by thread.
#[derive(Debug)]
pub struct Events<'r, 'a> {
    clock: &'r ClockMap,
    streams: Vec<Stream<'r, 'a>>,
    heads: Vec<Option<Event<'a>>>,
    /// The next event's time of each stream except the current one.
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

    /// The number of chunks that end in an invalid record, and the offset of the first. Complete once all events have
    /// been taken.
    pub fn torn(&self) -> (u64, u64) {
        self.sum(|faults| (faults.torn, faults.first_torn))
    }

    /// The number of marks with a missing part, and the offset of the first. Complete once all events have been taken.
    pub fn partial_marks(&self) -> (u64, u64) {
        self.sum(|faults| (faults.partial_marks, faults.first_partial))
    }

    fn sum(&self, fault: impl Fn(&StreamFaults) -> (u64, u64)) -> (u64, u64) {
        let faults = self.streams.iter().map(|stream| fault(&stream.faults));
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
        // Usually a thread writes several events in a row: skip the heap for those.
        self.current = next.as_ref().and_then(|next| {
            let key = (next.ts_ns, stream);
            let is_earliest = self
                .waiting
                .peek()
                .is_none_or(|Reverse(other)| key < *other);
            if !is_earliest {
                self.waiting.push(Reverse(key));
            }
            is_earliest.then_some(stream)
        });
        self.heads[stream] = next;
        Some(event)
    }
}
