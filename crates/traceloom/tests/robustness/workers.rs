//! Runs cases on all cores, with a watchdog.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// A case that takes this long will never end. Its time budget is checked afterwards.
const HANGS: Duration = Duration::from_secs(120);

/// Calls `case` with each number below `count`. The results are in the order of the numbers.
pub fn for_each<T: Send>(count: usize, case: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicUsize::new(0);
    let running = Mutex::new(vec![None; workers]);
    let over = AtomicBool::new(false);
    let (case, next, running, over) = (&case, &next, &running, &over);
    thread::scope(|scope| {
        let watchdog = scope.spawn(move || watch(running, over));
        let work = move |worker: usize| {
            let mut answers = Vec::new();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= count {
                    return answers;
                }
                note(running, worker, Some((number, Instant::now())));
                answers.push((number, case(number)));
                note(running, worker, None);
            }
        };
        let threads: Vec<_> = (0..workers)
            .map(|worker| scope.spawn(move || work(worker)))
            .collect();
        let results: Vec<_> = threads.into_iter().map(|thread| thread.join()).collect();
        over.store(true, Ordering::Relaxed);
        watchdog.thread().unpark();
        let mut answers: Vec<(usize, T)> = Vec::with_capacity(count);
        for result in results {
            match result {
                Ok(some) => answers.extend(some),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        answers.sort_by_key(|(number, _)| *number);
        answers.into_iter().map(|(_, answer)| answer).collect()
    })
}

type Running = Mutex<Vec<Option<(usize, Instant)>>>;

fn note(running: &Running, worker: usize, case: Option<(usize, Instant)>) {
    running.lock().unwrap_or_else(PoisonError::into_inner)[worker] = case;
}

/// A thread that hangs cannot be stopped, but the process can.
fn watch(running: &Running, over: &AtomicBool) {
    while !over.load(Ordering::Relaxed) {
        thread::park_timeout(Duration::from_secs(1));
        for case in running
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .iter()
            .flatten()
        {
            if case.1.elapsed() > HANGS {
                eprintln!("case {} hangs", case.0);
                std::process::abort();
            }
        }
    }
}
