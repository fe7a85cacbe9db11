//! The trace clock, and the markers that relate it to other clocks.

use crate::settings::Settings;
use crate::{Error, Tracefs, sys, tracefs};

const FILE: &str = "trace_clock";

/// The best available clock for devices that may suspend: `boot`, then `mono`, then `global`.
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

/// Selects the best clock. Does not write if it is selected already, since a write clears the ring
/// buffer.
pub(crate) fn choose(settings: &mut Settings<'_>) -> Result<(), Error> {
    let choices = tracefs::read(settings.tree(), FILE)?;
    let clock = best(&choices);
    if tracefs::selected(&choices) == Some(clock) {
        Ok(())
    } else {
        settings.set(FILE, clock)
    }
}

/// The precision of the times in clock markers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SyncPrecision {
    /// Nanoseconds.
    #[default]
    Exact,
    /// A 32-bit float of seconds, as in Android's atrace. The error is up to 4 ms after a day of uptime,
    /// and 31 ms after ten days.
    Float,
}

/// Writes two markers with the current times of the monotonic and the wall clock.
pub(crate) fn write_markers(tree: &dyn Tracefs, precision: SyncPrecision) -> Result<(), Error> {
    let write = |text: String| tracefs::write(tree, "trace_marker", &text);
    write(monotonic_marker(sys::monotonic_ns(), precision))?;
    if precision == SyncPrecision::Exact {
        wait_for_millisecond();
    }
    write(realtime_marker(sys::realtime_ns()))
}

/// Waits for the start of a millisecond, since the wall clock's marker has whole milliseconds.
fn wait_for_millisecond() {
    const TOLERANCE_NS: i64 = 20_000;
    const NS_PER_MS: i64 = 1_000_000;
    while sys::realtime_ns() % NS_PER_MS > TOLERANCE_NS {
        std::hint::spin_loop();
    }
}

fn monotonic_marker(ns: i64, precision: SyncPrecision) -> String {
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

/// Whole milliseconds, since viewers expect an integer.
fn realtime_marker(ns: i64) -> String {
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
    fn markers_are_exact_unless_atraces_precision_is_requested() {
        let ns = 86_400_500_123_456;
        let exact = monotonic_marker(ns, SyncPrecision::Exact);
        assert_eq!(exact, "trace_event_clock_sync: parent_ts=86400.500123456\n");
        let float = monotonic_marker(ns, SyncPrecision::Float);
        assert_eq!(float, "trace_event_clock_sync: parent_ts=86400.500000\n");
        let real = realtime_marker(1_503_658_729_660_999_999);
        assert_eq!(real, "trace_event_clock_sync: realtime_ts=1503658729660\n");
    }
}
