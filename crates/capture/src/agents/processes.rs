//! The processes and threads of a device.

use std::time::Duration;

use crate::adb::Device;
use crate::agent::{Agent, PartKind, Sink, hand_over};
use crate::device::DeviceExt;
use crate::error::Result;

/// Lists which thread belongs to which process, with the shell alone: as paths in `/proc`.
const TASKS: &str = "echo /proc/[0-9]*/task/[0-9]*";

/// The columns that readers of process dumps expect.
const TABLES: &str =
    "ps -A -o USER,PID,PPID,VSIZE,RSS,WCHAN,ADDR=PC,S,NAME,COMM && ps -AT -o USER,PID,TID,CMD";

/// `ps` before Android 8 supports neither `-A` nor `-o`.
const OLD_TABLES: &str = "ps && ps -t";

/// Lists processes and threads when recording stops.
#[derive(Debug)]
pub struct ProcessAgent {
    device: Device,
}

impl ProcessAgent {
    /// An agent for a device.
    pub fn new(device: Device) -> Self {
        Self { device }
    }

    fn tables(&self, limit: Duration) -> Result<Vec<u8>> {
        let output = self.device.run(TABLES, limit)?;
        if output.is_success() {
            return Ok(output.stdout);
        }
        Ok(self.device.run_ok(OLD_TABLES, limit)?.stdout)
    }
}

impl Agent for ProcessAgent {
    fn name(&self) -> &str {
        "processes"
    }

    fn is_aid(&self) -> bool {
        true
    }

    fn collect(&mut self, limit: Duration, sink: &mut dyn Sink) -> Result<()> {
        const NAME: &str = "PROCESS DUMP";
        let tasks = self.device.run_ok(TASKS, limit)?.stdout;
        hand_over(sink, PartKind::ProcessDump, NAME, &tasks)?;
        let tables = self.tables(limit)?;
        hand_over(sink, PartKind::ProcessDump, NAME, &tables)
    }
}
