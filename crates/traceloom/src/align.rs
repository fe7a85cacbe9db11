//! `--align`: places several files on one time line.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use traceloom_trace::{
    AlignedBy, Alignment, ClockKind, MetadataRow, RowId, SourceId, Trace, align, align_starts,
};

use crate::input::{InputArgs, once_a_pair, read_trace};
use crate::print::{duration, message, plain};
use crate::times::parse_time;

/// How several files are placed on one time line.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct AlignArgs {
    /// Where to place the other files on the time line of the first
    ///
    /// auto: by a clock that both files recorded, else by their starts; start: all files start together;
    /// none: keep the times in the files; FILE=+12.5ms: FILE starts 12.5 ms after the first file
    /// (- for before). Repeatable.
    #[arg(long, value_name = "auto|start|none|FILE=±TIME", value_parser = parse_align)]
    pub align: Vec<AlignBy>,
}

/// One value of `--align`.
#[derive(Clone, PartialEq, Debug)]
pub enum AlignBy {
    /// By a common clock, otherwise by the starts.
    Auto,
    /// All files start together.
    Start,
    /// The times in the files are kept.
    None,
    /// The file starts this many ns after the first; negative for before.
    Offset(PathBuf, i64),
}

impl AlignArgs {
    /// The last value that applies to all files.
    fn rule(&self) -> &AlignBy {
        let rules = self.align.iter();
        let mut rules = rules.filter(|by| !matches!(by, AlignBy::Offset(..)));
        rules.next_back().unwrap_or(&AlignBy::Auto)
    }

    /// The last offset given for a file, by its path or its name.
    fn offset(&self, file: &Path) -> Option<i64> {
        let mut offsets = self.align.iter().rev();
        offsets.find_map(|by| match by {
            AlignBy::Offset(named, offset) if names(named, file) => Some(*offset),
            _ => None,
        })
    }

    /// Refuses an offset for an unknown file, or for the first file, which is never moved.
    fn check(&self, files: &[&Path]) -> Result<()> {
        for by in &self.align {
            let AlignBy::Offset(named, _) = by else {
                continue;
            };
            match files.iter().position(|file| names(named, file)) {
                Some(0) => bail!(
                    "--align: {} is the first file, with which the others are aligned",
                    named.display()
                ),
                None => bail!("--align: {} is not one of the input files", named.display()),
                Some(_) => {}
            }
        }
        Ok(())
    }
}

fn names(named: &Path, file: &Path) -> bool {
    named == file || Some(named.as_os_str()) == file.file_name()
}

/// Reads files into one trace on the time line of the first. Prints on stderr the place of each
/// other file and the reason. The trace's metadata stores this under `aligned`.
///
/// # Errors
/// If a file cannot be read, or an offset is for none of them.
pub fn read_traces(files: &[PathBuf], how: &AlignArgs, open: &InputArgs) -> Result<Trace> {
    let files = once_a_pair(files);
    how.check(&files)?;
    let read = |file: &&Path| Ok((file.to_path_buf(), read_trace(file, open)?));
    put_together(files.iter().map(read), how)
}

/// Places traces on the time line of the first. Prints on stderr where each of the others was placed.
///
/// # Errors
/// The errors of the traces, and an empty list.
pub fn put_together(
    traces: impl IntoIterator<Item = Result<(PathBuf, Trace)>>,
    how: &AlignArgs,
) -> Result<Trace> {
    let mut traces = traces.into_iter();
    let Some(first) = traces.next() else {
        bail!("no trace is named");
    };
    let (_, mut merged) = first?;
    for trace in traces {
        let (file, trace) = trace?;
        append(&mut merged, trace, &file, how);
    }
    Ok(merged)
}

fn append(merged: &mut Trace, trace: Trace, file: &Path, how: &AlignArgs) {
    let (shift_ns, why) = shift(merged, &trace, file, how);
    let starts = trace.bounds.0.saturating_add(shift_ns);
    let said = said(starts.saturating_sub(merged.bounds.0), &why);
    message!("{}: {said}", plain(&file.display().to_string()));
    let source = SourceId::from_row(merged.sources.len());
    let has_source = !trace.sources.is_empty();
    merged.append(trace, shift_ns);
    let row = MetadataRow {
        key: merged.strings.intern("aligned"),
        value: merged.strings.intern(&said),
        source: if has_source { source } else { SourceId::NONE },
    };
    merged.metadata.push(row);
}

/// The shift for a file's times, ns, and the reason.
fn shift(merged: &Trace, trace: &Trace, file: &Path, how: &AlignArgs) -> (i64, String) {
    if let Some(offset) = how.offset(file) {
        let shift = align_starts(merged, trace).saturating_add(offset);
        return (shift, "by the offset of --align".to_owned());
    }
    match how.rule() {
        AlignBy::Start => (align_starts(merged, trace), "by --align start".to_owned()),
        AlignBy::None => (0, "by the times in the files".to_owned()),
        _ => {
            let Alignment { shift_ns, by } = align(merged, trace);
            (shift_ns, reason(&by))
        }
    }
}

fn reason(by: &AlignedBy) -> String {
    match by {
        AlignedBy::Clock {
            clock,
            precision_ns,
        } => {
            let clock = match clock {
                ClockKind::Monotonic => "CLOCK_MONOTONIC",
                ClockKind::Boot => "CLOCK_BOOTTIME",
                ClockKind::Realtime => "CLOCK_REALTIME",
                other => other.name(),
            };
            let precision = duration(*precision_ns);
            format!("by {clock}, which both files recorded (± {precision})")
        }
        AlignedBy::Marker { name } => format!("by the marker {name} in both"),
        AlignedBy::StartAsFarApart { apart_ns } => format!(
            "by the starts: according to their clocks, the two are {} apart, so they are from different runs",
            duration(*apart_ns)
        ),
        _ => "by the starts: they have no clock in common".to_owned(),
    }
}

fn said(after_ns: i64, why: &str) -> String {
    let distance = duration(after_ns.saturating_abs());
    match after_ns {
        0 => format!("begins with the first file, {why}"),
        1.. => format!("begins {distance} after the first file, {why}"),
        _ => format!("begins {distance} before the first file, {why}"),
    }
}

fn parse_align(text: &str) -> Result<AlignBy, String> {
    match text {
        "auto" => return Ok(AlignBy::Auto),
        "start" => return Ok(AlignBy::Start),
        "none" => return Ok(AlignBy::None),
        _ => {}
    }
    let wrong = || format!("{text} is not an alignment; write auto, start, none, or FILE=+12.5ms");
    let (file, offset) = text.rsplit_once('=').ok_or_else(wrong)?;
    let (time, sign) = match (offset.strip_prefix('+'), offset.strip_prefix('-')) {
        (Some(time), _) => (time, 1),
        (_, Some(time)) => (time, -1),
        _ => return Err(wrong()),
    };
    Ok(AlignBy::Offset(file.into(), parse_time(time)? * sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alignments_are_read() {
        assert_eq!(parse_align("auto"), Ok(AlignBy::Auto));
        let offset = |name: &str, ns| Ok(AlignBy::Offset(name.into(), ns));
        assert_eq!(
            parse_align("a=b.trace=+12.5ms"),
            offset("a=b.trace", 12_500_000)
        );
        assert_eq!(parse_align("x=-3s"), offset("x", -3_000_000_000));
        for wrong in ["", "later", "x=3s", "x=+", "x=+3 weeks"] {
            assert!(parse_align(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn offsets_are_for_files_that_are_there() {
        let files = [Path::new("dir/a.html"), Path::new("b.trace")];
        let of = |name: &str| AlignArgs {
            align: vec![AlignBy::Start, AlignBy::Offset(name.into(), 7)],
        };
        assert!(of("b.trace").check(&files).is_ok());
        assert!(
            of("a.html").check(&files).is_err(),
            "the first is not moved"
        );
        assert!(of("c").check(&files).is_err());
        assert_eq!(of("b.trace").offset(Path::new("x/b.trace")), Some(7));
        assert_eq!(*of("b.trace").rule(), AlignBy::Start);
    }
}
