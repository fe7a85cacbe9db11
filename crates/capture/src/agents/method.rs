//! Method traces of an app, by the device's activity manager.

use std::thread;
use std::time::{Duration, Instant};

use crate::adb::{AdbError, Device, quote};
use crate::agent::{Agent, PartKind, Sink};
use crate::device::Ask;
use crate::error::{CaptureError, Result};

/// Where shells and the system server both may write.
const FOLDER: &str = "/data/local/tmp";

/// How often it is looked whether the app has written its trace.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// How long it is waited for the trace of an app that could not be told to stop.
const LAST_LOOK: Duration = Duration::from_secs(2);

/// A trace that has not grown for so many looks is whole: the activity manager does not tell.
const QUIET_LOOKS: u32 = 5;

/// What to record of an app.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct MethodOptions {
    /// The process, as `ps` names it: mostly the app's package.
    pub process: String,
    /// Samples the stacks so often, microseconds, instead of recording each call.
    pub sampling_us: Option<u32>,
    /// `wall`, `thread-cpu` or `dual`; the device's choice where it is not given (Android 14).
    pub clock: Option<String>,
    /// Writes the trace while it is recorded, so that no buffer limits it.
    pub streaming: bool,
    /// Starts this activity, `package/.Name`, afresh and records from its first moment.
    pub start: Option<String>,
    /// A folder of the device for the trace until it is here.
    pub folder: Option<String>,
}

/// Records the methods of an app.
#[derive(Debug)]
pub struct MethodAgent {
    device: Device,
    options: MethodOptions,
    /// The trace on the device; unlike that of another recording.
    path: String,
    /// Whether the app was told to write it.
    is_stopped: bool,
}

impl MethodAgent {
    /// Of a device; `name` tells this recording from others.
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
            // -S: a process that runs already would go on without being recorded.
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

    /// Runs `am`, which may end with 0 and say that it failed.
    fn am(&self, line: &str, limit: Duration) -> Result<()> {
        let output = self.device.ask(line, limit)?;
        let said = format!("{}\n{}", output.text(), output.complaint());
        let failed = said.lines().find(|line| {
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
            Some(line_said) => Err(CaptureError::Command {
                command: line.to_owned(),
                status: output.status,
                said: line_said.trim().to_owned(),
            }),
        }
    }

    /// Until the trace is there and grows no more.
    fn wait_for_trace(&self, limit: Duration) -> Result<()> {
        let begun = Instant::now();
        let (mut size, mut quiet) = (0, 0);
        while quiet < QUIET_LOOKS {
            if begun.elapsed() > limit {
                return Err(CaptureError::Adb(AdbError::Timeout {
                    request: format!("waiting for {}", self.path),
                    limit,
                }));
            }
            thread::sleep(LOOK_AGAIN);
            let stat = self.device.sync()?.stat(&self.path)?;
            let now = stat.map_or(0, |stat| stat.size);
            quiet = if now > 0 && now == size { quiet + 1 } else { 0 };
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
        // An app that is gone may have left what it streamed; nothing more will come.
        let limit = if self.is_stopped {
            limit
        } else {
            limit.min(LAST_LOOK)
        };
        self.wait_for_trace(limit)?;
        let name = format!("{}.trace", self.options.process);
        sink.begin(PartKind::MethodTrace, &name)
            .map_err(CaptureError::Sink)?;
        let pulled = self.device.sync()?.pull(&self.path, &mut Output(sink));
        let removed = self
            .device
            .run(&format!("rm -f {}", quote(&self.path)), limit);
        pulled?;
        removed?;
        Ok(())
    }
}

/// A sink to write to.
pub(super) struct Output<'s>(pub &'s mut dyn Sink);

impl std::io::Write for Output<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.data(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
