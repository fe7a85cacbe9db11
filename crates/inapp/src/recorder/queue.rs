//! The queue of chunks that may be claimed, in the order in which they were filled.
//!
//! The queue is our own because it must work in signal handlers. `std::sync::mpsc` and the queues of the usual crates
//! allocate or wait.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// A cell of the queue. If `sequence` equals a position, the cell is free for the push at that
/// position; if `sequence` is one more, the cell is ready for the pop at that position.
#[derive(Debug)]
struct Cell {
    sequence: AtomicU64,
    chunk: AtomicU32,
    claim: AtomicU64,
}

/// A chunk and its claim at the time of the push. If the claim counter differs, another thread has taken the chunk. The
/// queue may then contain the chunk twice.
pub(crate) type QueuedChunk = (u32, u64);

/// A bounded queue for any number of threads. It never waits: a thread that meets a cell in use by another thread sees
/// the queue as full or empty. So it may be used in signal handlers.
///
/// ```text
///  pop here ▼           ▼ push here
///  ┌─────┬─────┬─────┬─────┬─────┐
///  │     │  3  │  0  │     │     │   the number of cells is a power of two; positions only grow
///  └─────┴─────┴─────┴─────┴─────┘
/// ```
#[derive(Debug)]
pub(crate) struct Queue {
    cells: Box<[Cell]>,
    head: AtomicU64,
    tail: AtomicU64,
}

impl Queue {
    /// A queue with the chunks `0..count`, all unclaimed.
    pub fn full(count: u32) -> Self {
        let length = u64::from(count.max(2)).next_power_of_two() * 2;
        let cells = (0..length).map(|position| Cell {
            sequence: AtomicU64::new(position),
            chunk: AtomicU32::new(0),
            claim: AtomicU64::new(0),
        });
        let queue = Self {
            cells: cells.collect(),
            head: AtomicU64::new(0),
            tail: AtomicU64::new(0),
        };
        (0..count).for_each(|chunk| _ = queue.push((chunk, 0)));
        queue
    }

    fn cell(&self, position: u64) -> &Cell {
        &self.cells[position as usize & (self.cells.len() - 1)]
    }

    /// Appends a chunk. False if a pop has not finished with the cell yet, which only happens in a signal handler or
    /// if a thread is stalled.
    pub fn push(&self, (chunk, claim): QueuedChunk) -> bool {
        let mut position = self.tail.load(Ordering::Relaxed);
        loop {
            let cell = self.cell(position);
            let sequence = cell.sequence.load(Ordering::Acquire);
            if sequence == position {
                let next = position + 1;
                match self.tail.compare_exchange_weak(
                    position,
                    next,
                    Ordering::Relaxed,
                    Ordering::Relaxed,
                ) {
                    Ok(_) => {
                        cell.chunk.store(chunk, Ordering::Relaxed);
                        cell.claim.store(claim, Ordering::Relaxed);
                        cell.sequence.store(next, Ordering::Release);
                        return true;
                    }
                    Err(now) => position = now,
                }
            } else if sequence < position {
                return false;
            } else {
                position = self.tail.load(Ordering::Relaxed);
            }
        }
    }

    /// Takes the first chunk.
    pub fn pop(&self) -> Option<QueuedChunk> {
        let mut position = self.head.load(Ordering::Relaxed);
        loop {
            let cell = self.cell(position);
            let sequence = cell.sequence.load(Ordering::Acquire);
            let next = position + 1;
            if sequence == next {
                match self.head.compare_exchange_weak(
                    position,
                    next,
                    Ordering::Relaxed,
                    Ordering::Relaxed,
                ) {
                    Ok(_) => {
                        let chunk = cell.chunk.load(Ordering::Relaxed);
                        let claim = cell.claim.load(Ordering::Relaxed);
                        let free_again = position + self.cells.len() as u64;
                        cell.sequence.store(free_again, Ordering::Release);
                        return Some((chunk, claim));
                    }
                    Err(now) => position = now,
                }
            } else if sequence < next {
                return None;
            } else {
                position = self.head.load(Ordering::Relaxed);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_in_first_out() {
        let queue = Queue::full(3);
        assert_eq!(queue.pop(), Some((0, 0)));
        queue.push((0, 7));
        let rest: Vec<_> = std::iter::from_fn(|| queue.pop()).collect();
        assert_eq!(rest, [(1, 0), (2, 0), (0, 7)]);
    }

    #[test]
    fn nothing_is_lost_or_duplicated_between_threads() {
        let queue = Queue::full(7);
        let refused = AtomicU32::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..20_000 {
                        if queue.pop().is_some_and(|chunk| !queue.push(chunk)) {
                            refused.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                });
            }
        });
        let mut rest: Vec<_> = std::iter::from_fn(|| queue.pop()).collect();
        rest.sort_unstable();
        rest.dedup();
        assert_eq!(rest.len() + refused.into_inner() as usize, 7, "{rest:?}");
    }
}
