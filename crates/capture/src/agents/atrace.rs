//! atrace on a device: its own, or ours.

mod received;

use std::time::Duration;

use crate::adb::{Device, Shell, ShellEvent, quote};
use crate::agent::{Agent, Sink};
use crate::device::Ask;
use crate::error::{CaptureError, Result};
use crate::status::Status;
use received::Received;

/// What is recorded where nothing is chosen, as far as the device has it.
pub const DEFAULT_CATEGORIES: &[&str] = &[
    "am",
    "binder_driver",
    "camera",
    "dalvik",
    "freq",
    "gfx",
    "hal",
    "idle",
    "input",
    "memory",
    "memreclaim",
    "res",
    "sched",
    "sync",
    "view",
    "webview",
    "wm",
    "workq",
];

/// Android 4.3, the first whose atrace takes these options.
const FIRST_SDK: u32 = 18;

/// Android 6, the first whose `--async_stop` dumps what was recorded, and whose `rs` does no harm.
const ASYNC_STOP_SDK: u32 = 23;

/// What every atrace says in the end when it could not start.
pub(crate) const NOT_STARTED: &str = "unable to start tracing";

/// What to record.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct AtraceOptions {
    /// Categories; empty takes [`DEFAULT_CATEGORIES`].
    pub categories: Vec<String>,
    /// The buffer of each CPU, KB; else 8192 with webview and sched, 4096 with sched.
    pub buffer_kb: Option<u32>,
    /// Apps whose own sections are recorded: names of processes with commas between them.
    pub apps: Option<String>,
    /// Kernel functions, with commas between them.
    pub functions: Option<String>,
    /// How long it is going to take, s: atrace is told, as some read it.
    pub seconds: Option<u32>,
    /// Sends the trace compressed.
    pub compress: bool,
    /// The program; `atrace` finds the device's own.
    pub program: Option<String>,
}

/// A category that a device knows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeviceCategory {
    /// Its name.
    pub name: String,
    /// What it records.
    pub title: String,
}

/// Records with atrace.
#[derive(Debug)]
pub struct AtraceAgent {
    device: Device,
    options: AtraceOptions,
    sdk: u32,
    /// The options and categories of every call, once the device's are known.
    arguments: String,
    /// Nothing is recorded any more.
    is_stopped: bool,
}

impl AtraceAgent {
    /// Of a device.
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
        })
    }

    /// The categories that the device can record.
    ///
    /// # Errors
    /// Where its atrace fails.
    pub fn list(&self, limit: Duration) -> Result<Vec<DeviceCategory>> {
        let command = format!("{} --list_categories", self.program());
        let list = self.device.ask(&command, limit)?.text();
        let all = list.lines().filter_map(category);
        Ok(all
            .filter(|category| self.is_sound(&category.name))
            .collect())
    }

    /// Before Android 6 the tag `rs` damaged the trace.
    fn is_sound(&self, category: &str) -> bool {
        self.sdk >= ASYNC_STOP_SDK || category != "rs"
    }

    pub(crate) fn program(&self) -> String {
        quote(self.options.program.as_deref().unwrap_or("atrace"))
    }

    /// Splits what was asked for into what the device has and what it has not.
    fn choose(&self, limit: Duration) -> Result<(Vec<String>, Vec<String>)> {
        let known = self.list(limit)?;
        let has = |name: &String| known.iter().any(|category| category.name == *name);
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

    fn line(&self, step: &str) -> String {
        format!("{} {} {step}", self.program(), self.arguments)
    }

    /// Starts it with its events printed as they happen; the words for the user with it.
    pub(crate) fn stream_live(&mut self, limit: Duration) -> Result<(Vec<String>, Shell)> {
        let (said, line) = self.line_of("--stream", limit)?;
        Ok((said, self.device.shell(&line)?))
    }

    /// The line that has it do a step without compression; the words for the user with it.
    pub(crate) fn line_of(&mut self, step: &str, limit: Duration) -> Result<(Vec<String>, String)> {
        let (categories, missing) = self.choose(limit)?;
        self.options.compress = false;
        self.arguments = self.arguments(&categories);
        Ok((unavailable(&missing), self.line(step)))
    }

    /// Ends whatever is left of a recording.
    pub(crate) fn reset(&self, limit: Duration) -> Result<()> {
        self.device.run(&self.line("-t 0"), limit)?;
        Ok(())
    }

    /// What stops recording and prints what was recorded.
    fn dump_line(&self) -> String {
        self.line(if self.sdk >= ASYNC_STOP_SDK {
            "--async_stop"
        } else {
            // Older ones clear the buffer in --async_stop before they dump it.
            "--async_dump"
        })
    }

    fn stream(&self, line: &str, limit: Duration, sink: &mut dyn Sink) -> Result<()> {
        let mut shell = self.device.shell(line)?;
        shell.limit(Some(limit));
        let mut received = Received::default();
        loop {
            match shell.next_event()? {
                ShellEvent::Stdout(bytes) => received.pass(bytes, sink)?,
                ShellEvent::Stderr(bytes) => received.say(bytes),
                ShellEvent::Exit(_) => return received.finish(),
            }
        }
    }
}

impl Agent for AtraceAgent {
    fn name(&self) -> &str {
        "atrace"
    }

    fn start(&mut self, limit: Duration) -> Result<Vec<String>> {
        let (categories, missing) = self.choose(limit)?;
        self.arguments = self.arguments(&categories);
        let line = self.line("--async_start");
        let output = self.device.run(&line, limit)?;
        let mut said = unavailable(&missing);
        let complaint = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        // Android's says that it cannot start, and ends with 0.
        if !output.is_success() || complaint.contains(NOT_STARTED) {
            return Err(CaptureError::DidNotStart {
                said: output
                    .complaint()
                    .replace(NOT_STARTED, "")
                    .trim()
                    .to_owned(),
            });
        }
        if !complaint.is_empty() {
            said.push(complaint);
        }
        Ok(said)
    }

    fn takes_marks(&self) -> bool {
        true
    }

    fn mark(&mut self, name: &str, limit: Duration) -> Result<()> {
        let mark = quote(&format!("trace_event_clock_sync: name={name}"));
        // One line, so that little time goes by between the question and the mark.
        let line = format!(
            "for d in /sys/kernel/tracing /sys/kernel/debug/tracing; do \
             test -e $d/trace_marker && {{ echo {mark} > $d/trace_marker; exit; }}; done; exit 1"
        );
        self.device.ask(&line, limit)?;
        Ok(())
    }

    fn status(&mut self, limit: Duration) -> Option<Status> {
        self.device.buffer_status(limit)
    }

    fn status_disturbs(&self) -> bool {
        !self.is_stopped
    }

    fn stop(&mut self, limit: Duration) -> Result<()> {
        // So that the trace ends now, and not when its turn to be collected comes. Who may not do
        // that has a longer trace.
        let folder = self.device.tracing_folder()?;
        let line = format!("echo 0 > {}/tracing_on", quote(&folder));
        self.is_stopped = self.device.run(&line, limit)?.is_success();
        Ok(())
    }

    fn collect(&mut self, limit: Duration, sink: &mut dyn Sink) -> Result<()> {
        let line = self.dump_line();
        let streamed = self.stream(&line, limit, sink);
        // Whatever became of it, nothing of ours should go on.
        let reset = self.reset(limit);
        streamed.and(reset)
    }
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

/// A line of `--list_categories`: blanks, the name, ` - `, the title.
fn category(line: &str) -> Option<DeviceCategory> {
    let (name, title) = line.split_once(" - ")?;
    Some(DeviceCategory {
        name: name.trim().to_owned(),
        title: title.trim().to_owned(),
    })
}

/// sched has many events, and webview starts slowly.
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
    fn categories_as_atrace_lists_them() {
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
