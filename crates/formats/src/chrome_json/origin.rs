//! Times that are too large for nanoseconds, such as nanoseconds since 1970 in a field of microseconds.

use traceloom_trace::{NO_TIME, TraceBuilder};

use super::event::Event;

/// The fact that keeps what is subtracted from all times, µs.
const OFFSET: &str = "ts_offset_us";

/// What the times of a file count from. The first event with a time decides.
#[derive(Debug, Default)]
pub(super) enum Origin {
    /// No event had a time yet.
    #[default]
    Unknown,
    /// The times are used as they are.
    Zero,
    /// The first time is too large, so all times that are too large count from it, ns.
    First(i128),
}

impl Origin {
    /// The time of an event, ns.
    pub fn time(&mut self, event: &Event<'_>, out: &mut TraceBuilder) -> Option<i64> {
        let Some(large) = event.large_ts else {
            if event.ts.is_some() && matches!(self, Self::Unknown) {
                *self = Self::Zero;
            }
            return event.ts;
        };
        if matches!(self, Self::Unknown) {
            *self = Self::First(large);
            out.metadata(OFFSET, &(large / 1000).to_string());
        }
        match self {
            Self::First(first) => i64::try_from(large.checked_sub(*first)?)
                .ok()
                .filter(|ts| *ts != NO_TIME),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use traceloom_trace::RepairKind;

    use crate::chrome_json::tests::read;

    #[test]
    fn times_that_are_too_large_count_from_the_first() {
        let trace = read(
            r#"[{"ph":"M","ts":0,"pid":1,"tid":1,"name":"thread_name","args":{"name":"main"}},
            {"ph":"B","ts":13984392629999074,"pid":1,"tid":1,"name":"a"},
            {"ph":"X","ts":13984392629999073,"dur":4,"pid":1,"tid":2,"name":"b"},
            {"ph":"E","ts":1.39843926299991e16,"pid":1,"tid":1}]"#,
        );
        let times: Vec<_> = trace
            .slices
            .ts
            .iter()
            .zip(trace.slices.dur.iter())
            .collect();
        assert_eq!(times, [(-1000, 4000), (0, 26_000)]);
        assert_eq!(trace.metadata("ts_offset_us"), Some("13984392629999074"));
        assert!(trace.repairs.rows().is_empty());
    }

    #[test]
    fn a_large_time_among_others_is_lost() {
        let trace = read(
            r#"[{"ph":"i","ts":5,"pid":1,"tid":1,"name":"a"},
            {"ph":"i","ts":13984392629999074,"pid":1,"tid":1,"name":"b"}]"#,
        );
        assert_eq!(trace.slices.len(), 1);
        assert_eq!(trace.repairs.count(RepairKind::UnparsedLine), 1);
    }

    #[test]
    fn times_that_do_not_fit_with_the_first_are_lost() {
        let trace = read(
            r#"[{"ph":"i","ts":13984392629999074,"pid":1,"tid":1,"name":"a"},
            {"ph":"i","ts":-13984392629999074,"pid":1,"tid":1,"name":"b"},
            {"ph":"i","ts":1e300,"pid":1,"tid":1,"name":"c"}]"#,
        );
        assert_eq!(trace.slices.len(), 1);
        assert_eq!(trace.repairs.count(RepairKind::UnparsedLine), 2);
    }
}
