//! Method traces of an app, recorded through the device's activity manager.

use std::thread;
use std::time::{Duration, Instant};

use crate::adb::{AdbError, Device, quote};
use crate::agent::{Agent, PartKind, Sink, SinkWriter};
use crate::device::DeviceExt;
use crate::error::{CaptureError, Result};

/// A folder that both the shell and the system server may write to.
const FOLDER: &str = "/data/local/tmp";

/// How often to check whether the app has written its trace.
const CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// How long to wait for the trace of an app that could not be stopped.
const WAIT_IF_NOT_STOPPED: Duration = Duration::from_secs(2);

/// The trace counts as complete after this many checks without growth. The activity manager does
/// not report the end.
const CHECKS_WITHOUT_GROWTH: u32 = 5;

/// What to record of an app.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct MethodOptions {
    /// The process name in `ps`, usually the app's package.
    pub process: String,
    /// Samples the stacks at this interval, microseconds. `None` records each call.
    pub sampling_us: Option<u32>,
    /// `wall`, `thread-cpu` or `dual` (Android 14). `None` is the device's default.
    pub clock: Option<String>,
    /// Writes the trace while recording, so that no buffer limits its size.
    pub streaming: bool,
    /// Restarts this activity (`package/.Name`) and records it from the start.
    pub start: Option<String>,
    /// A folder on the device for the trace.
    pub folder: Option<String>,
}

/// Records the methods of an app.
#[derive(Debug)]
pub struct MethodAgent {
    device: Device,
    options: MethodOptions,
    /// The path of the trace on the device.
    path: String,
    /// Whether the app was told to write the trace.
    is_stopped: bool,
}

impl MethodAgent {
    /// An agent for a device. `name` makes the file name of the trace unique.
    pub fn new(device: Device, options: MethodOptions, name: &str) -> Self {
        let folder = options.folder.as_deref().unwrap_or(FOLDER);
        Self {
            path: format!("{folder}/traceloom-{name}.trace"),
            device,
            options,
            is_stopped: false,
        }
    }

    fn start_line(&self) -> String {
        let mut words: Vec<&str> = Vec::new();
        let sampling = self.options.sampling_us.map(|us| us.to_string());
        if let Some(clock) = &self.options.clock {
            words.extend(["--clock-type", clock]);
        }
        if let Some(sampling) = &sampling {
            words.extend(["--sampling", sampling]);
        }
        if self.options.streaming {
            words.push("--streaming");
        }
        let line = match &self.options.start {
            // -S: a process that already runs would not be recorded.
            Some(activity) => {
                words.extend(["--start-profiler", &self.path, activity]);
                "am start -S -W"
            }
            None => {
                words.extend([self.options.process.as_str(), &self.path]);
                "am profile start"
            }
        };
        let words = words.into_iter().map(|word| format!(" {}", quote(word)));
        words.fold(line.to_owned(), |line, word| line + &word)
    }

    /// Runs `am`, whose exit status may be 0 even if it failed.
    fn am(&self, line: &str, limit: Duration) -> Result<()> {
        let output = self.device.run_ok(line, limit)?;
        let text = format!("{}\n{}", output.text(), output.error_text());
        let failed = text.lines().find(|line| {
            [
                "Error",
                "Exception",
                "Unknown",
                "Warning: Activity not started",
            ]
            .iter()
            .any(|word| line.trim_start().starts_with(word))
        });
        match failed {
            None => Ok(()),
            Some(message) => Err(CaptureError::Command {
                command: line.to_owned(),
                status: output.status,
                message: message.trim().to_owned(),
            }),
        }
    }

    /// Waits until the trace exists and no longer grows.
    fn wait_for_trace(&self, limit: Duration) -> Result<()> {
        let started = Instant::now();
        let (mut size, mut unchanged) = (0, 0);
        while unchanged < CHECKS_WITHOUT_GROWTH {
            if started.elapsed() > limit {
                return Err(CaptureError::Adb(AdbError::Timeout {
                    request: format!("waiting for {}", self.path),
                    limit,
                }));
            }
            thread::sleep(CHECK_INTERVAL);
            let stat = self.device.sync()?.stat(&self.path)?;
            let now = stat.map_or(0, |stat| stat.size);
            unchanged = if now > 0 && now == size {
                unchanged + 1
            } else {
                0
            };
            size = now;
        }
        Ok(())
    }
}

impl Agent for MethodAgent {
    fn name(&self) -> &str {
        "method trace"
    }

    fn start(&mut self, limit: Duration) -> Result<Vec<String>> {
        self.am(&self.start_line(), limit)?;
        Ok(Vec::new())
    }

    fn stop(&mut self, limit: Duration) -> Result<()> {
        let process = quote(&self.options.process);
        self.am(&format!("am profile stop {process}"), limit)?;
        self.is_stopped = true;
        Ok(())
    }

    fn collect(&mut self, limit: Duration, sink: &mut dyn Sink) -> Result<()> {
        // An app that died may have left a streamed trace, which no longer grows.
        let limit = if self.is_stopped {
            limit
        } else {
            limit.min(WAIT_IF_NOT_STOPPED)
        };
        self.wait_for_trace(limit)?;
        let name = format!("{}.trace", self.options.process);
        sink.begin(PartKind::MethodTrace, &name)
            .map_err(CaptureError::Sink)?;
        let pulled = self.device.sync()?.pull(&self.path, &mut SinkWriter(sink));
        let removed = self
            .device
            .run(&format!("rm -f {}", quote(&self.path)), limit);
        pulled?;
        removed?;
        Ok(())
    }
}
