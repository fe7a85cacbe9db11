//! Does work on several threads.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Result, anyhow};

/// Calls `work` for each item, on as many threads as the machine has. The results are in the order of the items.
pub fn parallel<T: Sync, R: Send>(
    items: &[T],
    work: impl Fn(&T) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let take = || {
        while let Some((number, item)) = numbered(items, &next) {
            let result = work(item);
            if let Ok(mut done) = done.lock() {
                done.push((number, result));
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(take);
        }
    });
    let mut done = done.into_inner().map_err(|_| anyhow!("a thread failed"))?;
    done.sort_unstable_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, result)| result).collect()
}

/// The next item, which no other thread takes.
fn numbered<'t, T>(items: &'t [T], next: &AtomicUsize) -> Option<(usize, &'t T)> {
    let number = next.fetch_add(1, Ordering::Relaxed);
    items.get(number).map(|item| (number, item))
}
