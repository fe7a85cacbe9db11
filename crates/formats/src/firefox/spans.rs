//! The times of markers.

use super::table::{Object, at};
use super::times::{time_of, times_in};
use crate::json::Value;

/// When a marker was, ms or ns.
#[derive(Clone, Copy)]
pub(super) enum Span<T> {
    Instant(T),
    Whole(T, T),
    Start(T),
    End(T),
    /// A time that its phase needs is missing.
    Unknown,
}

impl<T> Span<T> {
    /// Converts the times.
    pub fn map<U>(self, time: impl Fn(T) -> U) -> Span<U> {
        match self {
            Self::Instant(ts) => Span::Instant(time(ts)),
            Self::Whole(ts, end) => Span::Whole(time(ts), time(end)),
            Self::Start(ts) => Span::Start(time(ts)),
            Self::End(end) => Span::End(time(end)),
            Self::Unknown => Span::Unknown,
        }
    }
}

/// The columns of a table of markers.
pub(super) struct Spans {
    phases: Option<Vec<u32>>,
    starts: Vec<Option<f64>>,
    ends: Vec<Option<f64>>,
    /// The only time of each marker in old profiles.
    times: Vec<Option<f64>>,
}

impl Spans {
    pub fn new(table: &Object<'_>) -> Self {
        let has_phases = table.has_column("phase");
        Self {
            phases: has_phases.then(|| table.indexes("phase")),
            starts: times_in(table, "startTime"),
            ends: times_in(table, "endTime"),
            times: times_in(table, "time"),
        }
    }

    /// The span of the marker in a row.
    pub fn of(&self, row: u32, data: &Value<'_>) -> Span<f64> {
        let (start, end) = (at(&self.starts, row, None), at(&self.ends, row, None));
        let Some(phases) = &self.phases else {
            return match (start, end) {
                (Some(start), Some(end)) => Span::Whole(start, end),
                (Some(start), None) => Span::Instant(start),
                _ => old_span(at(&self.times, row, None), data),
            };
        };
        match (at(phases, row, 0), start, end) {
            (0, Some(start), _) => Span::Instant(start),
            (1, Some(start), Some(end)) => Span::Whole(start, end),
            (2, Some(start), _) => Span::Start(start),
            (3, _, Some(end)) => Span::End(end),
            _ => Span::Unknown,
        }
    }
}

/// The span of a marker with one time. Its data may have a start and an end, or say that it is one of both.
fn old_span(time: Option<f64>, data: &Value<'_>) -> Span<f64> {
    let Some(time) = time else {
        return Span::Unknown;
    };
    let data = match data {
        Value::Nested(text) => Object::new(text),
        _ => return Span::Instant(time),
    };
    match (
        time_of(data.number("startTime")),
        time_of(data.number("endTime")),
        data.text("interval"),
    ) {
        (Some(start), Some(end), _) => Span::Whole(start, end),
        (_, _, Some(b"start")) => Span::Start(time),
        (_, _, Some(b"end")) => Span::End(time),
        _ => Span::Instant(time),
    }
}
