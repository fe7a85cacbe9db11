//! The load that is recorded.

use std::io::{Read, Write};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Result;

/// Minimum number of events per wake-up of a thread on the same CPU: waking, wakeup, and usually a switch.
const EVENTS_OF_A_TURN: u64 = 2;

/// The load: two threads on each CPU that wake each other, for `millis` ms, to cause `rate` events
/// per second on all CPUs together. A rate of 0 means no limit.
///
/// # Errors
/// If an argument is not a number, or threads cannot be started.
pub fn load(millis: &str, rate: &str) -> Result<()> {
    let time = Duration::from_millis(millis.parse()?);
    let cpus = thread::available_parallelism()?.get();
    let turns = match rate.parse::<u64>()? {
        0 => u64::MAX,
        rate => rate / EVENTS_OF_A_TURN / 1000 / cpus as u64,
    };
    let loads: Vec<_> = (0..cpus)
        .map(|cpu| thread::spawn(move || pair(cpu, turns, time)))
        .collect();
    for load in loads {
        load.join()
            .map_err(|_| anyhow::anyhow!("the load panicked"))??;
    }
    Ok(())
}

/// Runs two threads on a CPU that pass a byte back and forth: `turns` wake-ups per millisecond.
fn pair(cpu: usize, turns: u64, time: Duration) -> Result<()> {
    pin(cpu);
    let (mut here, mut to_here) = std::io::pipe()?;
    let (mut there, mut to_there) = std::io::pipe()?;
    let echo = thread::spawn(move || {
        pin(cpu);
        let mut byte = [0];
        while there.read(&mut byte).is_ok_and(|count| count == 1) {
            if to_here.write_all(&byte).is_err() {
                break;
            }
        }
    });
    let begun = Instant::now();
    for milli in 1.. {
        let next = Duration::from_millis(milli);
        for turn in 0..turns / 2 {
            to_there.write_all(&[0])?;
            here.read_exact(&mut [0])?;
            // Reading the clock in each turn would slow the threads down.
            if turn % 64 == 63 && begun.elapsed() > next {
                break;
            }
        }
        if next > time {
            break;
        }
        thread::sleep(next.saturating_sub(begun.elapsed()));
    }
    drop(to_there);
    echo.join()
        .map_err(|_| anyhow::anyhow!("the load panicked"))
}

fn pin(cpu: usize) {
    // SAFETY: all zeros are a valid cpu_set_t, and the given size is its size.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(cpu, &mut set);
        libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &set);
    }
}
