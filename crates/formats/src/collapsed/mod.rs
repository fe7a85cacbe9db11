//! Collapsed stacks, the input of `flamegraph.pl`, inferno and speedscope: one line for each stack,
//! `process;thread;outer;inner 1234`. The number is the exclusive time of the innermost frame, ns.
//! The format has no escapes, so a `;` in a name becomes `:` and a line end becomes a space.

mod stacks;
#[cfg(test)]
mod tests;

use std::io::{BufWriter, Write};

use traceloom_trace::Trace;

use crate::error::WriteError;
use crate::format::{Confidence, Format, ReadOptions, Reader, WriteOptions, Writer};
use crate::format_id;
use crate::omissions::{Omission, Written};
use stacks::Stacks;

/// Collapsed stacks: written, not read.
pub(crate) struct Collapsed;

impl Format for Collapsed {
    fn id(&self) -> &'static str {
        format_id::COLLAPSED
    }

    fn title(&self) -> &'static str {
        "collapsed stacks for flame graphs"
    }

    fn sniff(&self, _: &[u8]) -> Confidence {
        Confidence::No
    }

    fn reader(&self, _: &ReadOptions) -> Option<Box<dyn Reader>> {
        None
    }

    fn writer(&self) -> Option<&dyn Writer> {
        Some(self)
    }
}

impl Writer for Collapsed {
    fn extensions(&self) -> &'static [&'static str] {
        &["collapsed", "folded"]
    }

    fn write(
        &self,
        trace: &Trace,
        options: &WriteOptions,
        out: &mut dyn Write,
    ) -> Result<Written, WriteError> {
        let stacks = Stacks::new(trace, options.cpu_time, options.max_depth);
        if options.cpu_time && !stacks.have_cpu_time {
            return Err(WriteError::NothingToWrite {
                format: format_id::COLLAPSED,
                holds: "CPU times of calls where --cpu asks for them",
            });
        }
        if stacks.is_empty() {
            return Err(WriteError::NothingToWrite {
                format: format_id::COLLAPSED,
                holds: "nested slices of threads",
            });
        }
        let (bytes, most) = (stacks.bytes(), options.max_bytes);
        if bytes > most {
            return Err(WriteError::TooLong { bytes, most });
        }
        let mut out = BufWriter::new(out);
        stacks.write(&mut out)?;
        out.flush()?;
        let mut written = omissions(trace, options.cpu_time);
        written.add(Omission::UnfinishedTimes, stacks.unfinished);
        Ok(written)
    }
}

/// The format holds only the stacks of threads and their times.
fn omissions(trace: &Trace, cpu_time: bool) -> Written {
    let time = if cpu_time {
        Omission::CpuTimes
    } else {
        Omission::WallTimes
    };
    let mut written = Written::keeping(
        trace,
        &[
            Omission::ThreadSlices,
            Omission::ThreadTrackSlices,
            Omission::Processes,
            time,
        ],
    );
    if !cpu_time {
        return written;
    }
    let unclocked = trace.slices.spans();
    let unclocked = unclocked
        .filter(|row| trace.slices.thread_ts.get(*row) < 0)
        .count();
    written.add(Omission::ThreadSlices, unclocked as u64);
    written
}
