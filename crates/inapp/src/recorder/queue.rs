//! The chunks that may be taken, the one that was filled first in front.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// A place in the queue. `turn` says whose it is: equal to a position, the pusher's of that position;
/// one more, the popper's.
#[derive(Debug)]
struct Cell {
    turn: AtomicU64,
    chunk: AtomicU32,
    claim: AtomicU64,
}

/// A chunk, and the claim that it had when it was put here. Another one says that the chunk was stolen since; then it
/// may stand in the queue a second time, further behind.
pub(crate) type Waiting = (u32, u64);

/// A bounded queue for any number of threads. Nobody waits: whoever finds a place that another thread is
/// just using sees the queue as full or empty. So it may be used in signal handlers too.
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
    /// A queue that holds all chunks from 0 to `count`, which nobody has claimed.
    pub fn full(count: u32) -> Self {
        let length = u64::from(count.max(2)).next_power_of_two() * 2;
        let cells = (0..length).map(|position| Cell {
            turn: AtomicU64::new(position),
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

    /// Puts a chunk at the end. False where a popper has not yet left the place, which only a signal
    /// handler or a stalled thread can meet.
    pub fn push(&self, (chunk, claim): Waiting) -> bool {
        let mut position = self.tail.load(Ordering::Relaxed);
        loop {
            let cell = self.cell(position);
            let turn = cell.turn.load(Ordering::Acquire);
            if turn == position {
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
                        cell.turn.store(next, Ordering::Release);
                        return true;
                    }
                    Err(now) => position = now,
                }
            } else if turn < position {
                return false;
            } else {
                position = self.tail.load(Ordering::Relaxed);
            }
        }
    }

    /// Takes the first chunk.
    pub fn pop(&self) -> Option<Waiting> {
        let mut position = self.head.load(Ordering::Relaxed);
        loop {
            let cell = self.cell(position);
            let turn = cell.turn.load(Ordering::Acquire);
            let next = position + 1;
            if turn == next {
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
                        cell.turn.store(free_again, Ordering::Release);
                        return Some((chunk, claim));
                    }
                    Err(now) => position = now,
                }
            } else if turn < next {
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
    fn nothing_is_lost_or_doubled_between_threads() {
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
