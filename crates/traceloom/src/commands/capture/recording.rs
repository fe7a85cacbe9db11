//! Collects the recordings of the agents: spools them to files and reads them as they arrive.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use traceloom_capture::{PartKind, Sink};
use traceloom_formats::{AnyReader, ReadOptions, Reader, Target};
use traceloom_trace::{Trace, TraceBuilder, align_clocks};

use super::part::{JOINED, Part, is_trace};
use crate::align::{AlignArgs, put_together};
use crate::print::{message, plain};

/// The recording while it arrives.
pub struct Recording {
    options: ReadOptions,
    /// Whether traces are also parsed.
    is_read: bool,
    /// The output file, if the result is the unchanged recording. It is then written only once.
    result: Option<PathBuf>,
    builder: TraceBuilder,
    /// The system's trace. Parts that supplement it are read into it at the end.
    system: Option<(PathBuf, TraceBuilder)>,
    /// The other traces that arrived before the current one, and the agents that recorded them.
    traces: Vec<(PathBuf, Trace)>,
    /// Process lists. They arrive before the traces, whose threads they name.
    dumps: Vec<u8>,
    reader: Option<AnyReader>,
    /// Why the data is not a trace. It is kept anyway.
    broken: Option<anyhow::Error>,
    /// All parts in order of arrival.
    pub parts: Vec<Part>,
}

impl Recording {
    /// An empty recording that parses traces with `options`, or only keeps them. Traces are spooled
    /// next to `result` if they may become it.
    pub fn new(options: ReadOptions, is_read: bool, result: Option<PathBuf>) -> Self {
        Self {
            options,
            is_read,
            result,
            builder: TraceBuilder::new(),
            system: None,
            traces: Vec::new(),
            dumps: Vec::new(),
            reader: None,
            broken: None,
            parts: Vec::new(),
        }
    }

    /// Whether no trace has arrived, not even an empty one.
    pub fn is_empty(&self) -> bool {
        let mut traces = self.parts.iter().filter(|part| is_trace(part.kind));
        traces.all(|part| part.length == 0)
    }

    /// All traces on one time line, and all parts. The trace is empty if traces are not parsed.
    ///
    /// # Errors
    /// If the data is not a trace.
    pub fn finish(mut self) -> Result<(Trace, Vec<Part>), (anyhow::Error, Vec<Part>)> {
        self.end_reading();
        if !self.is_read {
            return Ok((TraceBuilder::new().finish(), self.parts));
        }
        self.join();
        let merged = put_together(self.traces.into_iter().map(Ok), &AlignArgs::default());
        match (self.broken, merged) {
            (None, Ok(trace)) => Ok((trace, self.parts)),
            (Some(error), _) => Err((error, self.parts)),
            (None, Err(error)) => Err((error, self.parts)),
        }
    }

    fn end_reading(&mut self) {
        if let Some(mut reader) = self.reader.take() {
            let mut target = Target::Trace(&mut self.builder);
            let ended = match self.parts.last_mut() {
                // The parts of this format refer to each other, so it is read when it is complete.
                Some(part) if part.kind == PartKind::RawTrace => {
                    part.read(&mut reader, &mut target)
                }
                _ => reader.finish(&mut target).map_err(Into::into),
            };
            let Some(part) = self.parts.last() else {
                return;
            };
            let builder = std::mem::replace(&mut self.builder, TraceBuilder::new());
            let name = PathBuf::from(&part.name);
            match ended {
                // If a meter failed, the trace must still be kept.
                Err(error) if is_extra(part.kind) => warn(&part.name, &error),
                Err(error) => _ = self.broken.get_or_insert(error),
                Ok(()) if self.system.is_none() && is_of_system(part.kind) => {
                    self.system = Some((name, builder));
                }
                Ok(()) => self.traces.push((name, builder.finish())),
            }
        }
    }

    /// Reads the supplementary parts into the system's trace: its groups, the clock markers, and then the processes'
    /// memory. The markers come before the memory, because they may relate its clock to the trace's clock.
    fn join(&mut self) {
        let (name, mut system) = match self.system.take() {
            Some((name, builder)) => (Some(name), builder),
            None => (None, TraceBuilder::new()),
        };
        for kind in JOINED {
            let parts = self.parts.iter_mut().filter(|part| part.kind == kind);
            for part in parts.filter(|part| name.is_some() || part.kind != PartKind::CgroupDump) {
                let mut options = ReadOptions {
                    name: part.name.clone(),
                    ..self.options.clone()
                };
                if name.is_some() {
                    options = options.joined();
                }
                let mut target = Target::Trace(&mut system);
                if let Err(error) = part.read(&mut AnyReader::new(options), &mut target) {
                    warn(&part.name, &error);
                }
            }
        }
        let system = system.finish();
        match (name, self.traces.first_mut()) {
            (Some(name), _) => self.traces.insert(0, (name, system)),
            // Without a system trace, only the markers relate the other traces to each other.
            (None, Some((_, first))) => {
                if let Some(found) = align_clocks(&first.clocks, &system.clocks) {
                    first.append(system, found.shift_ns);
                }
            }
            (None, None) => {}
        }
    }

    fn begin_reading(&mut self, name: &str) {
        let dump = Some(std::mem::take(&mut self.dumps)).filter(|dump| !dump.is_empty());
        let options = ReadOptions {
            name: name.to_owned(),
            process_dump: dump.map(Arc::new),
            ..self.options.clone()
        };
        self.reader = Some(AnyReader::new(options));
    }
}

impl Sink for Recording {
    fn begin(&mut self, kind: PartKind, name: &str) -> io::Result<()> {
        self.end_reading();
        if is_trace(kind) && self.is_read {
            // The system's trace is the main part of the recording; the names of others contain
            // their agent.
            let own = Some(self.options.name.clone()).filter(|_| is_of_system(kind));
            self.begin_reading(&own.unwrap_or_else(|| name.to_owned()));
        }
        let beside = self.result.as_deref().filter(|_| is_trace(kind));
        self.parts.push(match beside {
            Some(result) => Part::for_result(kind, name, result)?,
            None => Part::new(kind, name)?,
        });
        Ok(())
    }

    fn data(&mut self, bytes: &[u8]) -> io::Result<()> {
        if let Some(part) = self.parts.last_mut() {
            part.write_all(bytes)?;
            if part.kind == PartKind::RawTrace {
                return Ok(());
            }
            if part.kind == PartKind::ProcessDump {
                self.dumps.extend_from_slice(bytes);
            }
        }
        if let (Some(reader), None) = (&mut self.reader, &self.broken) {
            let mut target = Target::Trace(&mut self.builder);
            let error = reader.feed(bytes, &mut target).err();
            match (error, self.parts.last()) {
                (Some(error), Some(part)) if is_extra(part.kind) => {
                    warn(&part.name, &error.into());
                    self.reader = None;
                    self.builder = TraceBuilder::new();
                }
                (error, _) => self.broken = error.map(Into::into),
            }
        }
        Ok(())
    }
}

/// Whether the part is the system's trace.
pub fn is_of_system(kind: PartKind) -> bool {
    matches!(
        kind,
        PartKind::SystemTrace | PartKind::RawTrace | PartKind::PerfettoTrace
    )
}

/// Whether the part is a measurement next to a trace.
fn is_extra(kind: PartKind) -> bool {
    matches!(kind, PartKind::Walt | PartKind::Power)
}

fn warn(name: &str, error: &anyhow::Error) {
    message!(
        "Warning: {} is left out: {}",
        plain(name),
        plain(&error.to_string())
    );
}
