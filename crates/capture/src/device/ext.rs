//! Short commands that several agents need.

use std::time::Duration;

use crate::adb::{Device, Output, quote};
use crate::error::{CaptureError, Result};
use crate::status::{DROPPED, LOST, Status, sum_by_cpu};

/// Time limit for a short command.
const LIMIT: Duration = Duration::from_secs(20);

/// Short commands on a device.
pub(crate) trait DeviceExt {
    /// Runs a command. A non-zero exit status is an error.
    fn run_ok(&self, command: &str, limit: Duration) -> Result<Output>;

    /// The value of a system property; empty if it is not set.
    fn property(&self, name: &str) -> Result<String>;

    /// The API level; [`u32::MAX`] if unknown.
    fn sdk(&self) -> Result<u32>;

    /// The folder of tracefs.
    fn tracing_folder(&self) -> Result<String>;

    /// The kernel's statistics of the ring buffer, if the shell may read them.
    fn buffer_status(&self, limit: Duration) -> Option<Status>;

    /// For each CPU, the number of events dropped because its buffer was full. Empty if the shell has no permission to
    /// read it.
    fn dropped_by_cpu(&self, limit: Duration) -> Vec<(u32, u64)>;

    /// Stops recording, after a last event: a mark with the text `mark`. Returns how many events each CPU has lost.
    fn end_recording(&self, mark: &str, limit: Duration) -> Result<Vec<(u32, u64)>>;

    /// Settings by other programs that leave out events: one line each, with the file and its
    /// value.
    fn foreign_limits(&self, limit: Duration) -> Result<Vec<String>>;

    /// The value of `CLOCK_MONOTONIC`, ns, if the shell may read it. Needs root.
    fn monotonic_ns(&self, limit: Duration) -> Result<Option<i64>>;
}

impl DeviceExt for Device {
    fn run_ok(&self, command: &str, limit: Duration) -> Result<Output> {
        let output = self.run(command, limit)?;
        if output.is_success() {
            Ok(output)
        } else {
            Err(CaptureError::Command {
                command: command.to_owned(),
                status: output.status,
                message: output.error_text(),
            })
        }
    }

    fn property(&self, name: &str) -> Result<String> {
        let command = format!("getprop {}", quote(name));
        Ok(self.run_ok(&command, LIMIT)?.text())
    }

    fn sdk(&self) -> Result<u32> {
        let level = self.property("ro.build.version.sdk")?;
        Ok(level.parse().unwrap_or(u32::MAX))
    }

    fn tracing_folder(&self) -> Result<String> {
        let command = "for d in /sys/kernel/tracing /sys/kernel/debug/tracing; \
                       do test -e $d/trace_marker && echo $d && break; done";
        Ok(self.run_ok(command, LIMIT)?.text())
    }

    fn buffer_status(&self, limit: Duration) -> Option<Status> {
        Status::parse(&buffer_stats(self, limit)?)
    }

    fn dropped_by_cpu(&self, limit: Duration) -> Vec<(u32, u64)> {
        sum_by_cpu(&buffer_stats(self, limit).unwrap_or_default(), DROPPED)
    }

    fn end_recording(&self, mark: &str, limit: Duration) -> Result<Vec<(u32, u64)>> {
        let folder = quote(&self.tracing_folder()?);
        // A single command, since the end of atrace changes the counts.
        let command = format!(
            "cd {folder} || exit; echo {} > trace_marker; echo 0 > tracing_on && \
             exec cat per_cpu/cpu*/stats buffer_size_kb",
            quote(mark)
        );
        let output = self.run(&command, limit)?;
        let stats = String::from_utf8_lossy(&output.stdout).into_owned();
        Ok(sum_by_cpu(&stats, LOST))
    }

    fn foreign_limits(&self, limit: Duration) -> Result<Vec<String>> {
        let command = "cd /sys/kernel/tracing 2>/dev/null || cd /sys/kernel/debug/tracing && { \
                       grep -H '^[0-9]' set_event_pid set_event_notrace_pid; \
                       grep -Hv '^none$' events/*/*/filter; } 2>/dev/null";
        let text = self.run(command, limit)?.text();
        Ok(text.lines().map(str::to_owned).collect())
    }

    fn monotonic_ns(&self, limit: Duration) -> Result<Option<i64>> {
        let output = self.run("grep -m1 '^now at' /proc/timer_list", limit)?;
        let text = output.text();
        let words = text.strip_prefix("now at ").map(str::split_whitespace);
        Ok(words.and_then(|mut words| words.next()?.parse().ok()))
    }
}

fn buffer_stats(device: &Device, limit: Duration) -> Option<String> {
    // `exec` saves a process, since each one shows up in the recording.
    let command = "cd /sys/kernel/tracing/per_cpu 2>/dev/null || \
                   cd /sys/kernel/debug/tracing/per_cpu && \
                   exec cat cpu*/stats ../buffer_size_kb";
    let output = device.run(command, limit).ok()?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}
