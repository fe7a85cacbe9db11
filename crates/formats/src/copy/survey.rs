//! The first pass: checks whether the input consists only of text, and finds its time bounds.

use traceloom_trace::RepairKind;

use crate::format::{TextPart, TextParts};
use crate::ftrace::{LineTime, line_time};
use crate::lines::Lines;

/// Collects what must be known about an input before its lines can be copied.
#[derive(Debug, Default)]
pub struct TextSurvey {
    sources: usize,
    texts: usize,
    other: bool,
    timed_dumps: bool,
    untimed: bool,
    in_events: bool,
    bounds: Option<(i64, i64)>,
    lines: Lines,
}

/// The reason why the lines of an input cannot be copied.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum WhyNot {
    /// It contains no event of ftrace text.
    NoText,
    /// It contains data that is not text.
    OtherData,
    /// It contains several traces.
    SeveralTraces,
    /// A range was requested, and some of its lines have no timestamp.
    NoTimes,
}

impl TextSurvey {
    /// A survey of one input.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether the lines of the input can be copied: all of them, or those of a range. Call it
    /// after the end of the input.
    ///
    /// # Errors
    /// The reason why they cannot be copied.
    pub fn check(&mut self, has_range: bool) -> Result<(), WhyNot> {
        self.end_part();
        if self.texts == 0 || self.bounds.is_none() && !self.untimed {
            Err(WhyNot::NoText)
        } else if self.other {
            Err(WhyNot::OtherData)
        } else if self.sources > 1 {
            Err(WhyNot::SeveralTraces)
        } else if has_range && (self.untimed || self.timed_dumps) {
            Err(WhyNot::NoTimes)
        } else {
            Ok(())
        }
    }

    /// The times of the first and the last event, ns. They equal the bounds of the trace read from
    /// this text.
    pub fn bounds(&self) -> Option<(i64, i64)> {
        self.bounds
    }

    fn end_part(&mut self) {
        let (bounds, untimed) = (&mut self.bounds, &mut self.untimed);
        self.lines.finish(|line| see(line, bounds, untimed));
    }
}

fn see(line: &[u8], bounds: &mut Option<(i64, i64)>, untimed: &mut bool) {
    match line_time(line) {
        LineTime::At(ts, _) => {
            let (first, last) = bounds.unwrap_or((ts, ts));
            *bounds = Some((first.min(ts), last.max(ts)));
        }
        LineTime::Untimed => *untimed = true,
        LineTime::Clock | LineTime::Header | LineTime::Text => {}
    }
}

impl TextParts for TextSurvey {
    fn begin_source(&mut self) {
        self.sources += 1;
    }

    fn begin_part(&mut self, part: TextPart) {
        self.end_part();
        self.in_events = part == TextPart::Events;
        self.texts += usize::from(self.in_events);
        self.timed_dumps |= part == TextPart::TimedDump;
    }

    fn text(&mut self, bytes: &[u8]) {
        if self.in_events {
            let (bounds, untimed) = (&mut self.bounds, &mut self.untimed);
            self.lines.feed(bytes, |line| see(line, bounds, untimed));
        }
    }

    fn other(&mut self) {
        self.other = true;
    }

    fn repair(&mut self, _: RepairKind) {}
}
