//! Method traces of a debuggable process without a shell's rights: over its debugger port, as DDMS
//! did.

mod jdwp;

use std::time::Duration;

use crate::adb::{Device, quote};
use crate::agent::{Agent, PartKind, Sink};
use crate::device::Ask;
use crate::error::{CaptureError, Result};

use jdwp::Connection;

/// The buffer of a trace that is streamed, bytes; DDMS took 8 MB.
const BUFFER: u32 = 8 << 20;

/// What to record of a process.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct DdmsOptions {
    /// The process, as `ps` names it, or its pid.
    pub process: String,
    /// Samples the stacks so often, microseconds, instead of recording each call.
    pub sampling_us: Option<u32>,
}

/// Records the methods of a process over its debugger port; the trace comes back on the same
/// connection. A debugger that is attached already has to let go first.
#[derive(Debug)]
pub struct DdmsAgent {
    device: Device,
    options: DdmsOptions,
    connection: Option<Connection>,
    trace: Vec<u8>,
}

impl DdmsAgent {
    /// Of a device.
    pub fn new(device: Device, options: DdmsOptions) -> Self {
        Self {
            device,
            options,
            connection: None,
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
        match self.options.sampling_us {
            Some(_) => (b"SPSS", b"SPSE"),
            None => (b"MPSS", b"MPSE"),
        }
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
        let mut settings = BUFFER.to_be_bytes().to_vec();
        // Flags: none is defined.
        settings.extend_from_slice(&0u32.to_be_bytes());
        if let Some(interval) = self.options.sampling_us {
            settings.extend_from_slice(&interval.to_be_bytes());
        }
        connection.ask(self.chunks().0, &settings, limit)?;
        self.connection = Some(connection);
        Ok(Vec::new())
    }

    fn stop(&mut self, limit: Duration) -> Result<()> {
        let stop = self.chunks().1;
        if let Some(connection) = &mut self.connection {
            // The trace comes as a chunk of the same name, before the answer or after it.
            self.trace = connection.ask_for_chunk(stop, limit)?;
        }
        Ok(())
    }

    fn collect(&mut self, _: Duration, sink: &mut dyn Sink) -> Result<()> {
        self.connection = None;
        let trace = std::mem::take(&mut self.trace);
        if trace.is_empty() {
            return Ok(());
        }
        let name = format!("{}.trace", self.options.process);
        let mut hand_over = || {
            sink.begin(PartKind::MethodTrace, &name)?;
            sink.data(&trace)
        };
        hand_over().map_err(CaptureError::Sink)
    }
}
