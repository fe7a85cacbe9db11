//! Signal handlers that record, whatever they interrupt.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use traceloom_inapp::recorder::*;
use traceloom_trace::{RepairKind, RowId};

use crate::child::{options, read, run};

static HANDLED: AtomicU64 = AtomicU64::new(0);

extern "C" fn handle(_: libc::c_int) {
    begin_id(1);
    counter("handled", HANDLED.fetch_add(1, Ordering::Relaxed) as i64);
    end();
}

/// Maximum number of rounds, in case signals arrive slowly. This number of rounds fits into the
/// ring.
const MOST_ROUNDS: i64 = 1_200_000;

const ENOUGH_SIGNALS: u64 = 3_000;

pub fn scenario(folder: &Path) {
    let options = Options {
        bytes: 64 << 20,
        ..options(folder)
    };
    start(&options).expect("recording starts");
    // SAFETY: the handler only calls functions that are allowed in handlers.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handle as *const () as usize;
        libc::sigaction(libc::SIGUSR1, &action, std::ptr::null_mut());
    }
    // SAFETY: this thread outlives the one that sends the signals.
    let target = unsafe { libc::pthread_self() };
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                // SAFETY: as above.
                unsafe { libc::pthread_kill(target, libc::SIGUSR1) };
            }
        });
        for round in 0..MOST_ROUNDS {
            if HANDLED.load(Ordering::Relaxed) >= ENOUGH_SIGNALS {
                break;
            }
            begin("usual");
            counter_id(2, round);
            end();
        }
        done.store(true, Ordering::Relaxed);
    });
    counter("all", HANDLED.load(Ordering::Relaxed) as i64);
    stop();
}

#[test]
fn events_of_handlers_and_of_the_thread_are_complete() {
    let folder = run("signals");
    let trace = read(folder.path(), "app.ring");
    let values = |wanted: &str| -> Vec<f64> {
        let rows = trace.counters.rows();
        let wanted = rows.filter(|row| {
            let name = trace.tracks.name.get(row.track_id.row());
            trace.strings.get(name) == wanted
        });
        wanted.map(|row| row.value).collect()
    };
    let all = values("all")[0];
    let handled = values("handled");
    assert!(all > 0.0, "no signal arrived");
    assert_eq!(handled.len() as f64, all);
    assert!(handled.windows(2).all(|pair| pair[0] + 1.0 == pair[1]));
    let usual = values("#2");
    assert!(usual.windows(2).all(|pair| pair[0] + 1.0 == pair[1]));
    assert_eq!(usual[0], 0.0);
    assert_eq!(trace.slices.len(), handled.len() + usual.len());
    println!("{all} signals among {} sections", usual.len());
    assert!(trace.slices.dur.iter().all(|dur| dur >= 0));
    for kind in [
        RepairKind::LostEvents,
        RepairKind::UnmatchedEnd,
        RepairKind::TornRecord,
    ] {
        assert_eq!(trace.repairs.count(kind), 0, "{kind:?}");
    }
}
