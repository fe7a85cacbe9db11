//! Times, ranges, numbers and percentages on the command line.

use anyhow::{Result, bail};
use traceloom_trace::Trace;

use crate::print::duration;

/// A time range relative to the start of the trace.
#[derive(clap::Args, Clone, Copy, Debug, Default)]
pub struct TimeRange {
    /// Start this long after the first event (1.5s, 200ms, 300us, 40ns; a bare number is seconds)
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub from: Option<i64>,

    /// Stop this long after the first event
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub until: Option<i64>,
}

impl TimeRange {
    /// The range on the trace's own clock, ns; `None` without a given start or end.
    ///
    /// # Errors
    /// If it is empty, or starts after the end of the trace.
    pub fn within(&self, trace: &Trace) -> Result<Option<(i64, i64)>> {
        let range = self.within_bounds(trace.bounds)?;
        Ok(range.map(|(from, until)| (from, until.unwrap_or(trace.bounds.1))))
    }

    /// The range on the trace's own clock; everything without a given start or end.
    ///
    /// # Errors
    /// The errors of [`within`](Self::within).
    pub fn of(&self, trace: &Trace) -> Result<traceloom_analyze::TimeRange> {
        let range = self.within(trace)?;
        Ok(
            range.map_or(traceloom_analyze::TimeRange::ALL, |(from_ns, to_ns)| {
                traceloom_analyze::TimeRange { from_ns, to_ns }
            }),
        )
    }

    /// The range on the clock of a trace with these bounds. It has no end if only the start was
    /// given.
    ///
    /// # Errors
    /// The errors of [`within`](Self::within).
    pub fn within_bounds(&self, (first, last): (i64, i64)) -> Result<Option<(i64, Option<i64>)>> {
        if self.is_all() {
            return Ok(None);
        }
        check_order(self.from, self.until, "--until")?;
        let from = self.from.map_or(first, |from| first.saturating_add(from));
        let until = self.until.map(|until| first.saturating_add(until));
        if from > last {
            let length = duration(last.saturating_sub(first));
            bail!("--from is after the end of the trace, which lasts {length}");
        }
        Ok(Some((from, until)))
    }

    /// Whether the range has neither a start nor an end.
    pub fn is_all(&self) -> bool {
        self.from.is_none() && self.until.is_none()
    }
}

/// Refuses an empty range.
///
/// # Errors
/// If the range ends before it starts. `end` is the option named in the message.
pub fn check_order(from: Option<i64>, until: Option<i64>, end: &str) -> Result<()> {
    match (from, until) {
        (Some(from), Some(until)) if from >= until => {
            bail!("{end} is not after --from: the range is empty")
        }
        _ => Ok(()),
    }
}

/// Parses a whole number, such as that of `--limit`.
pub fn parse_number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    let parsed = text.parse();
    parsed.map_err(|_| format!("{text} is not a whole number, or too large"))
}

/// Parses a percentage from 0 to 100: `5`, `0.5%`.
pub fn parse_percent(text: &str) -> Result<f64, String> {
    let share = parse_growth(text).ok().filter(|number| *number <= 100.0);
    share.ok_or_else(|| format!("{text} is not a percentage; write a number from 0 to 100"))
}

/// Parses a growth in percent, which may exceed 100: `5`, `150%`.
pub fn parse_growth(text: &str) -> Result<f64, String> {
    let number: Option<f64> = text.trim_end_matches('%').parse().ok();
    number
        .filter(|number| number.is_finite() && *number >= 0.0)
        .ok_or_else(|| format!("{text} is not a percentage; write for example 5"))
}

/// Parses `1.5s`, `200ms`, `300us` (`µs`) or `40ns` to exact nanoseconds. A plain number is in
/// seconds.
pub fn parse_time(text: &str) -> Result<i64, String> {
    let wrong = || format!("{text} is not a time; write for example 1.5s, 200ms, 300us or 40ns");
    let split = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let digits: usize = match unit {
        "s" | "" => 9,
        "ms" => 6,
        "us" | "µs" => 3,
        "ns" => 0,
        _ => return Err(wrong()),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if (whole.is_empty() && fraction.is_empty()) || fraction.len() > digits {
        return Err(wrong());
    }
    let zeros = "000000000".get(fraction.len()..digits).unwrap_or_default();
    let padded = [whole, fraction, zeros].concat();
    let too_long = || format!("{text} is too long: a trace has at most 292 years");
    if !padded.bytes().all(|digit| digit.is_ascii_digit()) {
        return Err(wrong());
    }
    padded.parse().map_err(|_| too_long())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_exact() {
        assert_eq!(parse_time("1.5s"), Ok(1_500_000_000));
        assert_eq!(parse_time("2"), Ok(2_000_000_000));
        assert_eq!(parse_time("200ms"), Ok(200_000_000));
        assert_eq!(parse_time("0.3us"), Ok(300));
        assert_eq!(parse_time("7ns"), Ok(7));
        for wrong in ["", ".", "1h", "1.5ns", "-3s", "1.2.3s", "99999999999999s"] {
            assert!(parse_time(wrong).is_err(), "{wrong}");
        }
    }
}
