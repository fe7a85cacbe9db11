//! Runs work on several threads, which live only as long as the call. Results are in the order of
//! the work, so they do not depend on the number of threads. On a platform without threads,
//! everything runs on the caller's thread.

use std::ops::Range;
use std::thread::ScopedJoinHandle;

/// Known when compiling, so that a report's engine has no code that starts threads.
const HAS_THREADS: bool = cfg!(not(target_family = "wasm"));

/// The minimum number of rows for which another thread is worth its cost.
const LEAST_ROWS: usize = 1 << 17;

/// The maximum number of threads. With more, all of them wait for memory.
const MOST_THREADS: usize = 8;

/// The number of threads for work that can be split into any number of parts.
pub(crate) fn thread_count() -> usize {
    if !HAS_THREADS {
        return 1;
    }
    std::thread::available_parallelism().map_or(1, |count| count.get().min(MOST_THREADS))
}

/// Splits `0..count` into one part per thread, at most `most`. A small count is one part.
pub(crate) fn split(count: usize, most: usize) -> Vec<Range<usize>> {
    let parts = thread_count().min(most).min(count / LEAST_ROWS).max(1);
    let size = count.div_ceil(parts);
    let part = |part: usize| (part * size).min(count)..((part + 1) * size).min(count);
    (0..parts).map(part).collect()
}

/// Calls `work` with each item, each on its own thread, and returns the results in order.
///
/// # Panics
/// If `work` panics.
pub(crate) fn map<I: Send, T: Send>(mut items: Vec<I>, work: &(dyn Fn(I) -> T + Sync)) -> Vec<T> {
    if !HAS_THREADS || items.len() < 2 {
        return items.into_iter().map(work).collect();
    }
    let last = items.pop();
    std::thread::scope(|scope| {
        let spawn = |item| scope.spawn(move || work(item));
        let threads: Vec<_> = items.into_iter().map(spawn).collect();
        // This thread takes the last item.
        let last = last.map(work);
        threads.into_iter().map(join).chain(last).collect()
    })
}

/// Calls `work` with the parts of `0..count` and returns the results in order.
pub(crate) fn map_ranges<T: Send>(
    count: usize,
    work: &(dyn Fn(Range<usize>) -> T + Sync),
) -> Vec<T> {
    map(split(count, usize::MAX), work)
}

/// Like [`map_ranges`], but merges each result into the previous ones.
pub(crate) fn merge_ranges<T: Send + Default>(
    count: usize,
    work: &(dyn Fn(Range<usize>) -> T + Sync),
    merge: impl Fn(&mut T, T),
) -> T {
    let mut parts = map_ranges(count, work).into_iter();
    let mut all = parts.next().unwrap_or_default();
    parts.for_each(|part| merge(&mut all, part));
    all
}

/// The results of `work` for each of `0..count`, in order. `rows` is the total number of rows that
/// the calls process.
pub(crate) fn map_indices<T: Copy + Send>(
    count: usize,
    rows: usize,
    work: &(dyn Fn(usize) -> T + Sync),
) -> Vec<T> {
    // Each of the n threads takes every n-th item.
    let threads = split(rows, usize::MAX).len();
    let by_thread = map((0..threads).collect(), &|thread| {
        let own = (thread..count).step_by(threads);
        own.map(work).collect::<Vec<_>>()
    });
    (0..count)
        .map(|at| by_thread[at % threads][at / threads])
        .collect()
}

/// Runs both closures at the same time.
pub(crate) fn both<A: Send, B: Send>(
    one: impl FnOnce() -> A + Send,
    other: impl FnOnce() -> B + Send,
) -> (A, B) {
    if thread_count() < 2 {
        return (one(), other());
    }
    std::thread::scope(|scope| {
        let one = scope.spawn(one);
        let other = other();
        (join(one), other)
    })
}

fn join<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    match thread.join() {
        Ok(result) => result,
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order() {
        assert_eq!(
            map((0..9).collect(), &|n: i32| n * n),
            [0, 1, 4, 9, 16, 25, 36, 49, 64]
        );
        assert!(map(Vec::<u8>::new(), &|n| n).is_empty());
        let rows = 3 * LEAST_ROWS + 5;
        assert_eq!(map_ranges(rows, &|part| part).concat_len(), rows);
        assert_eq!(map_indices(5, rows, &|n| n), [0, 1, 2, 3, 4]);
    }

    trait ConcatLen {
        fn concat_len(&self) -> usize;
    }

    impl ConcatLen for Vec<Range<usize>> {
        fn concat_len(&self) -> usize {
            let mut end = 0;
            for range in self {
                assert_eq!(range.start, end);
                end = range.end;
            }
            end
        }
    }
}
