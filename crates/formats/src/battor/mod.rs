//! Measurements of a BattOr, a power meter between a device's battery and the device, which
//! systrace recorded with `--battor`.
//!
//! ```text
//! # BattOr
//! # voltage_range [-6079.7, 6196.8] mV
//! # current_range [-6057.3, 5764.1] mA
//! # sample_rate 10000 Hz, gain 10.1x
//! 0.00 6.5 4307.7                          ms since the start, mA, mV
//! 0.10 15.1 4313.7 <very-unique-id>        taken while that clock marker was noted
//! ```
//! The writer is Chromium's `battor_agent`; `traceloom capture --battor` writes the same format. It
//! has its own clock, which only markers relate to other clocks.

mod sample;

use traceloom_trace::{
    ClockKind, ClockRow, Place, RepairKind, RowId, SourceId, TraceBuilder, TrackId, TrackType,
};

use crate::error::ReadError;
use crate::format::{Confidence, Format, ReadOptions, Reader, Target};
use crate::format_id;
use crate::lines::Lines;
use sample::Sample;

/// The first line.
pub(crate) const TITLE: &[u8] = b"# BattOr";

/// The text output of a BattOr.
pub(crate) struct Battor;

impl Format for Battor {
    fn id(&self) -> &'static str {
        format_id::BATTOR
    }

    fn title(&self) -> &'static str {
        "BattOr power trace"
    }

    fn sniff(&self, head: &[u8]) -> Confidence {
        if head.trim_ascii_start().starts_with(TITLE) {
            Confidence::Certain
        } else {
            Confidence::No
        }
    }

    fn reader(&self, _: &ReadOptions) -> Option<Box<dyn Reader>> {
        Some(Box::new(BattorReader::default()))
    }
}

#[derive(Default)]
struct BattorReader {
    lines: Lines,
    state: State,
}

#[derive(Default)]
struct State {
    /// Lines so far.
    lines: u64,
    tracks: Option<Tracks>,
}

#[derive(Clone, Copy)]
struct Tracks {
    current: TrackId,
    voltage: TrackId,
    power: TrackId,
}

impl Tracks {
    fn new(out: &mut TraceBuilder) -> Self {
        let mut track = |name: &[u8]| {
            let name = out.intern(name);
            out.global_track(TrackType::GlobalCounter, name)
        };
        Self {
            current: track(b"battor.current_ma"),
            voltage: track(b"battor.voltage_mv"),
            power: track(b"battor.power_mw"),
        }
    }
}

impl State {
    fn line(&mut self, line: &[u8], out: &mut TraceBuilder) {
        self.lines += 1;
        let line = line.trim_ascii();
        match (line.strip_prefix(b"#"), Sample::read(line)) {
            (Some(comment), _) => header(comment, out),
            (None, Some(sample)) => self.sample(&sample, out),
            (None, None) if line.is_empty() => {}
            (None, None) => unparsed(line, self.lines, out),
        }
    }

    fn sample(&mut self, sample: &Sample<'_>, out: &mut TraceBuilder) {
        let tracks = *self.tracks.get_or_insert_with(|| Tracks::new(out));
        let power_mw = sample.current_ma * sample.voltage_mv / 1e3;
        out.counter(tracks.current, sample.ts_ns, sample.current_ma);
        out.counter(tracks.voltage, sample.ts_ns, sample.voltage_mv);
        out.counter(tracks.power, sample.ts_ns, power_mw);
        if let Some(marker) = sample.marker {
            out.clock(ClockRow {
                source: SourceId::NONE,
                clock: ClockKind::Trace,
                ts: sample.ts_ns,
                value_ns: sample.ts_ns,
                precision_ns: 0,
                name: String::from_utf8_lossy(marker).into_owned(),
            });
        }
    }
}

/// `# sample_rate 10000 Hz, gain 10.1x` becomes the fact `battor.sample_rate`.
fn header(comment: &[u8], out: &mut TraceBuilder) {
    let comment = String::from_utf8_lossy(comment.trim_ascii()).into_owned();
    if let Some((key, value)) = comment.split_once(' ') {
        out.metadata(&format!("battor.{key}"), value);
    }
}

fn unparsed(line: &[u8], number: u64, out: &mut TraceBuilder) {
    const SHOWN: usize = 120;
    let place = Place::at_line(number);
    out.repair(RepairKind::UnparsedLine, 1, place, || {
        String::from_utf8_lossy(&line[..line.len().min(SHOWN)]).into_owned()
    });
}

impl Reader for BattorReader {
    fn feed(&mut self, chunk: &[u8], out: &mut Target<'_>) -> Result<(), ReadError> {
        let out = out.trace(format_id::BATTOR)?;
        out.add_source_bytes(chunk.len() as u64);
        let state = &mut self.state;
        self.lines.feed(chunk, |line| state.line(line, out));
        Ok(())
    }

    fn finish(&mut self, out: &mut Target<'_>) -> Result<(), ReadError> {
        let out = out.trace(format_id::BATTOR)?;
        let state = &mut self.state;
        self.lines.finish(|line| state.line(line, out));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::{ReadOptions, read_bytes};
    use traceloom_trace::{RepairKind, Trace};

    fn read(text: &str) -> Trace {
        read_bytes(text.as_bytes(), ReadOptions::default()).unwrap()
    }

    /// `name ms value` of every counter.
    fn counters(trace: &Trace) -> Vec<String> {
        let rows = trace.counters.rows().map(|row| {
            let track = trace.tracks.row(traceloom_trace::RowId::row(row.track_id));
            let name = trace.strings.get(track.name);
            format!("{name} {} {:.3}", row.ts as f64 / 1e6, row.value)
        });
        rows.collect()
    }

    #[test]
    fn samples_are_counters_and_markers_clock_points() {
        let trace = read(
            "# BattOr\n# sample_rate 10000 Hz, gain 10.1x\n0.00 6.5 4307.7\n0.10 -15.1 4313.7 <id-1>\n",
        );
        let expected = [
            "battor.current_ma 0 6.500",
            "battor.voltage_mv 0 4307.700",
            "battor.power_mw 0 28.000",
            "battor.current_ma 0.1 -15.100",
            "battor.voltage_mv 0.1 4313.700",
            "battor.power_mw 0.1 -65.137",
        ];
        assert_eq!(counters(&trace), expected);
        assert_eq!(trace.bounds, (0, 100_000));
        let marks: Vec<_> = trace
            .clocks
            .iter()
            .map(|row| (&*row.name, row.ts))
            .collect();
        assert_eq!(marks, [("id-1", 100_000)]);
        assert!(trace.repairs.rows().is_empty());
    }

    #[test]
    fn what_is_no_sample_is_counted() {
        let trace =
            read("# BattOr\nx\n1.0 2.0\n1 2 3\n1.0 2.0 3.0 4.0\n0.50 1.0 2.0\r\n\nnan.0 1.0 2.0");
        assert_eq!(trace.repairs.count(RepairKind::UnparsedLine), 5);
        assert_eq!(trace.counters.len(), 3);
    }
}
