//! The threads of the readers. All functions give the same result for any number of threads.
//!
//! ```text
//! consumer   lets helpers begin a limited number of pieces; takes results 0, 1, 2 … in order;
//!            while the next one is not ready, it works on a piece itself
//! helpers    take the next piece that may begin, work on it, send the result
//! ```
//! Consuming a piece (filling tables) takes about as long as working on it (tokenizing) and has to happen in order, so
//! a plain parallel map would leave the second thread idle half of the time.

/// Calls `work` for the pieces `0..pieces` on up to `threads` threads, and `consume` for their results in order. Each
/// thread has its own scratch memory. A panic on any thread reaches the caller. The memory of results is reused.
pub(crate) fn in_order<T: Default + Send, S: Default>(
    pieces: usize,
    threads: usize,
    work: impl Fn(usize, &mut S, &mut T) + Sync,
    mut consume: impl FnMut(usize, &T),
) {
    #[cfg(feature = "threads")]
    if threads > 1 && pieces > 2 {
        return threaded::in_order(pieces, threads - 1, work, consume);
    }
    let _ = threads;
    let (mut scratch, mut result) = (S::default(), T::default());
    for piece in 0..pieces {
        work(piece, &mut scratch, &mut result);
        consume(piece, &result);
    }
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
    use std::collections::BTreeMap;
    use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
    use std::sync::{Mutex, mpsc};
    use std::thread;

    /// The number of pieces for each helper that may be ahead of the consumer: enough that threads rarely wait for each
    /// other, but few enough to need little memory.
    const AHEAD: usize = 16;

    /// The number of items passed at once, and the number of such batches that may wait. Batches stay in the cache,
    /// and threads rarely have to wake each other.
    const BATCH: usize = 1024;
    const BATCHES: usize = 8;

    pub(super) fn ahead<I: Iterator<Item: Send> + Send>(
        items: &mut I,
        consume: &mut impl FnMut(I::Item),
    ) {
        thread::scope(|scope| {
            let (full, batches) = mpsc::sync_channel::<Vec<I::Item>>(BATCHES);
            let run = move || {
                let next = || Some(items.take(BATCH).collect::<Vec<_>>());
                let batches = std::iter::from_fn(next).take_while(|batch| !batch.is_empty());
                // Sending fails if the consumer panicked.
                batches
                    .map_while(|batch| full.send(batch).ok())
                    .for_each(drop);
            };
            let _ = thread::Builder::new().spawn_scoped(scope, run);
            batches.into_iter().flatten().for_each(consume);
        });
    }

    /// Sorts each half. If no thread can be started, the first half keeps its order.
    pub(super) fn sort_halves<T: Send, K: Ord>(
        items: &mut [T],
        key: impl Fn(&T) -> K + Copy + Send,
    ) {
        let (first, second) = items.split_at_mut(items.len() / 2);
        thread::scope(|scope| {
            let run = move || first.sort_by_key(key);
            let _ = thread::Builder::new().spawn_scoped(scope, run);
            second.sort_by_key(key);
        });
    }

    pub(super) fn in_order<T: Default + Send, S: Default>(
        pieces: usize,
        helpers: usize,
        work: impl Fn(usize, &mut S, &mut T) + Sync,
        mut consume: impl FnMut(usize, &T),
    ) {
        let (begin, may_begin) = mpsc::channel();
        let may_begin = Mutex::new(may_begin);
        thread::scope(|scope| {
            // The helpers end when this is dropped, also if the consumer panics.
            let begin = begin;
            let (done, results) = mpsc::channel();
            for _ in 0..helpers.min(pieces) {
                let (may_begin, work, done) = (&may_begin, &work, done.clone());
                let run = move || help(may_begin, work, &done);
                // If no thread can be started, the consumer does all the work.
                let _ = thread::Builder::new().spawn_scoped(scope, run);
            }
            drop(done);
            let mut results = Results {
                may_begin: &may_begin,
                results,
                early: BTreeMap::new(),
                work: &work,
                scratch: S::default(),
            };
            let mut ahead = 0..pieces;
            for piece in ahead.by_ref().take(helpers * AHEAD) {
                let _ = begin.send((piece, T::default()));
            }
            for piece in 0..pieces {
                let result = results.take(piece);
                consume(piece, &result);
                let _ = ahead.next().map(|piece| begin.send((piece, result)));
            }
        });
    }

    /// A piece and its result, which is an old one until the work is done.
    type Piece<T> = (usize, T);

    /// The pieces that may begin. Whoever waits for one has the lock.
    type MayBegin<T> = Mutex<mpsc::Receiver<Piece<T>>>;

    /// A piece that was worked on, or the panic of its thread.
    type Done<T> = thread::Result<Piece<T>>;

    /// The loop of a helper.
    fn help<T, S: Default>(
        may_begin: &MayBegin<T>,
        work: &impl Fn(usize, &mut S, &mut T),
        done: &mpsc::Sender<Done<T>>,
    ) {
        let mut scratch = S::default();
        let next = || may_begin.lock().ok()?.recv().ok();
        for (piece, mut result) in std::iter::from_fn(next) {
            let worked = AssertUnwindSafe(|| work(piece, &mut scratch, &mut result));
            let worked = catch_unwind(worked).map(|()| (piece, result));
            if done.send(worked).is_err() {
                // The consumer panicked.
                return;
            }
        }
    }

    /// The consumer's view of the results.
    struct Results<'s, T, S, W> {
        may_begin: &'s MayBegin<T>,
        results: mpsc::Receiver<Done<T>>,
        /// Results whose turn has not come.
        early: BTreeMap<usize, T>,
        work: &'s W,
        scratch: S,
    }

    impl<T: Default, S, W: Fn(usize, &mut S, &mut T)> Results<'_, T, S, W> {
        fn take(&mut self, piece: usize) -> T {
            loop {
                if let Some(result) = self.early.remove(&piece) {
                    return result;
                }
                let (other, result) = self.next(piece);
                self.early.insert(other, result);
            }
        }

        /// The next piece that is done: by a helper, or by the consumer itself.
        fn next(&mut self, wanted: usize) -> Piece<T> {
            if let Ok(done) = self.results.try_recv() {
                return done.unwrap_or_else(|panic| resume_unwind(panic));
            }
            let may_begin = self.may_begin.try_lock().ok();
            if let Some(piece) = may_begin.and_then(|pieces| pieces.try_recv().ok()) {
                return self.work(piece);
            }
            match self.results.recv() {
                Ok(done) => done.unwrap_or_else(|panic| resume_unwind(panic)),
                // There is no helper.
                Err(_) => self.work((wanted, T::default())),
            }
        }

        fn work(&mut self, (piece, mut result): Piece<T>) -> Piece<T> {
            (self.work)(piece, &mut self.scratch, &mut result);
            (piece, result)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ahead, in_order, sort};

    #[test]
    fn results_are_consumed_in_order() {
        for threads in [1, 2, 4] {
            let mut results = Vec::new();
            for pieces in [0, 1, 3, 500] {
                let work = |piece, calls: &mut usize, result: &mut usize| {
                    *calls += 1;
                    *result = piece * 3;
                };
                let consume = |piece, result: &usize| results.push((piece, *result));
                in_order(pieces, threads, work, consume);
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
                let work = |piece, (): &mut (), (): &mut ()| assert!(!in_work || piece != 40);
                let consume = |piece, (): &()| assert!(in_work || piece != 40);
                in_order(200, 3, work, consume);
            })
        };
        assert!(panics(true).is_err() && panics(false).is_err());
    }
}
