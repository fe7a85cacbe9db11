//! Runs atrace on a device: Android's own, or ours.

mod options;
mod output;

use std::time::Duration;

use crate::adb::{Device, Shell, ShellEvent, quote};
use crate::agent::{Agent, Sink};
use crate::device::{DeviceExt, Ending, Watchdog, abandoned, clean_up};
use crate::error::{CaptureError, Result};
use crate::status::Status;
use options::DEFAULT_CATEGORIES;
pub use options::{AtraceOptions, DeviceCategory};
use output::TraceOutput;

/// Android 4.3, the first version whose atrace has these options.
const FIRST_SDK: u32 = 18;

/// Android 6, the first version whose `--async_stop` prints the trace, and whose category `rs` does
/// not damage it.
const ASYNC_STOP_SDK: u32 = 23;

/// The last message of every atrace that could not start.
pub(crate) const NOT_STARTED: &str = "unable to start tracing";

/// Records a device with atrace.
#[derive(Debug)]
pub struct AtraceAgent {
    device: Device,
    options: AtraceOptions,
    sdk: u32,
    /// Options and categories for each call of atrace. Set when recording starts.
    arguments: String,
    /// Whether recording has been stopped.
    is_stopped: bool,
    /// Whether it fetches a recording that was abandoned.
    is_resumed: bool,
    /// Ends the recording if this program dies.
    watchdog: Option<Watchdog>,
}

impl AtraceAgent {
    /// An agent for a device.
    ///
    /// # Errors
    /// [`CaptureError::OldDevice`].
    pub fn new(device: Device, options: AtraceOptions) -> Result<Self> {
        let sdk = device.sdk()?;
        if sdk < FIRST_SDK {
            return Err(CaptureError::OldDevice { sdk });
        }
        Ok(Self {
            device,
            options,
            sdk,
            arguments: String::new(),
            is_stopped: false,
            is_resumed: false,
            watchdog: None,
        })
    }

    /// An agent that does not record, but fetches an earlier recording whose connection was lost.
    ///
    /// # Errors
    /// [`CaptureError::OldDevice`].
    pub fn resume(device: Device, options: AtraceOptions) -> Result<Self> {
        Ok(Self {
            is_resumed: true,
            ..Self::new(device, options)?
        })
    }

    /// The categories that the device supports.
    ///
    /// # Errors
    /// If its atrace fails.
    pub fn list(&self, limit: Duration) -> Result<Vec<DeviceCategory>> {
        let command = format!("{} --list_categories", self.program());
        let list = self.device.run_ok(&command, limit)?.text();
        let all = list.lines().filter_map(category);
        Ok(all
            .filter(|category| self.is_safe(&category.name))
            .collect())
    }

    /// The category `rs` damaged the trace before Android 6.
    fn is_safe(&self, category: &str) -> bool {
        self.sdk >= ASYNC_STOP_SDK || category != "rs"
    }

    pub(crate) fn program(&self) -> String {
        quote(self.options.program.as_deref().unwrap_or("atrace"))
    }

    /// The chosen categories, or the default ones, split into those that the device supports and the others.
    ///
    /// # Errors
    /// If its atrace fails.
    pub fn choose(&self, limit: Duration) -> Result<(Vec<String>, Vec<String>)> {
        let supported = self.list(limit)?;
        let has = |name: &String| supported.iter().any(|category| category.name == *name);
        let wanted = if self.options.categories.is_empty() {
            DEFAULT_CATEGORIES
                .iter()
                .map(|&name| name.to_owned())
                .collect()
        } else {
            self.options.categories.clone()
        };
        Ok(wanted.into_iter().partition(has))
    }

    fn arguments(&self, categories: &[String]) -> String {
        let mut words = Vec::new();
        let mut option =
            |letter: &str, value: String| words.extend([letter.to_owned(), quote(&value)]);
        if let Some(seconds) = self.options.seconds.filter(|&seconds| seconds > 0) {
            option("-t", seconds.to_string());
        }
        if let Some(size) = self.options.buffer_kb.or_else(|| buffer_for(categories)) {
            option("-b", size.to_string());
        }
        if let Some(apps) = &self.options.apps {
            option("-a", apps.clone());
        }
        if let Some(functions) = &self.options.functions {
            option("-k", functions.clone());
        }
        if self.options.compress {
            words.insert(0, "-z".to_owned());
        }
        words.extend(categories.iter().map(|name| quote(name)));
        words.join(" ")
    }

    fn command(&self, step: &str) -> String {
        format!("{} {} {step}", self.program(), self.arguments)
    }

    /// Starts atrace so that it prints events while recording. Also returns messages for the user.
    pub(crate) fn stream_live(&mut self, limit: Duration) -> Result<(Vec<String>, Shell)> {
        let (messages, command) = self.uncompressed_command("--stream", limit)?;
        Ok((messages, self.device.shell(&command)?))
    }

    /// The command for a step without compression. Also returns messages for the user.
    pub(crate) fn uncompressed_command(
        &mut self,
        step: &str,
        limit: Duration,
    ) -> Result<(Vec<String>, String)> {
        self.options.compress = false;
        let messages = self.prepare(Duration::ZERO, limit)?;
        Ok((messages, self.command(step)))
    }

    /// Prepares the device. It keeps an abandoned recording for the time `keep`. Returns messages for the
    /// user.
    fn prepare(&mut self, keep: Duration, limit: Duration) -> Result<Vec<String>> {
        let (categories, missing) = self.choose(limit)?;
        let has_more = self.options.apps.is_some() || self.options.functions.is_some();
        if categories.is_empty() && !has_more {
            let reason = |name: &String| format!("{name}: this device has no such category");
            return Err(CaptureError::NothingToRecord {
                reasons: missing.iter().map(reason).collect(),
            });
        }
        let mut messages = unavailable(&missing);
        messages.extend(self.clean_up(limit)?);
        messages.extend(limited(&self.device.foreign_limits(limit)?));
        self.arguments = self.arguments(&categories);
        self.watchdog = Watchdog::start(&self.device, &self.ending(keep)).ok();
        Ok(messages)
    }

    fn ending(&self, keep: Duration) -> Ending {
        Ending {
            program: self.program(),
            is_pushed: self.options.program.is_some(),
            keep,
            folder: self.options.folder.clone(),
        }
    }

    /// Ends a recording that another run has abandoned. Returns a message for the user.
    fn clean_up(&self, limit: Duration) -> Result<Option<String>> {
        let Some(program) = abandoned(&self.device, self.options.folder.as_deref(), limit)? else {
            return Ok(None);
        };
        let ending = Ending {
            // Only a pushed program has an absolute path.
            is_pushed: program.starts_with('/'),
            program: quote(&program),
            ..self.ending(Duration::ZERO)
        };
        clean_up(&self.device, &ending, limit)?;
        Ok(Some(
            "An abandoned recording on the device was removed.".to_owned(),
        ))
    }

    /// Finds the recording to fetch.
    fn find_abandoned(&mut self, limit: Duration) -> Result<()> {
        let program = abandoned(&self.device, self.options.folder.as_deref(), limit)?;
        let program = program.ok_or(CaptureError::NothingToResume)?;
        self.options.program = Some(program).filter(|program| program.starts_with('/'));
        self.arguments = self.arguments(&[]);
        Ok(())
    }

    /// The number of events that each CPU dropped so far.
    pub(crate) fn dropped_by_cpu(&self, limit: Duration) -> Vec<(u32, u64)> {
        self.device.dropped_by_cpu(limit)
    }

    /// Stops recording, after a mark with this text. Returns how many events each CPU has lost.
    pub(crate) fn end_stream(&self, mark: &str, limit: Duration) -> Result<Vec<(u32, u64)>> {
        self.device.end_recording(mark, limit)
    }

    /// Ends any recording that is left.
    pub(crate) fn reset(&mut self, limit: Duration) -> Result<()> {
        if self.is_resumed {
            return clean_up(&self.device, &self.ending(Duration::ZERO), limit);
        }
        self.device.run(&self.command("-t 0"), limit)?;
        self.dismiss_watchdog();
        Ok(())
    }

    /// The recording was ended properly.
    pub(crate) fn dismiss_watchdog(&mut self) {
        if let Some(watchdog) = self.watchdog.take() {
            watchdog.dismiss();
        }
    }

    /// The command that stops recording and prints the trace.
    fn dump_command(&self) -> String {
        self.command(if self.sdk >= ASYNC_STOP_SDK {
            "--async_stop"
        } else {
            // Older versions clear the buffer in --async_stop before they print it.
            "--async_dump"
        })
    }

    fn collect_trace(&self, limit: Duration, sink: &mut dyn Sink) -> Result<()> {
        // The counts are read first, because ending the recording clears them.
        let dropped = self.dropped_by_cpu(limit);
        let shell = self.device.shell(&self.dump_command());
        let mut shell = shell.map_err(CaptureError::Abandoned)?;
        shell.limit(Some(limit));
        let mut output = TraceOutput::default();
        loop {
            let event = shell.next_event();
            match event.map_err(|error| output.lost(error))? {
                ShellEvent::Stdout(bytes) => output.push(bytes, sink)?,
                ShellEvent::Stderr(bytes) => output.push_message(bytes),
                ShellEvent::Exit(_) => {
                    output.add_losses(&dropped, sink)?;
                    return output.finish();
                }
            }
        }
    }
}

impl Agent for AtraceAgent {
    fn name(&self) -> &str {
        "atrace"
    }

    fn start(&mut self, limit: Duration) -> Result<Vec<String>> {
        if self.is_resumed {
            self.find_abandoned(limit)?;
            return Ok(Vec::new());
        }
        let mut messages = self.prepare(self.options.keep, limit)?;
        let output = self.device.run(&self.command("--async_start"), limit)?;
        let stderr = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        // Android's atrace exits with 0 even if it did not start.
        if !output.is_success() || stderr.contains(NOT_STARTED) {
            self.dismiss_watchdog();
            let message = output.error_text().replace(NOT_STARTED, "");
            return Err(CaptureError::DidNotStart {
                message: message.trim().to_owned(),
            });
        }
        if !stderr.is_empty() {
            messages.push(stderr);
        }
        Ok(messages)
    }

    fn takes_marks(&self) -> bool {
        !self.is_resumed
    }

    fn mark(&mut self, name: &str, limit: Duration) -> Result<()> {
        let mark = quote(&format!("trace_event_clock_sync: name={name}"));
        // A single command, so that little time passes between the request and the marker.
        let command = format!(
            "for d in /sys/kernel/tracing /sys/kernel/debug/tracing; do \
             test -e $d/trace_marker && {{ echo {mark} > $d/trace_marker; exit; }}; done; exit 1"
        );
        self.device.run_ok(&command, limit)?;
        Ok(())
    }

    fn status(&mut self, limit: Duration) -> Option<Status> {
        self.device.buffer_status(limit)
    }

    fn status_disturbs(&self) -> bool {
        !self.is_stopped
    }

    fn stop(&mut self, limit: Duration) -> Result<()> {
        // The trace should end now, not when it is collected. If this is not permitted, it ends later.
        let folder = self.device.tracing_folder()?;
        let command = format!("echo 0 > {}/tracing_on", quote(&folder));
        self.is_stopped = self.device.run(&command, limit)?.is_success();
        Ok(())
    }

    fn collect(&mut self, limit: Duration, sink: &mut dyn Sink) -> Result<()> {
        let collected = self.collect_trace(limit, sink);
        // Ends the recording on the device in any case.
        let reset = self.reset(limit);
        collected.and(reset)
    }
}

fn limited(limits: &[String]) -> Option<String> {
    (!limits.is_empty()).then(|| {
        let limits = limits.join("\n  ");
        format!("Warning: another program limits events, so some are not recorded:\n  {limits}")
    })
}

fn unavailable(missing: &[String]) -> Vec<String> {
    match missing {
        [] => Vec::new(),
        missing => vec![format!(
            "These categories are unavailable: {}",
            missing.join(" ")
        )],
    }
}

/// Parses a line of `--list_categories`: spaces, the name, ` - `, the title.
fn category(line: &str) -> Option<DeviceCategory> {
    let (name, title) = line.split_once(" - ")?;
    Some(DeviceCategory {
        name: name.trim().to_owned(),
        title: title.trim().to_owned(),
    })
}

/// The default buffer size: sched has many events, and webview starts slowly.
fn buffer_for(categories: &[String]) -> Option<u32> {
    let has = |name: &str| categories.iter().any(|category| category == name);
    match (has("sched"), has("webview")) {
        (true, true) => Some(8192),
        (true, false) => Some(4096),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::category;

    #[test]
    fn listed_categories_are_parsed() {
        let sched = category("       sched - CPU Scheduling").unwrap();
        assert_eq!(
            (sched.name.as_str(), sched.title.as_str()),
            ("sched", "CPU Scheduling")
        );
        assert_eq!(
            category("  camera_x - Camera - X (HAL)").unwrap().title,
            "Camera - X (HAL)"
        );
        assert_eq!(category(""), None);
    }
}
