//! Work on several threads.

use std::thread;

/// Calls `work` with each number below `count`, on several threads. Returns the results in the order of the numbers.
pub(super) fn in_parallel<T: Send>(
    count: usize,
    threads: usize,
    work: &(dyn Fn(usize) -> T + Sync),
) -> Vec<T> {
    let threads = threads.clamp(1, count.max(1));
    let share = count.div_ceil(threads);
    thread::scope(|scope| {
        let shares = (1..threads).map(|number| {
            let numbers = (number * share).min(count)..((number + 1) * share).min(count);
            scope.spawn(move || numbers.map(work).collect::<Vec<T>>())
        });
        let others: Vec<_> = shares.collect();
        let mut results: Vec<T> = (0..share.min(count)).map(work).collect();
        for other in others {
            match other.join() {
                Ok(more) => results.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        results
    })
}
