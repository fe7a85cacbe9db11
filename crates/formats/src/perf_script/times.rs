//! Finds the origin of the times of a text.

use std::borrow::Cow;
use std::mem::take;

use super::line::Head;

/// The maximum number of samples and bytes that are held until the origin of the times is known.
const MOST_SAMPLES: u32 = 1000;
const MOST_BYTES: usize = 1 << 20;

/// The origin of the times of a text. With `--reltime` and `--deltatime`, the first time is zero. Only with
/// `--deltatime`, a time may be smaller than the previous one.
#[derive(Debug, Default)]
pub(super) enum Times {
    /// No sample has been read yet.
    #[default]
    Unknown,
    /// The first time is zero, and no time was smaller than the previous one so far.
    Undecided(Held),
    /// All times count from one moment.
    OneOrigin,
    /// Times count from the previous sample, whose time is this, ns.
    Deltas(i64),
}

/// The lines from the first sample on.
#[derive(Debug, Default)]
pub(super) struct Held {
    lines: Vec<u8>,
    samples: u32,
    last_ns: i64,
}

impl Times {
    /// Takes a line, and returns the lines to be read now: this line, no line, or all held lines.
    pub fn release<'a>(&mut self, line: &'a [u8]) -> Cow<'a, [u8]> {
        if matches!(self, Self::Unknown) {
            match time(line) {
                Some(0) => *self = Self::Undecided(Held::default()),
                Some(_) => *self = Self::OneOrigin,
                None => {}
            }
        }
        let Self::Undecided(held) = self else {
            return line.into();
        };
        let Some(decided) = held.add(line) else {
            return Cow::default();
        };
        let lines = take(&mut held.lines);
        *self = decided;
        lines.into()
    }

    /// Returns the lines that are still held at the end of the text.
    pub fn rest(&mut self) -> Vec<u8> {
        match take(self) {
            Self::Undecided(held) => held.lines,
            decided => {
                *self = decided;
                Vec::new()
            }
        }
    }

    /// The time of a sample, ns.
    pub fn of_sample(&mut self, printed_ns: i64) -> i64 {
        let Self::Deltas(clock_ns) = self else {
            return printed_ns;
        };
        *clock_ns = clock_ns.saturating_add(printed_ns);
        *clock_ns
    }
}

impl Held {
    /// Adds a line. Returns the origin of the times if it is now known.
    fn add(&mut self, line: &[u8]) -> Option<Times> {
        self.lines.extend_from_slice(line);
        let ts_ns = time(line).unwrap_or(self.last_ns);
        if ts_ns < self.last_ns {
            return Some(Times::Deltas(0));
        }
        self.samples += u32::from(ts_ns > self.last_ns);
        self.last_ns = ts_ns;
        let is_much = self.samples >= MOST_SAMPLES || self.lines.len() >= MOST_BYTES;
        is_much.then_some(Times::OneOrigin)
    }
}

/// The time of a sample, if the line is the first one of a sample.
fn time(line: &[u8]) -> Option<i64> {
    Head::read(&String::from_utf8_lossy(line))?.ts_ns
}

#[cfg(test)]
mod tests {
    use super::MOST_SAMPLES;
    use crate::{ReadOptions, read_bytes};

    /// The times of the samples in the trace, µs.
    fn times(micros: impl IntoIterator<Item = u32>) -> Vec<i64> {
        let samples = micros
            .into_iter()
            .map(|ts| format!("app 7/7 [000] 0.{ts:06}: cycles:\n\t    40a0 draw (/bin/app)\n\n"));
        let text: String = samples.collect();
        let trace = read_bytes(text.as_bytes(), ReadOptions::default()).unwrap();
        let records = trace.records.rows();
        let table = trace.strings.lookup("__intrinsic_profiler_sample").unwrap();
        let samples = (0..records.len()).filter(|row| records.table.get(*row) == table);
        samples.map(|row| records.ts.get(row) / 1000).collect()
    }

    #[test]
    fn times_that_go_back_are_differences() {
        assert_eq!(times([0, 5, 6, 3, 0]), [0, 5, 11, 14, 14]);
    }

    #[test]
    fn times_that_never_go_back_have_one_origin() {
        assert_eq!(times([0, 5, 6, 6]), [0, 5, 6, 6]);
        assert_eq!(times([2, 5, 3]), [2, 3, 5]);
    }

    #[test]
    fn it_is_decided_after_many_samples() {
        let many = MOST_SAMPLES + 10;
        let printed = times((0..many).chain([1]));
        assert_eq!(printed.iter().max(), Some(&i64::from(many - 1)));
    }
}
