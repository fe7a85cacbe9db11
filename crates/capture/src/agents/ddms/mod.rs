//! Method traces of a debuggable process without a shell's rights: over its debugger port, as DDMS
//! did.

mod jdwp;

use std::time::Duration;

use super::method::Output;
use crate::adb::{Device, quote};
use crate::agent::{Agent, PartKind, Sink};
use crate::device::Ask;
use crate::error::{CaptureError, Result};

use jdwp::{Connection, features};

/// The buffer of a trace, bytes; DDMS took 8 MB.
const BUFFER: u32 = 8 << 20;

/// What a process that can send its trace says of itself; very old ones could only write a file.
const STREAMING: &str = "method-trace-profiling-streaming";
/// What one that can sample says.
const SAMPLING: &str = "method-sample-profiling";

/// What to record of a process.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct DdmsOptions {
    /// The process, as `ps` names it, or its pid.
    pub process: String,
    /// Samples the stacks so often, microseconds, instead of recording each call.
    pub sampling_us: Option<u32>,
}

/// Records the methods of a process over its debugger port; the trace comes back on the same
/// connection, from very old devices as a file. A debugger that is attached already has to let go first.
#[derive(Debug)]
pub struct DdmsAgent {
    device: Device,
    options: DdmsOptions,
    connection: Option<Connection>,
    /// Where the process writes its trace, if it cannot send it.
    file: Option<String>,
    trace: Vec<u8>,
}

impl DdmsAgent {
    /// Of a device.
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
        let table = self.device.ask("ps", limit)?.text();
        let row = table
            .lines()
            .find(|line| line.split_whitespace().next_back() == Some(process));
        let pid = row.and_then(|row| row.split_whitespace().nth(1)?.parse().ok());
        pid.ok_or_else(|| CaptureError::NoProcess {
            process: process.clone(),
        })
    }

    /// The names of the chunks that start and stop it.
    fn chunks(&self) -> (&'static [u8; 4], &'static [u8; 4]) {
        match (&self.file, self.options.sampling_us) {
            (Some(_), _) => (b"MPRS", b"MPRE"),
            (None, Some(_)) => (b"SPSS", b"SPSE"),
            (None, None) => (b"MPSS", b"MPSE"),
        }
    }

    /// Chooses what the process can do; one that says nothing of itself is taken to be a usual one.
    fn choose(&mut self, features: &[String]) -> Result<()> {
        let has = |feature| features.is_empty() || features.iter().any(|known| known == feature);
        if self.options.sampling_us.is_some() && !has(SAMPLING) {
            return Err(CaptureError::Debugger {
                chunk: "SPSS".to_owned(),
                reason: "it cannot sample; without --sampling all calls are recorded".to_owned(),
            });
        }
        let name = self.options.process.replace('/', "_");
        self.file = (!has(STREAMING)).then(|| format!("/sdcard/traceloom-{name}.trace"));
        Ok(())
    }

    /// Buffer and flags (none is defined), and what the chunk asks for besides.
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
        let known = connection.ask(b"FEAT", &[], limit)?;
        self.choose(&features(&known))?;
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
            // The trace comes as a chunk of the same name, before the answer or after it.
            self.trace = connection.ask_for_chunk(stop, limit)?;
            return Ok(());
        };
        // One byte, 0 where the file was written.
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
            self.device.sync()?.pull(&file, &mut Output(sink))?;
            self.device.run(&format!("rm -f {}", quote(&file)), limit)?;
            return Ok(());
        }
        let trace = std::mem::take(&mut self.trace);
        if trace.is_empty() {
            return Ok(());
        }
        let mut hand_over = || {
            sink.begin(PartKind::MethodTrace, &name)?;
            sink.data(&trace)
        };
        hand_over().map_err(CaptureError::Sink)
    }
}
