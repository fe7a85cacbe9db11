//! What a WALT noted: a device that measures when a screen was touched or lit, whose app on the
//! phone writes its trace to a file.

use std::time::Duration;

use crate::adb::{Device, quote};
use crate::agent::{Agent, PartKind, Sink};
use crate::device::{Ask, monotonic_ns};
use crate::error::{CaptureError, Result};

/// Where the app writes its trace.
const FILE: &str = "/sdcard/Android/data/org.chromium.latency.walt/files/trace.txt";

/// The app's times are of this clock.
const HEADER: &str = "# tracer: \n# clock_type=LINUX_CLOCK_MONOTONIC\n";

/// Takes the trace of the WALT app (<https://github.com/google/walt>). The app has to be installed
/// and its device attached; it writes when a test in it ends.
#[derive(Debug)]
pub struct WaltAgent {
    device: Device,
    file: String,
    markers: String,
}

impl WaltAgent {
    /// Of a device; the trace is `trace.txt` in `folder`, else where the app puts it.
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

    /// Empties the file: what was measured before is no part of this recording.
    fn start(&mut self, limit: Duration) -> Result<Vec<String>> {
        let file = quote(&self.file);
        let line = format!("test ! -e {file} || : > {file}");
        self.device.ask(&line, limit)?;
        Ok(Vec::new())
    }

    fn takes_marks(&self) -> bool {
        true
    }

    /// Who may not look at the clock needs no marker: the kernel's trace tells that clock too.
    fn mark(&mut self, name: &str, limit: Duration) -> Result<()> {
        if let Some(ns) = monotonic_ns(&self.device, limit)? {
            let (seconds, fraction) = (ns / 1_000_000_000, ns % 1_000_000_000);
            self.markers += &format!(
                "<0>-0  (-----) [001] ...1  {seconds}.{fraction:09}: tracing_mark_write: \
                 trace_event_clock_sync: name={name}\n"
            );
        }
        Ok(())
    }

    fn stop(&mut self, _: Duration) -> Result<()> {
        Ok(())
    }

    fn collect(&mut self, limit: Duration, sink: &mut dyn Sink) -> Result<()> {
        let file = quote(&self.file);
        let said = self.device.run(&format!("cat {file}"), limit)?;
        if !said.is_success() || said.stdout.is_empty() {
            return Err(CaptureError::NoWaltTrace {
                path: self.file.clone(),
            });
        }
        let mut text = said.stdout;
        if text.last() != Some(&b'\n') {
            text.push(b'\n');
        }
        let mut hand_over = || {
            sink.begin(PartKind::Walt, "WALT")?;
            sink.data(HEADER.as_bytes())?;
            sink.data(&text)?;
            sink.data(self.markers.as_bytes())
        };
        hand_over().map_err(CaptureError::Sink)
    }
}
