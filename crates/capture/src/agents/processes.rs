//! Processes and threads of a device: their names and whose they are.

use std::time::Duration;

use crate::adb::Device;
use crate::agent::{Agent, PartKind, Sink};
use crate::device::Ask;
use crate::error::{CaptureError, Result};

/// Which thread belongs to which process, without a program: the kernel's own names are paths.
const TASKS: &str = "echo /proc/[0-9]*/task/[0-9]*";

/// The columns that the readers of process dumps know.
const TABLES: &str =
    "ps -A -o USER,PID,PPID,VSIZE,RSS,WCHAN,ADDR=PC,S,NAME,COMM && ps -AT -o USER,PID,TID,CMD";

/// `ps` before Android 8 knows neither `-A` nor `-o`.
const OLD_TABLES: &str = "ps && ps -t";

/// Takes the lists of processes and threads when recording stops.
#[derive(Debug)]
pub struct ProcessAgent {
    device: Device,
}

impl ProcessAgent {
    /// Of a device.
    pub fn new(device: Device) -> Self {
        Self { device }
    }

    fn tables(&self, limit: Duration) -> Result<Vec<u8>> {
        let output = self.device.run(TABLES, limit)?;
        if output.is_success() {
            return Ok(output.stdout);
        }
        Ok(self.device.ask(OLD_TABLES, limit)?.stdout)
    }
}

impl Agent for ProcessAgent {
    fn name(&self) -> &str {
        "processes"
    }

    fn is_aid(&self) -> bool {
        true
    }

    fn start(&mut self, _: Duration) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    fn stop(&mut self, _: Duration) -> Result<()> {
        Ok(())
    }

    fn collect(&mut self, limit: Duration, sink: &mut dyn Sink) -> Result<()> {
        let mut hand_over = |bytes: &[u8]| {
            sink.begin(PartKind::ProcessDump, "PROCESS DUMP")?;
            sink.data(bytes)
        };
        let tasks = self.device.ask(TASKS, limit)?.stdout;
        hand_over(&tasks).map_err(CaptureError::Sink)?;
        let tables = self.tables(limit)?;
        hand_over(&tables).map_err(CaptureError::Sink)
    }
}
