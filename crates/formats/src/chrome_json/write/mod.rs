//! Writes Chrome's trace events, which `chrome://tracing`, Perfetto and speedscope open.
//!
//! Slices of threads become `X`, or a `B` without an end. Every other slice becomes an async slice
//! (`b`, `e`) of its process. Its category is the name of the track if it has none. Times keep
//! their nanoseconds as fractions. Kernel events become instants of their thread. Viewers expect
//! thread numbers to be unique in the whole trace, so duplicates are replaced.

mod file;
mod numbers;
mod slices;
mod value;

use std::io::{self, Write};

use traceloom_trace::{
    ArgSetId, ArgValue, NO_DURATION, NO_NUMBER, ProcessId, RowId, SliceId, ThreadId, Trace,
};

use self::file::File;
use self::value::{Micros, Quoted, write_args};
use super::values::{PROCESS_HINT, THREAD_HINT};
use crate::error::WriteError;
use crate::format::{WriteOptions, Writer};
use crate::format_id;
use crate::omissions::{Omission, Written};

/// Writes Chrome's trace events.
pub(super) struct JsonWriter;

impl Writer for JsonWriter {
    fn extensions(&self) -> &'static [&'static str] {
        &["json"]
    }

    fn write(
        &self,
        trace: &Trace,
        _: &WriteOptions,
        out: &mut dyn Write,
    ) -> Result<Written, WriteError> {
        let rows = trace.slices.len() + trace.counters.len() + trace.ftrace_events.len();
        if rows == 0 {
            return Err(WriteError::NothingToWrite {
                format: format_id::CHROME_JSON,
                holds: "slices, counters, instants and kernel events",
            });
        }
        let mut file = File::new(trace, out);
        file.write()?;
        file.out.flush()?;
        Ok(file.omissions())
    }
}

impl File<'_> {
    fn write(&mut self) -> io::Result<()> {
        self.out
            .write_all(b"{\"displayTimeUnit\":\"ns\",\"otherData\":{")?;
        self.facts()?;
        self.out.write_all(b"},\"traceEvents\":[")?;
        self.names()?;
        slices::write(self)?;
        self.counters()?;
        self.instants()?;
        self.kernel_events()?;
        self.flows()?;
        self.out.write_all(b"\n]}\n")
    }

    fn facts(&mut self) -> io::Result<()> {
        for (n, row) in self.trace.metadata.rows().enumerate() {
            let comma = if n == 0 { "" } else { "," };
            let [key, value] = [row.key, row.value].map(|id| Quoted(self.trace.strings.get(id)));
            write!(self.out, "{comma}{key}:{value}")?;
        }
        Ok(())
    }

    fn names(&mut self) -> io::Result<()> {
        for row in 0..self.trace.processes.len() {
            let upid = ProcessId::from_row(row);
            let name = self.trace.strings.get(self.trace.processes.name.get(row));
            if !name.is_empty() {
                self.label("process_name", (self.numbers.pid(upid), 0), name)?;
            }
            let set = self.trace.processes.arg_set_id.get(row);
            if let Some(hint) = self.hint(PROCESS_HINT, set) {
                self.place("process_sort_index", (self.numbers.pid(upid), 0), hint)?;
            }
        }
        for row in 0..self.trace.threads.len() {
            let name = self.trace.strings.get(self.trace.threads.name.get(row));
            if !name.is_empty() {
                self.label("thread_name", self.of_thread(ThreadId::from_row(row)), name)?;
            }
            let set = self.trace.threads.arg_set_id.get(row);
            if let Some(hint) = self.hint(THREAD_HINT, set) {
                let whose = self.of_thread(ThreadId::from_row(row));
                self.place("thread_sort_index", whose, hint)?;
            }
        }
        Ok(())
    }

    /// The requested position of a process or a thread, if it has one.
    fn hint(&self, key: &str, set: ArgSetId) -> Option<i64> {
        let key = self.trace.strings.lookup(key)?;
        match self.trace.args.value(set, key)? {
            ArgValue::Int(hint) => Some(hint),
            _ => None,
        }
    }

    fn counters(&mut self) -> io::Result<()> {
        for row in self.trace.counters.rows() {
            let track = self.trace.tracks.row(row.track_id.row());
            self.begin("C", self.of_track(row.track_id))?;
            self.ts(row.ts)?;
            let name = self.trace.strings.get(track.name);
            match track.cpu {
                NO_NUMBER => self.name(name)?,
                cpu => self.name(&format!("{name} {cpu}"))?,
            }
            self.category(self.trace.strings.get(track.category))?;
            write!(self.out, ",\"args\":{{\"value\":{}}}}}", row.value)?;
        }
        Ok(())
    }

    fn instants(&mut self) -> io::Result<()> {
        let slices = &self.trace.slices;
        for row in slices.instants().map(|row| slices.row(row)) {
            let track = self.trace.tracks.row(row.track_id.row());
            self.begin("i", self.of_track(row.track_id))?;
            self.ts(row.ts)?;
            if row.thread_ts != NO_DURATION {
                write!(self.out, ",\"tts\":{}", Micros(row.thread_ts))?;
            }
            self.name(self.trace.strings.get(row.name))?;
            self.category(self.trace.strings.get(track.name))?;
            let scope = match (track.utid.some(), track.upid.some()) {
                (Some(_), _) => "t",
                (None, Some(_)) => "p",
                (None, None) => "g",
            };
            write!(self.out, ",\"s\":\"{scope}\"")?;
            self.end(row.arg_set_id)?;
        }
        Ok(())
    }

    fn kernel_events(&mut self) -> io::Result<()> {
        for row in self.trace.ftrace_events.rows() {
            self.begin("i", self.of_thread(row.utid))?;
            self.ts(row.ts)?;
            let name = self.trace.strings.get(row.name);
            self.name(name)?;
            write!(
                self.out,
                ",\"cat\":\"ftrace\",\"s\":\"t\",\"args\":{{\"cpu\":{}",
                row.cpu
            )?;
            if row.arg_set_id != ArgSetId::NONE {
                self.out.write_all(b",")?;
                write_args(self.trace, row.arg_set_id, &mut self.out)?;
            }
            self.out.write_all(b"}}")?;
        }
        Ok(())
    }

    /// Writes arrows between slices of threads, which viewers find by thread and time.
    fn flows(&mut self) -> io::Result<()> {
        for (id, row) in self.trace.flows.rows().enumerate() {
            if !is_drawn(self.trace, row) {
                continue;
            }
            for (phase, slice) in [("s", row.slice_out), ("f", row.slice_in)] {
                let track = self.trace.slices.track_id.get(slice.row());
                self.begin(phase, self.of_track(track))?;
                self.ts(self.trace.slices.ts.get(slice.row()))?;
                write!(
                    self.out,
                    ",\"name\":{},\"cat\":\"flow\",\"id\":{id},\"bp\":\"e\"}}",
                    Quoted(self.trace.strings.get(row.name))
                )?;
            }
        }
        Ok(())
    }

    fn omissions(&self) -> Written {
        let undrawn = self.trace.flows.rows();
        let undrawn = undrawn.filter(|row| !is_drawn(self.trace, *row)).count();
        let mut written = Written::keeping(
            self.trace,
            &[
                Omission::ThreadSlices,
                Omission::ThreadTrackSlices,
                Omission::AsyncSlices,
                Omission::ProcessSlices,
                Omission::CpuSlices,
                Omission::GlobalSlices,
                Omission::Counters,
                Omission::CounterCategories,
                Omission::Instants,
                Omission::KernelEvents,
                Omission::StartTimes,
                Omission::WallTimes,
                Omission::CpuTimes,
                Omission::Categories,
                Omission::Arguments,
                Omission::Processes,
                Omission::Facts,
                // Names are written for all threads; actual losses are counted below.
                Omission::IdleThreads,
                Omission::Flows,
                Omission::ProcessDetails,
                Omission::ThreadNumbers,
            ],
        );
        written.add(Omission::Flows, undrawn as u64);
        written.add(Omission::ThreadNumbers, self.numbers.renewed);
        let processes = self.trace.processes.rows();
        let detailed = processes.filter(|row| !row.cmdline.is_empty() || row.uid >= 0);
        written.add(Omission::ProcessDetails, detailed.count() as u64);
        let names = &self.trace.threads.name;
        let nameless = self.trace.real_threads();
        let nameless = nameless.filter(|utid| names.get(utid.row()).is_empty());
        let idle = Omission::IdleThreads.count_in(self.trace);
        written.add(Omission::IdleThreads, idle.min(nameless.count() as u64));
        written
    }
}

/// Whether a flow can be written: it connects slices of threads, and its first slice begins first. Readers process the
/// events of a flow in order of time.
fn is_drawn(trace: &Trace, flow: traceloom_trace::FlowRow) -> bool {
    let begin = |slice: SliceId| trace.slices.ts.get(slice.row());
    let is_forward = begin(flow.slice_out) <= begin(flow.slice_in);
    let between_threads = [flow.slice_out, flow.slice_in].iter().all(|slice| {
        let (slices, row) = (&trace.slices, slice.row());
        let track = slices.track_id.get(row);
        !slices.is_instant(row) && trace.tracks.kind.get(track.row()).is_stack()
    });
    is_forward && between_threads
}
