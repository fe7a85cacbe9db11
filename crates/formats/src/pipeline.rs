//! The thread pool of the readers: works on the pieces of an input on several threads and consumes
//! the results in their order.
//!
//! ```text
//! pieces     0   1   2   3   4   5   6
//! helpers    claim the next unclaimed piece, work on it, leave the result in its slot
//! consumer   takes slots 0, 1, 2 … in order; while the next one is not ready, it helps
//! ```
//! Consuming a piece (filling tables) takes about as long as working on it (tokenizing) and has to
//! happen in order, so a plain parallel map would leave the second thread idle half of the time.
//! Here the consumer is also a worker. Every piece is processed independently and consumed in
//! order, so the result cannot depend on the number of threads.

/// Calls `work` for the pieces `0..pieces` on up to `threads` threads, and `consume` for their
/// results in order. Results are reused: `spare` provides some and receives them back. Each thread
/// has its own scratch memory.
pub(crate) fn in_order<T: Default + Send, S: Default>(
    pieces: usize,
    threads: usize,
    spare: &mut Vec<T>,
    work: impl Fn(usize, &mut S, &mut T) + Sync,
    mut consume: impl FnMut(usize, &T),
) {
    #[cfg(feature = "threads")]
    if threads > 1 && pieces > 2 {
        return threaded::in_order(pieces, threads - 1, spare, work, consume);
    }
    let _ = threads;
    let mut result = spare.pop().unwrap_or_default();
    let mut scratch = S::default();
    for piece in 0..pieces {
        work(piece, &mut scratch, &mut result);
        consume(piece, &result);
    }
    spare.push(result);
}

/// Passes all items to `consume`, in order. With several threads, the iterator runs ahead on its own thread.
pub(crate) fn ahead<I: Iterator<Item: Send> + Send>(
    items: &mut I,
    threads: usize,
    mut consume: impl FnMut(I::Item),
) {
    #[cfg(feature = "threads")]
    if threads > 1 {
        threaded::ahead(items, &mut consume);
    }
    let _ = threads;
    // This also runs if no thread could be started.
    items.for_each(&mut consume);
}

/// Sorts stably by a key, on two threads if there are more than one.
pub(crate) fn sort<T: Send, K: Ord>(
    items: &mut [T],
    threads: usize,
    key: impl Fn(&T) -> K + Copy + Send,
) {
    #[cfg(feature = "threads")]
    if threads > 1 {
        threaded::sort_halves(items, key);
    }
    let _ = threads;
    // Two sorted halves are only merged.
    items.sort_by_key(key);
}

#[cfg(feature = "threads")]
mod threaded {
    use std::sync::mpsc;
    use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

    /// How many pieces each helper may be ahead of the consumer: enough that threads rarely have to
    /// wake each other, but few enough to need little memory.
    const AHEAD: usize = 16;

    /// The number of items passed at once, and the number of such batches that may wait. Batches stay in the cache,
    /// and threads rarely have to wake each other.
    const BATCH: usize = 1024;
    const BATCHES: usize = 8;

    pub(super) fn ahead<I: Iterator<Item: Send> + Send>(
        items: &mut I,
        consume: &mut impl FnMut(I::Item),
    ) {
        std::thread::scope(|scope| {
            let (full, batches) = mpsc::sync_channel(BATCHES);
            let (emptied, spare) = mpsc::channel();
            let run = move || fill(items, &full, &spare);
            let _ = std::thread::Builder::new().spawn_scoped(scope, run);
            for mut batch in batches {
                batch.drain(..).for_each(&mut *consume);
                let _ = emptied.send(batch);
            }
        });
    }

    /// Sends all items in batches, until the receiver stops.
    fn fill<T>(
        items: &mut impl Iterator<Item = T>,
        full: &mpsc::SyncSender<Vec<T>>,
        spare: &mpsc::Receiver<Vec<T>>,
    ) {
        loop {
            let mut batch = spare.try_recv().unwrap_or_default();
            batch.extend(items.take(BATCH));
            if batch.is_empty() || full.send(batch).is_err() {
                return;
            }
        }
    }

    /// Sorts each half. If no thread can be started, the first half keeps its order.
    pub(super) fn sort_halves<T: Send, K: Ord>(
        items: &mut [T],
        key: impl Fn(&T) -> K + Copy + Send,
    ) {
        let (first, second) = items.split_at_mut(items.len() / 2);
        std::thread::scope(|scope| {
            let run = move || first.sort_by_key(key);
            let _ = std::thread::Builder::new().spawn_scoped(scope, run);
            second.sort_by_key(key);
        });
    }

    struct State<T> {
        /// Results that are not consumed yet. Piece `n` is in slot `n % slots.len()`.
        slots: Vec<Option<T>>,
        next_unclaimed: usize,
        consumed: usize,
        spare: Vec<T>,
        /// The number of helpers waiting for free slots.
        waiting: usize,
        /// Whether the consumer waits for a result.
        starving: bool,
        /// Whether the helpers should stop.
        over: bool,
    }

    struct Shared<T, W> {
        work: W,
        pieces: usize,
        state: Mutex<State<T>>,
        /// Signals that a slot became ready.
        ready: Condvar,
        /// Signals that slots became free.
        room: Condvar,
        ahead: usize,
    }

    pub(super) fn in_order<T: Default + Send, S: Default, W: Fn(usize, &mut S, &mut T) + Sync>(
        pieces: usize,
        helpers: usize,
        spare: &mut Vec<T>,
        work: W,
        mut consume: impl FnMut(usize, &T),
    ) {
        let shared = Shared::new(work, pieces, helpers, std::mem::take(spare));
        std::thread::scope(|scope| {
            let _stop = StopHelpers(&shared);
            for _ in 0..helpers.min(pieces) {
                // If no thread can be started, the consumer does all the work.
                let _ = std::thread::Builder::new().spawn_scoped(scope, || shared.help());
            }
            let mut scratch = S::default();
            for piece in 0..pieces {
                let result = shared.take(piece, &mut scratch);
                consume(piece, &result);
                shared.give_back(result);
            }
        });
        let state = shared.state.into_inner();
        *spare = state.unwrap_or_else(PoisonError::into_inner).spare;
    }

    /// Stops the helpers when dropped. This also happens if the consumer panics, so that the scope
    /// can end.
    struct StopHelpers<'s, T, W>(&'s Shared<T, W>);

    impl<T, W> Drop for StopHelpers<'_, T, W> {
        fn drop(&mut self) {
            self.0.lock().over = true;
            self.0.room.notify_all();
        }
    }

    /// A claimed piece. It is dropped only if working on it panics. Its slot is then filled, so
    /// that no thread waits for it forever.
    struct Claim<'s, T: Default, W> {
        shared: &'s Shared<T, W>,
        piece: usize,
    }

    impl<T: Default, W> Drop for Claim<'_, T, W> {
        fn drop(&mut self) {
            self.shared.lock().put(self.piece, T::default());
            self.shared.ready.notify_all();
        }
    }

    impl<T, W> Shared<T, W> {
        fn new(work: W, pieces: usize, helpers: usize, spare: Vec<T>) -> Self {
            let ahead = helpers * AHEAD;
            Self {
                work,
                pieces,
                state: Mutex::new(State {
                    slots: (0..=ahead).map(|_| None).collect(),
                    next_unclaimed: 0,
                    consumed: 0,
                    spare,
                    waiting: 0,
                    starving: false,
                    over: false,
                }),
                ready: Condvar::new(),
                room: Condvar::new(),
                ahead,
            }
        }

        fn lock(&self) -> MutexGuard<'_, State<T>> {
            self.state.lock().unwrap_or_else(PoisonError::into_inner)
        }

        fn give_back(&self, result: T) {
            let mut state = self.lock();
            state.spare.push(result);
            state.consumed += 1;
            // Waiting helpers are woken when half of their slots are free, not for every piece.
            let room = state.next_unclaimed <= state.consumed + self.ahead / 2;
            let wake = state.waiting > 0 && room;
            // A woken helper needs the lock.
            drop(state);
            if wake {
                self.room.notify_all();
            }
        }
    }

    impl<T: Default, W> Shared<T, W> {
        /// The loop of a helper.
        fn help<S: Default>(&self)
        where
            W: Fn(usize, &mut S, &mut T),
        {
            let mut scratch = S::default();
            let mut state = self.lock();
            while !state.over && state.next_unclaimed < self.pieces {
                if state.next_unclaimed >= state.consumed + self.ahead {
                    state.waiting += 1;
                    let waited = self.room.wait(state);
                    state = waited.unwrap_or_else(PoisonError::into_inner);
                    state.waiting -= 1;
                    continue;
                }
                state = self.work_on_next(state, &mut scratch);
                // `notify_one` makes a system call even if no thread waits, so it is only called if one does.
                if state.starving {
                    self.ready.notify_one();
                }
            }
        }

        /// Claims the next piece, works on it and leaves the result in its slot.
        fn work_on_next<'s, S>(
            &'s self,
            mut state: MutexGuard<'s, State<T>>,
            scratch: &mut S,
        ) -> MutexGuard<'s, State<T>>
        where
            W: Fn(usize, &mut S, &mut T),
        {
            let piece = state.next_unclaimed;
            state.next_unclaimed += 1;
            let mut result = state.spare.pop().unwrap_or_default();
            drop(state);
            let claim = Claim {
                shared: self,
                piece,
            };
            (self.work)(piece, scratch, &mut result);
            std::mem::forget(claim);
            let mut state = self.lock();
            state.put(piece, result);
            state
        }

        /// Takes the result of `piece`, which is the next in order.
        fn take<S>(&self, piece: usize, scratch: &mut S) -> T
        where
            W: Fn(usize, &mut S, &mut T),
        {
            let mut state = self.lock();
            loop {
                if let Some(result) = state.slot(piece).take() {
                    return result;
                }
                let may_help = state.next_unclaimed < self.pieces.min(piece + self.ahead);
                if may_help {
                    state = self.work_on_next(state, scratch);
                    continue;
                }
                state.starving = true;
                let waited = self.ready.wait(state);
                state = waited.unwrap_or_else(PoisonError::into_inner);
                state.starving = false;
            }
        }
    }

    impl<T> State<T> {
        fn slot(&mut self, piece: usize) -> &mut Option<T> {
            let slot = piece % self.slots.len();
            &mut self.slots[slot]
        }

        fn put(&mut self, piece: usize, result: T) {
            *self.slot(piece) = Some(result);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ahead, in_order, sort};

    #[test]
    fn results_are_consumed_in_order() {
        for threads in [1, 2, 4] {
            let (mut spare, mut results) = (Vec::new(), Vec::new());
            for pieces in [0, 1, 3, 500] {
                let work = |piece, calls: &mut usize, result: &mut usize| {
                    *calls += 1;
                    *result = piece * 3;
                };
                let consume = |piece, result: &usize| results.push((piece, *result));
                in_order(pieces, threads, &mut spare, work, consume);
                let expected = (0..pieces).map(|piece| (piece, piece * 3));
                assert!(results.drain(..).eq(expected), "{threads} threads");
            }
        }
    }

    #[test]
    fn sorting_is_stable() {
        let items = (0..5_000u64).map(|n| (n.wrapping_mul(0x9e37_79b9) % 97, n));
        let items: Vec<_> = items.collect();
        for threads in [1, 2] {
            let mut sorted = items.clone();
            sort(&mut sorted, threads, |item| item.0);
            assert!(sorted.is_sorted(), "{threads} threads");
        }
    }

    #[test]
    fn an_iterator_ahead_keeps_its_order() {
        for threads in [1, 2] {
            for count in [0, 1, 1024, 100_000] {
                let mut seen = Vec::new();
                ahead(&mut (0..count), threads, |item| seen.push(item));
                assert!(seen.into_iter().eq(0..count), "{threads} threads");
            }
        }
    }

    #[cfg(feature = "threads")]
    #[test]
    fn a_panic_on_either_side_ends_an_iterator_ahead() {
        let panics = |in_iterator: bool| {
            std::panic::catch_unwind(|| {
                let mut items =
                    (0..100_000).inspect(|item| assert!(!in_iterator || *item != 5_000));
                ahead(&mut items, 2, |item| assert!(in_iterator || item != 5_000));
            })
        };
        assert!(panics(true).is_err() && panics(false).is_err());
    }

    #[cfg(feature = "threads")]
    #[test]
    fn a_panic_ends_all_threads() {
        let panics = |in_work: bool| {
            std::panic::catch_unwind(|| {
                let work = |piece, (): &mut (), _: &mut ()| assert!(!in_work || piece != 40);
                let consume = |piece, (): &()| assert!(in_work || piece != 40);
                in_order(200, 3, &mut Vec::new(), work, consume);
            })
        };
        assert!(panics(true).is_err() && panics(false).is_err());
    }
}
