//! Records a device with its own `perfetto`.

use std::time::{Duration, Instant};

use super::follow::{Ended, Follow, State, fetch};
use super::given::PerfettoConfig;
use super::leftover::{Leftover, is_running, leftovers};
use super::place::Place;
use super::support::PerfettoSupport;
use crate::adb::{AdbError, Device, quote};
use crate::agent::{Agent, PartKind, Sink};
use crate::device::{DeviceExt, Watchdog};
use crate::error::{CaptureError, Result};
use crate::live::SpillFile;
use crate::status::Status;

/// How often to check something on the device.
const CHECK_INTERVAL: Duration = Duration::from_millis(200);

/// How long to wait for one sign of the start before another sign is checked.
const START: Duration = Duration::from_secs(5);

/// How long the kernel's part of the start may take.
const KERNEL: Duration = Duration::from_secs(30);

/// Precedes the enabled events in what the shell prints.
const EVENTS: &str = "events:";

/// The message if perfetto records, but not the kernel.
const SILENT_KERNEL: &str = "The kernel does not record, so its events may be missing; \
                             `adb logcat -s traced_probes` may show why.";

/// The name for messages and files.
const NAME: &str = "perfetto";

/// Whether the kernel records: recording is on, and events are enabled. Also true if the shell has no permission to
/// read that. Perfetto's recorder turns recording on last, but it may have been on before.
fn records(printed: &str) -> bool {
    let mut lines = printed.lines().map(str::trim);
    let is_off = lines.next() == Some("0");
    !is_off && (lines.next() != Some(EVENTS) || lines.next().is_some())
}

/// Whether perfetto has acknowledged the start of all data sources, or has ended.
fn is_settled(state: &State) -> bool {
    state.is_started || state.ended.is_some()
}

/// Records a device with its own `perfetto`, and fetches the trace while it grows.
pub struct PerfettoAgent {
    device: Device,
    support: PerfettoSupport,
    config: PerfettoConfig,
    /// A folder on the device instead of the usual ones.
    folder: Option<String>,
    /// How long the device keeps an abandoned recording.
    keep: Duration,
    /// Holds the fetched part of the trace.
    stored: Option<SpillFile>,
    place: Place,
    running: Option<(Follow, Option<Watchdog>)>,
    /// Whether its early end was reported.
    is_reported: bool,
}

impl PerfettoAgent {
    /// An agent for a device. `stored` is a file for the part of the trace that was fetched. An abandoned recording
    /// is kept on the device for the time `keep`. Files are in `folder` instead of the usual ones.
    pub fn new(
        device: Device,
        support: PerfettoSupport,
        config: PerfettoConfig,
        stored: std::fs::File,
        keep: Duration,
        folder: Option<String>,
    ) -> Self {
        Self {
            device,
            support,
            config,
            place: Place::new(folder.as_deref()),
            folder,
            keep,
            stored: Some(SpillFile::new(stored)),
            running: None,
            is_reported: false,
        }
    }

    /// An agent that fetches an abandoned recording instead of recording.
    pub fn resume(device: Device, leftover: Leftover) -> impl Agent {
        ResumeAgent { device, leftover }
    }

    /// Removes what other recordings have left. Returns a message for the user.
    fn clean_up(&self, limit: Duration) -> Result<Option<String>> {
        let left = leftovers(&self.device, self.folder.as_deref(), limit)?;
        for leftover in &left {
            leftover.remove(&self.device, limit)?;
        }
        let is_any = !left.is_empty();
        Ok(is_any.then(|| "An abandoned recording on the device was removed.".to_owned()))
    }

    fn options(&self) -> Result<String> {
        let mut options = String::new();
        if self.config.is_text() {
            if !self.support.reads_text {
                return Err(CaptureError::Option(format!(
                    "{}: its perfetto reads configurations only in the binary format, not as text",
                    self.support.android()
                )));
            }
            options += " --txt";
        }
        if self.support.notifies {
            options += " --notify-fd 1";
        }
        Ok(options)
    }

    /// Starts perfetto and hands it the configuration.
    fn run(&mut self) -> Result<Follow> {
        let line = self.place.record(&self.support.program, &self.options()?);
        let mut shell = self.device.shell(&line)?;
        // If perfetto ends before it has read everything, its message is the error.
        _ = shell.send_stdin(&self.config.bytes());
        _ = shell.close_stdin();
        let stored = self.stored.take().ok_or(CaptureError::NotStarted)?;
        Follow::start(&self.device, &self.place, shell, stored)
    }

    /// Waits until perfetto records. False if it does not report this in time and the kernel is not recording.
    fn wait_for_start(&self, follow: &Follow, limit: Duration) -> Result<bool> {
        let acknowledges = self.support.notifies;
        // A frozen app may delay the acknowledgement of all data sources.
        if acknowledges {
            follow.wait(limit.min(START), is_settled);
        }
        self.wait_for_trace(follow, limit)?;
        let kernel = limit.min(if acknowledges { KERNEL } else { START });
        let is_settled = is_settled(&follow.state());
        let records = is_settled || self.wait_for_kernel(follow, kernel)?;
        let state = follow.state();
        match state.ended.clone() {
            // A short recording may have ended. Without acknowledgements, a silent kernel proves nothing.
            None | Some(Ended::Status(0)) => Ok(records || !acknowledges),
            Some(Ended::Status(status)) => {
                let message = state.message();
                Err(CaptureError::Perfetto { status, message })
            }
            Some(Ended::Lost(error)) => Err(CaptureError::LeftOnDevice(error)),
        }
    }

    /// Waits until perfetto talks to its service, ends, or creates its file.
    fn wait_for_trace(&self, follow: &Follow, limit: Duration) -> Result<()> {
        let begun = Instant::now();
        while !follow.wait(limit.min(START), State::has_begun) && !self.has_file(limit)? {
            if begun.elapsed() > limit {
                let request = "waiting for perfetto to start".to_owned();
                return Err(AdbError::Timeout { request, limit }.into());
            }
        }
        Ok(())
    }

    /// Whether perfetto has created its file. It may write its messages to the device's log only.
    fn has_file(&self, limit: Duration) -> Result<bool> {
        let command = format!("test -e {}", quote(&self.place.file));
        Ok(self.device.run(&command, limit)?.is_success())
    }

    /// Waits until the shell sees that the kernel records, or until perfetto acknowledges the start or ends. False if
    /// none of these happens within `limit`.
    fn wait_for_kernel(&self, follow: &Follow, limit: Duration) -> Result<bool> {
        if !self.config.has_kernel_events() {
            return Ok(true);
        }
        let folder = quote(&self.device.tracing_folder()?);
        let command = format!(
            "cd {folder} && cat tracing_on && test -r set_event && echo {EVENTS} && head -c 99 set_event"
        );
        let begun = Instant::now();
        loop {
            if records(&self.device.run(&command, limit)?.text()) {
                return Ok(true);
            }
            if follow.wait(CHECK_INTERVAL, is_settled) {
                return Ok(true);
            }
            if begun.elapsed() >= limit {
                return Ok(false);
            }
        }
    }

    fn begin(&mut self, limit: Duration) -> Result<Vec<String>> {
        let mut messages = vec![format!(
            "Recording with perfetto ({}).",
            self.support.android()
        )];
        messages.extend(self.clean_up(limit)?);
        let guard = self.place.guard(self.keep.as_secs());
        let guard = Watchdog::run(&self.device, &guard).ok();
        let follow = self.run()?;
        let started = self.wait_for_start(&follow, limit);
        self.running = Some((follow, guard));
        match &started {
            // The device keeps it, and its guardian removes it.
            Ok(_) | Err(CaptureError::LeftOnDevice(_)) => {}
            // Only the first error matters.
            Err(_) => _ = self.end(limit),
        }
        if !started? {
            messages.push(SILENT_KERNEL.to_owned());
        }
        Ok(messages)
    }

    /// Stops perfetto if it runs, and removes everything from the device.
    fn end(&mut self, limit: Duration) -> Result<()> {
        let Some((follow, guard)) = self.running.take() else {
            return Ok(());
        };
        let (pid, has_ended) = {
            let state = follow.state();
            (state.pid(), state.ended.is_some())
        };
        if let Some(pid) = pid.filter(|_| !has_ended) {
            self.device.run(&format!("kill -TERM {pid}"), limit)?;
        }
        self.device.run_ok(&self.place.remove(), limit)?;
        if let Some(guard) = guard {
            guard.dismiss();
        }
        Ok(())
    }
}

impl Agent for PerfettoAgent {
    fn name(&self) -> &str {
        NAME
    }

    fn start(&mut self, limit: Duration) -> Result<Vec<String>> {
        self.begin(limit)
    }

    fn status(&mut self, _: Duration) -> Option<Status> {
        let (follow, _) = self.running.as_ref()?;
        let bytes = follow.state().stored.bytes();
        Some(Status {
            bytes,
            ..Status::default()
        })
    }

    fn broke_off(&mut self) -> Option<String> {
        let (follow, _) = self.running.as_ref()?;
        let state = follow.state();
        if self.is_reported || state.is_stopping {
            return None;
        }
        if let Some(CaptureError::Sink(error)) = &state.failed {
            self.is_reported = true;
            return Some(error.to_string());
        }
        let ended = state.ended.clone()?;
        self.is_reported = true;
        Some(match ended {
            Ended::Status(status) => format!(
                "perfetto ended by itself, with status {status}: {}",
                last_line(&state.message())
            ),
            Ended::Lost(error) => error,
        })
    }

    fn stop(&mut self, limit: Duration) -> Result<()> {
        let Some((follow, _)) = &self.running else {
            return Ok(());
        };
        let pid = {
            let mut state = follow.state();
            state.is_stopping = true;
            state.pid().filter(|_| state.ended.is_none())
        };
        let Some(pid) = pid else {
            return Ok(());
        };
        let output = self.device.run(&format!("kill -TERM {pid}"), limit)?;
        // It may have ended in the meantime.
        if output.is_success() || follow.wait(CHECK_INTERVAL, |state| state.ended.is_some()) {
            return Ok(());
        }
        Err(CaptureError::Command {
            command: format!("kill -TERM {pid}"),
            status: output.status,
            message: output.error_text(),
        })
    }

    fn collect(&mut self, limit: Duration, sink: &mut dyn Sink) -> Result<()> {
        let Some((follow, _)) = &mut self.running else {
            return Err(CaptureError::NotStarted);
        };
        let finished = follow.finish(limit);
        let collected = hand_over(follow, sink);
        let is_lost = matches!(follow.state().ended, Some(Ended::Lost(_)) | None);
        match (is_lost, finished.and(collected)) {
            // The device still has it, and its guardian removes it.
            (true, result) => result,
            (false, result) => result.and(self.end(limit)),
        }
    }
}

/// Hands over what was fetched.
fn hand_over(follow: &Follow, sink: &mut dyn Sink) -> Result<()> {
    let mut state = follow.state();
    let bytes = state.stored.bytes();
    if bytes > 0 {
        let begun = sink.begin(PartKind::PerfettoTrace, NAME);
        let handed = begun.and_then(|()| {
            state
                .stored
                .read_back(bytes, &mut |bytes: &[u8]| sink.data(bytes))
        });
        handed.map_err(CaptureError::Sink)?;
    }
    let ended = state.ended.clone();
    match (state.failed.take(), ended) {
        (_, Some(Ended::Lost(error))) => Err(CaptureError::LeftOnDevice(error)),
        (_, Some(Ended::Status(status))) if bytes == 0 || status != 0 => {
            Err(CaptureError::Perfetto {
                status,
                message: state.message(),
            })
        }
        (Some(error), _) => Err(error),
        _ => Ok(()),
    }
}

fn last_line(text: &str) -> &str {
    text.lines().last().unwrap_or_default().trim()
}

/// Fetches an abandoned recording.
struct ResumeAgent {
    device: Device,
    leftover: Leftover,
}

impl Agent for ResumeAgent {
    fn name(&self) -> &str {
        NAME
    }

    fn collect(&mut self, limit: Duration, sink: &mut dyn Sink) -> Result<()> {
        let begun = Instant::now();
        while let Some(pid) = self.leftover.pid
            && begun.elapsed() < limit
            && is_running(&self.device, pid, limit)?
        {
            std::thread::sleep(CHECK_INTERVAL);
        }
        sink.begin(PartKind::PerfettoTrace, NAME)
            .map_err(CaptureError::Sink)?;
        let mut take = |bytes: &[u8]| sink.data(bytes);
        fetch(&self.device, &self.leftover.place, &mut take, 0)?;
        self.leftover.remove(&self.device, limit)
    }
}

#[cfg(test)]
mod tests {
    use super::records;

    #[test]
    fn a_kernel_records_when_it_is_on_and_has_events() {
        for (printed, expected) in [
            ("", true),
            ("0", false),
            ("0\r\nevents:\r\nsched:sched_switch", false),
            ("1", true),
            ("1\nevents:", false),
            ("1\r\nevents:\r\nsched:sched_switch\r\nsch", true),
        ] {
            assert_eq!(records(printed), expected, "{printed:?}");
        }
    }
}
