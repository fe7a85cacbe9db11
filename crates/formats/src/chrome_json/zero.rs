//! Slices without a duration in files whose writer omits a duration of 0.
//!
//! Go's trace viewer (`internal/trace/traceviewer/format`) leaves out all fields that are 0. Its files always have a
//! process called `STATS` for the counters.

use super::rows::{NO_END, Row};

/// The name of the process with the counters.
const COUNTERS: &[u8] = b"STATS";

/// Finds out whether a missing duration means 0. Otherwise it means that the slice never ended.
#[derive(Debug, Default)]
pub(super) struct ZeroDurations {
    are_omitted: bool,
}

impl ZeroDurations {
    /// A process has this name.
    pub fn process(&mut self, name: &[u8]) {
        self.are_omitted |= name == COUNTERS;
    }

    /// Makes complete slices of those without a duration.
    pub fn settle(&self, rows: &mut [Row]) {
        let rows = rows.iter_mut().filter(|_| self.are_omitted);
        for row in rows.filter(|row| row.flags & NO_END != 0) {
            row.phase = b'X';
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::chrome_json::tests::{read, slices};

    const EVENTS: &str = r#"{"ph":"X","pid":0,"tid":1,"ts":1,"dur":4,"name":"G1 main"},
        {"ph":"X","pid":0,"tid":1,"ts":6,"name":"G2 work"},{"ph":"X","pid":0,"tid":1,"ts":7,"dur":1,"name":"G3 work"}"#;

    #[test]
    fn go_omits_durations_of_0() {
        let name =
            r#"{"name":"process_name","ph":"M","ts":0,"pid":1,"tid":0,"args":{"name":"STATS"}}"#;
        let text = format!(r#"{{"displayTimeUnit":"ns","traceEvents":[{EVENTS},{name}]}}"#);
        assert_eq!(
            slices(&read(&text)),
            ["0 G1 main 1+4", "0 G2 work 6+0", "0 G3 work 7+1"]
        );
    }

    #[test]
    fn otherwise_a_slice_without_a_duration_never_ended() {
        let found = slices(&read(&format!("[{EVENTS}]")));
        assert_eq!(found, ["0 G1 main 1+4", "0 G2 work 6+…", "1 G3 work 7+1"]);
    }
}
