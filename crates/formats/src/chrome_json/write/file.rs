//! The file being written, and the fields that its events share.

use std::io::{self, BufWriter, Write};

use traceloom_trace::{ArgSetId, RowId, ThreadId, Trace, TrackId};

use super::numbers::Numbers;
use super::value::{Micros, Quoted, write_args};

/// A file that is being written.
pub(super) struct File<'a> {
    pub trace: &'a Trace,
    pub numbers: Numbers,
    pub out: BufWriter<&'a mut dyn Write>,
    is_first: bool,
}

impl<'a> File<'a> {
    pub fn new(trace: &'a Trace, out: &'a mut dyn Write) -> Self {
        Self {
            trace,
            numbers: Numbers::new(trace),
            out: BufWriter::with_capacity(1 << 16, out),
            is_first: true,
        }
    }

    /// Begins an event with its phase, process and thread.
    pub fn begin(&mut self, phase: &str, (pid, tid): (i64, i64)) -> io::Result<()> {
        let comma = if self.is_first { "" } else { "," };
        self.is_first = false;
        write!(
            self.out,
            "{comma}\n{{\"ph\":\"{phase}\",\"pid\":{pid},\"tid\":{tid}"
        )
    }

    pub fn name(&mut self, name: &str) -> io::Result<()> {
        write!(self.out, ",\"name\":{}", Quoted(name))
    }

    pub fn ts(&mut self, ts: i64) -> io::Result<()> {
        write!(self.out, ",\"ts\":{}", Micros(ts))
    }

    pub fn category(&mut self, category: &str) -> io::Result<()> {
        match category {
            "" => Ok(()),
            category => write!(self.out, ",\"cat\":{}", Quoted(category)),
        }
    }

    /// Ends an event with its arguments.
    pub fn end(&mut self, args: ArgSetId) -> io::Result<()> {
        if args != ArgSetId::NONE {
            self.out.write_all(b",\"args\":{")?;
            write_args(self.trace, args, &mut self.out)?;
            self.out.write_all(b"}")?;
        }
        self.out.write_all(b"}")
    }

    pub fn label(&mut self, kind: &str, whose: (i64, i64), name: &str) -> io::Result<()> {
        self.begin("M", whose)?;
        self.name(kind)?;
        write!(self.out, ",\"args\":{{\"name\":{}}}}}", Quoted(name))
    }

    /// Writes the requested position of a process or a thread.
    pub fn place(&mut self, kind: &str, whose: (i64, i64), index: i64) -> io::Result<()> {
        self.begin("M", whose)?;
        self.name(kind)?;
        write!(self.out, ",\"args\":{{\"sort_index\":{index}}}}}")
    }

    /// The pid and tid of a thread.
    pub fn of_thread(&self, utid: ThreadId) -> (i64, i64) {
        match utid.some() {
            Some(utid) => {
                let upid = self.trace.threads.upid.get(utid.row());
                (self.numbers.pid(upid), self.numbers.tid(utid))
            }
            None => (0, 0),
        }
    }

    /// The pid and tid of the owner of a track.
    pub fn of_track(&self, track: TrackId) -> (i64, i64) {
        let row = self.trace.tracks.row(track.row());
        match row.utid.some() {
            Some(utid) => self.of_thread(utid),
            None => (self.numbers.pid(row.upid), 0),
        }
    }
}
