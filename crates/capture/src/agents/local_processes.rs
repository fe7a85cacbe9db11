//! Processes and threads of this machine, from `/proc`.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::agent::{Agent, PartKind, Sink};
use crate::error::{CaptureError, Result};

/// Takes the lists of processes and threads when recording stops, as tables like those of `ps`.
#[derive(Debug)]
pub struct LocalProcessAgent {
    proc: PathBuf,
}

impl Default for LocalProcessAgent {
    fn default() -> Self {
        Self {
            proc: PathBuf::from("/proc"),
        }
    }
}

impl LocalProcessAgent {
    /// Processes by pid with their command lines, then threads with their names. One that ends
    /// meanwhile is left out.
    fn tables(&self) -> String {
        let mut processes = "USER PID NAME\n".to_owned();
        let mut threads = "USER PID TID CMD\n".to_owned();
        for pid in numbers(&self.proc) {
            let process = self.proc.join(pid.to_string());
            let name = command_line(&process).or_else(|| comm(&process));
            if let Some(name) = name {
                _ = writeln!(processes, "- {pid} {name}");
            }
            let tasks = process.join("task");
            for tid in numbers(&tasks) {
                if let Some(name) = comm(&tasks.join(tid.to_string())) {
                    _ = writeln!(threads, "- {pid} {tid} {name}");
                }
            }
        }
        processes + &threads
    }
}

impl Agent for LocalProcessAgent {
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

    fn collect(&mut self, _: Duration, sink: &mut dyn Sink) -> Result<()> {
        let mut hand_over = || {
            sink.begin(PartKind::ProcessDump, "PROCESS DUMP")?;
            sink.data(self.tables().as_bytes())
        };
        hand_over().map_err(CaptureError::Sink)
    }
}

/// The folders named by a number, in order.
fn numbers(folder: &Path) -> Vec<u32> {
    let names = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = names.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let mut numbers: Vec<u32> = names.collect();
    numbers.sort_unstable();
    numbers
}

/// The program and its arguments; kernel threads have none.
fn command_line(process: &Path) -> Option<String> {
    let bytes = fs::read(process.join("cmdline")).ok()?;
    // The program alone: arguments may be secrets, and a trace is for showing.
    let program = bytes.split(|&byte| byte == 0).next()?;
    Some(one_line(program)).filter(|line| !line.is_empty())
}

fn comm(task: &Path) -> Option<String> {
    Some(one_line(&fs::read(task.join("comm")).ok()?))
}

fn one_line(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    text.trim().replace(['\n', '\r'], " ")
}
