//! Work on many rows in parts, on as many threads as the machine has. What comes out does not
//! depend on how many there are: parts are put together in order, and sums are of whole numbers.

use std::ops::Range;

/// Rows that are worth a thread of their own.
const LEAST_ROWS: usize = 1 << 17;

/// More threads than this only wait for memory.
#[cfg(not(target_arch = "wasm32"))]
const MOST_THREADS: usize = 8;

/// The parts of `0..count` to work on at once, at most `most` of them.
pub fn parts(count: usize, most: usize) -> Vec<Range<usize>> {
    let parts = threads().min(most).min(count / LEAST_ROWS).max(1);
    let size = count.div_ceil(parts);
    let part = |part: usize| (part * size).min(count)..((part + 1) * size).min(count);
    (0..parts).map(part).collect()
}

/// Calls `work` with the parts of `0..count` and returns the results in order.
#[cfg(not(target_arch = "wasm32"))]
pub fn in_parts<T: Send>(count: usize, work: &(dyn Fn(Range<usize>) -> T + Sync)) -> Vec<T> {
    let parts = parts(count, usize::MAX);
    run(parts.len(), &|part| work(parts[part].clone()))
}

/// The same with the results put together: each is merged into those before it.
#[cfg(target_arch = "wasm32")]
pub fn merged<T: Send + Default>(
    count: usize,
    work: &(dyn Fn(Range<usize>) -> T + Sync),
    _: impl Fn(&mut T, T),
) -> T {
    work(0..count)
}

/// The same with the results put together: each is merged into those before it.
#[cfg(not(target_arch = "wasm32"))]
pub fn merged<T: Send + Default>(
    count: usize,
    work: &(dyn Fn(Range<usize>) -> T + Sync),
    merge: impl Fn(&mut T, T),
) -> T {
    let mut parts = in_parts(count, work).into_iter();
    let mut all = parts.next().unwrap_or_default();
    parts.for_each(|part| merge(&mut all, part));
    all
}

/// The results of `work` for each of `count` numbers, in order, where they take as long together
/// as so many `rows`.
#[cfg(target_arch = "wasm32")]
pub fn in_turn<T: Copy + Send>(
    count: usize,
    _rows: usize,
    work: &(dyn Fn(usize) -> T + Sync),
) -> Vec<T> {
    (0..count).map(work).collect()
}

/// The results of `work` for each of `count` numbers, in order, where they take as long together
/// as so many `rows`.
#[cfg(not(target_arch = "wasm32"))]
pub fn in_turn<T: Copy + Send>(
    count: usize,
    rows: usize,
    work: &(dyn Fn(usize) -> T + Sync),
) -> Vec<T> {
    // Each thread takes every n-th.
    let threads = parts(rows, usize::MAX).len();
    let by_thread = run(threads, &|thread| {
        let own = (thread..count).step_by(threads);
        own.map(work).collect::<Vec<_>>()
    });
    (0..count)
        .map(|at| by_thread[at % threads][at / threads])
        .collect()
}

/// Both results, worked out at once.
pub fn both<A: Send, B: Send>(
    one: impl FnOnce() -> A + Send,
    other: impl FnOnce() -> B + Send,
) -> (A, B) {
    #[cfg(not(target_arch = "wasm32"))]
    if threads() > 1 {
        return std::thread::scope(|scope| {
            let one = scope.spawn(one);
            let other = other();
            (joined(one), other)
        });
    }
    (one(), other())
}

#[cfg(not(target_arch = "wasm32"))]
fn joined<T>(thread: std::thread::ScopedJoinHandle<'_, T>) -> T {
    match thread.join() {
        Ok(result) => result,
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

#[cfg(target_arch = "wasm32")]
fn threads() -> usize {
    1
}

#[cfg(not(target_arch = "wasm32"))]
fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, |count| count.get().min(MOST_THREADS))
}

/// The results of `work` for each part, in order.
#[cfg(target_arch = "wasm32")]
pub fn run<T: Send>(parts: usize, work: &(dyn Fn(usize) -> T + Sync)) -> Vec<T> {
    (0..parts).map(work).collect()
}

/// The results of `work` for each part, in order.
#[cfg(not(target_arch = "wasm32"))]
pub fn run<T: Send>(parts: usize, work: &(dyn Fn(usize) -> T + Sync)) -> Vec<T> {
    if parts == 1 {
        return vec![work(0)];
    }
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..parts)
            .map(|part| scope.spawn(move || work(part)))
            .collect();
        threads.into_iter().map(joined).collect()
    })
}
