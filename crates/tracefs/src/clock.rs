//! The clock of the trace, and the marks that tie it to other clocks.

use crate::settings::Settings;
use crate::{Error, Tracefs, sys, tree};

const FILE: &str = "trace_clock";

/// The best clock for a device that may sleep, of those it has: `boot`, else `mono`, else `global`.
fn best(choices: &str) -> &'static str {
    let has = |clock: &str| {
        let mut words = choices.split_whitespace();
        words.any(|word| word.trim_matches(['[', ']']) == clock)
    };
    ["boot", "mono"]
        .into_iter()
        .find(|clock| has(clock))
        .unwrap_or("global")
}

/// Chooses the clock. A write to the file empties the buffer, so nothing is written where the
/// choice stands already.
pub(crate) fn choose(settings: &mut Settings<'_>) -> Result<(), Error> {
    let choices = tree::read(settings.tree(), FILE)?;
    let clock = best(&choices);
    if choices.contains(&format!("[{clock}]")) {
        Ok(())
    } else {
        settings.set(FILE, clock)
    }
}

/// How precisely the time stands in the marks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SyncPrecision {
    /// To the nanosecond.
    #[default]
    Exact,
    /// Seconds through a 32-bit float, as the original has them: off by up to 4 ms after a day of
    /// uptime and by 31 ms after ten.
    Float,
}

/// Writes the two marks that say what the monotonic and the wall clock show right now.
pub(crate) fn write_sync_marks(tree: &dyn Tracefs, precision: SyncPrecision) -> Result<(), Error> {
    let mark = |text: String| tree::write(tree, "trace_marker", &text);
    mark(parent_mark(sys::clock_ns(libc::CLOCK_MONOTONIC), precision))?;
    if precision == SyncPrecision::Exact {
        wait_for_millisecond();
    }
    mark(real_mark(sys::clock_ns(libc::CLOCK_REALTIME)))
}

/// The wall clock's mark has whole milliseconds, so it is written when one begins.
fn wait_for_millisecond() {
    const CLOSE_NS: i64 = 20_000;
    const NS_PER_MS: i64 = 1_000_000;
    while sys::clock_ns(libc::CLOCK_REALTIME) % NS_PER_MS > CLOSE_NS {
        std::hint::spin_loop();
    }
}

fn parent_mark(ns: i64, precision: SyncPrecision) -> String {
    match precision {
        SyncPrecision::Exact => {
            let (seconds, fraction) = (ns / 1_000_000_000, ns % 1_000_000_000);
            format!("trace_event_clock_sync: parent_ts={seconds}.{fraction:09}\n")
        }
        SyncPrecision::Float => {
            let seconds = ns as f32 / 1_000_000_000_f32;
            format!("trace_event_clock_sync: parent_ts={seconds:.6}\n")
        }
    }
}

/// Whole milliseconds: viewers read an integer here.
fn real_mark(ns: i64) -> String {
    format!("trace_event_clock_sync: realtime_ts={}\n", ns / 1_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_are_preferred_in_order() {
        assert_eq!(
            best("[local] global counter uptime perf mono mono_raw boot tai x86-tsc"),
            "boot"
        );
        assert_eq!(best("local [mono] global"), "mono");
        assert_eq!(best("local global mono_raw"), "global");
    }

    #[test]
    fn marks_are_exact_unless_the_original_is_asked_for() {
        let ns = 86_400_500_123_456;
        let exact = parent_mark(ns, SyncPrecision::Exact);
        assert_eq!(exact, "trace_event_clock_sync: parent_ts=86400.500123456\n");
        let float = parent_mark(ns, SyncPrecision::Float);
        assert_eq!(float, "trace_event_clock_sync: parent_ts=86400.500000\n");
        let real = real_mark(1_503_658_729_660_999_999);
        assert_eq!(real, "trace_event_clock_sync: realtime_ts=1503658729660\n");
    }
}
