//! Method traces of a debuggable process over its debugger port, as DDMS recorded them. The device's
//! shell needs no special rights.

mod jdwp;

use std::time::Duration;

use crate::adb::{Device, quote};
use crate::agent::{Agent, PartKind, Sink, SinkWriter, hand_over};
use crate::device::DeviceExt;
use crate::error::{CaptureError, Result};

use jdwp::{Connection, features};

/// Size of the trace buffer, bytes: 8 MB, as in DDMS.
const BUFFER: u32 = 8 << 20;

/// The feature of processes that can send their trace. Very old ones can only write a file.
const STREAMING: &str = "method-trace-profiling-streaming";
/// The feature of processes that can sample.
const SAMPLING: &str = "method-sample-profiling";

/// What to record of a process.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct DdmsOptions {
    /// The process name in `ps`, or the pid.
    pub process: String,
    /// Samples the stacks at this interval, microseconds. `None` records each call.
    pub sampling_us: Option<u32>,
}

/// Records the methods of a process over its debugger port. The trace arrives on the same connection,
/// on very old devices as a file. Another attached debugger must be detached first.
#[derive(Debug)]
pub struct DdmsAgent {
    device: Device,
    options: DdmsOptions,
    connection: Option<Connection>,
    /// The file that the process writes, if it cannot send its trace.
    file: Option<String>,
    trace: Vec<u8>,
}

impl DdmsAgent {
    /// An agent for a device.
    pub fn new(device: Device, options: DdmsOptions) -> Self {
        Self {
            device,
            options,
            connection: None,
            file: None,
            trace: Vec::new(),
        }
    }

    fn pid(&self, limit: Duration) -> Result<u32> {
        let process = &self.options.process;
        if let Ok(pid) = process.parse() {
            return Ok(pid);
        }
        let output = self
            .device
            .run(&format!("pidof {}", quote(process)), limit)?;
        let pid = output.text().split_whitespace().next().map(str::parse);
        match pid {
            Some(Ok(pid)) => Ok(pid),
            _ => self.pid_in_table(limit),
        }
    }

    /// Devices before Android 8 have no `pidof`.
    fn pid_in_table(&self, limit: Duration) -> Result<u32> {
        let process = &self.options.process;
        let table = self.device.run_ok("ps", limit)?.text();
        let row = table
            .lines()
            .find(|line| line.split_whitespace().next_back() == Some(process));
        let pid = row.and_then(|row| row.split_whitespace().nth(1)?.parse().ok());
        pid.ok_or_else(|| CaptureError::NoProcess {
            process: process.clone(),
        })
    }

    /// The types of the chunks that start and stop the recording.
    fn chunks(&self) -> (&'static [u8; 4], &'static [u8; 4]) {
        match (&self.file, self.options.sampling_us) {
            (Some(_), _) => (b"MPRS", b"MPRE"),
            (None, Some(_)) => (b"SPSS", b"SPSE"),
            (None, None) => (b"MPSS", b"MPSE"),
        }
    }

    /// Adapts to the features of the process. A process without a feature list is assumed to have all.
    fn adapt(&mut self, features: &[String]) -> Result<()> {
        let has = |feature| features.is_empty() || features.iter().any(|found| found == feature);
        if self.options.sampling_us.is_some() && !has(SAMPLING) {
            return Err(CaptureError::Debugger {
                chunk: "SPSS".to_owned(),
                reason: "it cannot sample; omit --sampling to record all calls".to_owned(),
            });
        }
        let name = self.options.process.replace('/', "_");
        self.file = (!has(STREAMING)).then(|| format!("/sdcard/traceloom-{name}.trace"));
        Ok(())
    }

    /// The data of the start chunk: buffer size, flags (none are defined), and a file name or sampling
    /// interval.
    fn settings(&self) -> Vec<u8> {
        let mut settings = BUFFER.to_be_bytes().to_vec();
        settings.extend_from_slice(&0u32.to_be_bytes());
        if let Some(file) = &self.file {
            let units: Vec<u16> = file.encode_utf16().collect();
            settings.extend_from_slice(&(units.len() as u32).to_be_bytes());
            settings.extend(units.into_iter().flat_map(u16::to_be_bytes));
        } else if let Some(interval) = self.options.sampling_us {
            settings.extend_from_slice(&interval.to_be_bytes());
        }
        settings
    }
}

impl Agent for DdmsAgent {
    fn name(&self) -> &str {
        "method trace (DDMS)"
    }

    fn start(&mut self, limit: Duration) -> Result<Vec<String>> {
        let pid = self.pid(limit)?;
        let stream = self.device.open(&format!("jdwp:{pid}"))?;
        let mut connection = Connection::open(stream, limit)?;
        let answer = connection.ask(b"FEAT", &[], limit)?;
        self.adapt(&features(&answer))?;
        connection.ask(self.chunks().0, &self.settings(), limit)?;
        self.connection = Some(connection);
        Ok(Vec::new())
    }

    fn stop(&mut self, limit: Duration) -> Result<()> {
        let stop = self.chunks().1;
        let Some(connection) = &mut self.connection else {
            return Ok(());
        };
        let Some(file) = &self.file else {
            // The trace arrives as a chunk of the same type, before or after the answer.
            self.trace = connection.ask_for_chunk(stop, limit)?;
            return Ok(());
        };
        // One byte: 0 if the file was written.
        match connection.ask(stop, &[], limit)?.first() {
            Some(0) => Ok(()),
            _ => Err(CaptureError::Debugger {
                chunk: "MPRE".to_owned(),
                reason: format!("it could not write {file}"),
            }),
        }
    }

    fn collect(&mut self, limit: Duration, sink: &mut dyn Sink) -> Result<()> {
        if self.connection.take().is_none() {
            return Ok(());
        }
        let name = format!("{}.trace", self.options.process);
        if let Some(file) = self.file.take() {
            sink.begin(PartKind::MethodTrace, &name)
                .map_err(CaptureError::Sink)?;
            self.device.sync()?.pull(&file, &mut SinkWriter(sink))?;
            self.device.run(&format!("rm -f {}", quote(&file)), limit)?;
            return Ok(());
        }
        let trace = std::mem::take(&mut self.trace);
        if trace.is_empty() {
            return Ok(());
        }
        hand_over(sink, PartKind::MethodTrace, &name, &trace)
    }
}
