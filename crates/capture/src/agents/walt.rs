//! Latencies measured by a WALT, a device that detects touches, screen changes and sound. Its app on
//! the phone writes them to a file.

use std::time::Duration;

use crate::adb::{Device, quote};
use crate::agent::{Agent, PartKind, Sink, hand_over};
use crate::device::DeviceExt;
use crate::error::{CaptureError, Result};

/// The file that the app writes.
const FILE: &str = "/sdcard/Android/data/org.chromium.latency.walt/files/trace.txt";

/// The clock of the app's times.
const HEADER: &str = "# tracer: \n# clock_type=LINUX_CLOCK_MONOTONIC\n";

/// Collects the trace of the WALT app (<https://github.com/google/walt>). The app must be installed
/// and its device attached. It writes when one of its tests ends.
#[derive(Debug)]
pub struct WaltAgent {
    device: Device,
    file: String,
    markers: String,
}

impl WaltAgent {
    /// An agent for a device. The trace is `trace.txt` in `folder`, by default the app's folder.
    pub fn new(device: Device, folder: Option<&str>) -> Self {
        let file = folder.map_or_else(|| FILE.to_owned(), |folder| format!("{folder}/trace.txt"));
        Self {
            device,
            file,
            markers: String::new(),
        }
    }
}

impl Agent for WaltAgent {
    fn name(&self) -> &str {
        "WALT"
    }

    /// Empties the file, which may have earlier measurements.
    fn start(&mut self, limit: Duration) -> Result<Vec<String>> {
        let file = quote(&self.file);
        let line = format!("test ! -e {file} || : > {file}");
        self.device.run_ok(&line, limit)?;
        Ok(Vec::new())
    }

    fn takes_marks(&self) -> bool {
        true
    }

    /// Without root there is no marker. The kernel's trace then relates its clock to this one.
    fn mark(&mut self, name: &str, limit: Duration) -> Result<()> {
        if let Some(ns) = self.device.monotonic_ns(limit)? {
            let (seconds, fraction) = (ns / 1_000_000_000, ns % 1_000_000_000);
            self.markers += &format!(
                "<0>-0  (-----) [001] ...1  {seconds}.{fraction:09}: tracing_mark_write: \
                 trace_event_clock_sync: name={name}\n"
            );
        }
        Ok(())
    }

    fn collect(&mut self, limit: Duration, sink: &mut dyn Sink) -> Result<()> {
        let file = quote(&self.file);
        let output = self.device.run(&format!("cat {file}"), limit)?;
        if !output.is_success() || output.stdout.is_empty() {
            return Err(CaptureError::NoWaltTrace {
                path: self.file.clone(),
            });
        }
        let mut text = [HEADER.as_bytes(), &output.stdout].concat();
        if text.last() != Some(&b'\n') {
            text.push(b'\n');
        }
        text.extend_from_slice(self.markers.as_bytes());
        hand_over(sink, PartKind::Walt, "WALT", &text)
    }
}
