//! Merges the events of all CPUs in order of time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::layout::PageLayout;
use super::pages::{CpuPages, PageFault, RawEvent};

/// The pages of one CPU in one buffer.
#[derive(Clone, Debug)]
pub struct CpuBytes<'a> {
    /// The CPU number.
    pub cpu: u32,
    /// The index of the buffer (trace instance) that it belongs to.
    pub buffer: usize,
    /// The pages, one after the other.
    pub bytes: &'a [u8],
    /// The layout of the pages.
    pub layout: PageLayout,
    /// The position of the pages in the input. Places of repairs are relative to it.
    pub offset: u64,
    /// Converts the pages' times to ns.
    pub time: TimeScale,
}

/// Converts clock values to ns: `(ticks * multiplier >> shift) + offset_ns`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeScale {
    /// The multiplier for ticks.
    pub multiplier: u32,
    /// The number of bits by which the product is shifted.
    pub shift: u32,
    /// The offset that is then added, ns.
    pub offset_ns: i64,
    /// Corrections of a virtual machine's clock relative to its host's, by time.
    pub corrections: Vec<TimeCorrection>,
    /// Whether to interpolate between two corrections.
    pub interpolate: bool,
}

/// From guest time `time` on, in ticks, the host's clock shows `(ticks * scaling >> fraction) +
/// offset`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeCorrection {
    /// The start of its validity, ticks.
    pub time: i64,
    /// The offset, ticks.
    pub offset: i64,
    /// The multiplier for ticks.
    pub scaling: i64,
    /// The number of bits by which the product is shifted.
    pub fraction: i64,
}

impl Default for TimeScale {
    fn default() -> Self {
        Self {
            multiplier: 1,
            shift: 0,
            offset_ns: 0,
            corrections: Vec::new(),
            interpolate: false,
        }
    }
}

/// The maximum timestamp, ns. Later times (after 146 years) are invalid. With this limit, the sum
/// of two times does not overflow.
pub(super) const LAST_TS: i64 = 1 << 62;

impl TimeScale {
    /// Converts `ticks` of the clock to ns.
    pub fn ns(&self, ticks: u64) -> i64 {
        let ticks = self.corrected(ticks.into());
        let product = ticks.saturating_mul(self.multiplier.into());
        let ns = product.checked_shr(self.shift).unwrap_or(0);
        let ns = ns.saturating_add(self.offset_ns.into());
        ns.clamp(0, LAST_TS.into()) as i64
    }

    fn corrected(&self, ticks: i128) -> i128 {
        let after = self
            .corrections
            .partition_point(|correction| i128::from(correction.time) <= ticks);
        let last = self.corrections.len().saturating_sub(2);
        let Some(first) = self.corrections.get(after.saturating_sub(1).min(last)) else {
            return ticks;
        };
        let next = self.corrections.get(after.saturating_sub(1).min(last) + 1);
        let mut offset = i128::from(first.offset);
        if let Some(next) = next.filter(|next| self.interpolate && next.time != first.time) {
            let span = i128::from(next.time) - i128::from(first.time);
            let change = i128::from(next.offset) - i128::from(first.offset);
            let since = ticks - i128::from(first.time);
            offset += since.saturating_mul(change).saturating_add(span / 2) / span;
        }
        let scaled = match self.corrections.len() {
            1 => ticks,
            _ => ticks.saturating_mul(first.scaling.into()) >> first.fraction.clamp(0, 126),
        };
        scaled.saturating_add(offset)
    }
}

/// An event with its CPU and its time in ns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timed<'a> {
    /// The index of the input it comes from.
    pub stream: usize,
    pub ts: i64,
    pub raw: RawEvent<'a>,
}

/// One CPU and its next event.
#[derive(Debug)]
struct Stream<'a> {
    pages: CpuPages<'a>,
    /// `None` if the clock already counts ns.
    time: Option<TimeScale>,
    head: Option<(i64, RawEvent<'a>)>,
}

impl<'a> Stream<'a> {
    #[inline]
    fn advance(&mut self) {
        self.head = self.pages.next().map(|event| {
            let ts = match &self.time {
                None => event.ts.min(LAST_TS as u64) as i64,
                Some(time) => time.ns(event.ts),
            };
            (ts, event)
        });
    }
}

/// Merges CPUs by time. For equal times, the order of the inputs decides.
#[derive(Debug)]
pub(super) struct Merge<'a> {
    streams: Vec<Stream<'a>>,
    /// The next time of each stream except the current one.
    waiting: BinaryHeap<Reverse<(i64, usize)>>,
    current: Option<usize>,
}

impl<'a> Merge<'a> {
    pub fn new(cpus: &[CpuBytes<'a>]) -> Self {
        let streams = cpus.iter().map(|cpu| {
            let mut stream = Stream {
                pages: CpuPages::new(cpu.bytes, cpu.layout),
                time: Some(cpu.time.clone()).filter(|time| *time != TimeScale::default()),
                head: None,
            };
            stream.advance();
            stream
        });
        let streams: Vec<_> = streams.collect();
        let heads = streams.iter().enumerate();
        let waiting = heads.filter_map(|(index, stream)| {
            let (ts, _) = stream.head?;
            Some(Reverse((ts, index)))
        });
        Self {
            waiting: waiting.collect(),
            streams,
            current: None,
        }
    }

    /// Takes the faults since the last call in this input.
    pub fn take_faults(&mut self, stream: usize) -> Vec<PageFault> {
        self.streams[stream].pages.take_faults()
    }

    /// Whether the input has faults that were not taken yet.
    #[inline]
    pub fn has_faults(&self, stream: usize) -> bool {
        self.streams[stream].pages.has_faults()
    }

    /// The event after the current one on the same CPU.
    pub fn peek(&self, stream: usize) -> Option<RawEvent<'a>> {
        self.streams[stream].head.map(|(_, event)| event)
    }

    /// Skips that event, and returns it with its time in ns.
    pub fn pass_over(&mut self, stream: usize) -> Option<(i64, RawEvent<'a>)> {
        let passed = self.streams[stream].head;
        self.streams[stream].advance();
        passed
    }

    /// The stream with the next event. Events often come in runs, so the last stream is checked
    /// first.
    #[inline]
    fn next_stream(&mut self) -> Option<usize> {
        let Some(current) = self.current else {
            return self.waiting.pop().map(|Reverse((_, index))| index);
        };
        let Some((ts, _)) = self.streams[current].head else {
            return self.waiting.pop().map(|Reverse((_, index))| index);
        };
        match self.waiting.peek() {
            Some(Reverse(first)) if *first < (ts, current) => {
                let mut first = self.waiting.peek_mut()?;
                let Reverse((_, index)) = std::mem::replace(&mut *first, Reverse((ts, current)));
                Some(index)
            }
            _ => Some(current),
        }
    }
}

impl<'a> Iterator for Merge<'a> {
    type Item = Timed<'a>;

    #[inline]
    fn next(&mut self) -> Option<Timed<'a>> {
        let stream = self.next_stream()?;
        self.current = Some(stream);
        let (ts, raw) = self.streams[stream].head?;
        self.streams[stream].advance();
        Some(Timed { stream, ts, raw })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_and_corrections() {
        let tsc = TimeScale {
            multiplier: 1 << 20,
            shift: 22,
            offset_ns: 5,
            ..TimeScale::default()
        };
        assert_eq!(tsc.ns(400), 105);
        assert_eq!(tsc.ns(u64::MAX), LAST_TS);
        let correction = |time, offset| TimeCorrection {
            time,
            offset,
            scaling: 1,
            fraction: 0,
        };
        let mut guest = TimeScale {
            corrections: vec![correction(100, 10), correction(200, 20), correction(300, 0)],
            interpolate: true,
            ..TimeScale::default()
        };
        assert_eq!(
            [50, 100, 150, 250, 400].map(|ticks| guest.ns(ticks)),
            [56, 110, 165, 261, 381]
        );
        guest.interpolate = false;
        assert_eq!([50, 250].map(|ticks| guest.ns(ticks)), [60, 270]);
        assert_eq!(TimeScale::default().ns(7), 7);
        let back = TimeScale {
            offset_ns: i64::MIN,
            ..TimeScale::default()
        };
        assert_eq!(back.ns(7), 0);
    }
}
