//! The processes and threads of this machine, from `/proc`.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::agent::{Agent, PartKind, Sink, hand_over};
use crate::error::Result;

/// Lists processes and threads when recording stops, as tables like those of `ps`.
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
    /// Processes with their programs, then threads with their names. Those that end meanwhile are
    /// left out.
    fn tables(&self) -> String {
        let mut processes = "USER PID NAME\n".to_owned();
        let mut threads = "USER PID TID CMD\n".to_owned();
        for pid in numbers(&self.proc) {
            let process = self.proc.join(pid.to_string());
            let name = program(&process).or_else(|| comm(&process));
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

    fn collect(&mut self, _: Duration, sink: &mut dyn Sink) -> Result<()> {
        let tables = self.tables();
        hand_over(
            sink,
            PartKind::ProcessDump,
            "PROCESS DUMP",
            tables.as_bytes(),
        )
    }
}

/// The names of folders that are numbers, sorted.
fn numbers(folder: &Path) -> Vec<u32> {
    let names = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = names.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let mut numbers: Vec<u32> = names.collect();
    numbers.sort_unstable();
    numbers
}

/// The program without its arguments, which may be secret. Kernel threads have none.
fn program(process: &Path) -> Option<String> {
    let command_line = fs::read(process.join("cmdline")).ok()?;
    let program = command_line.split(|&byte| byte == 0).next()?;
    Some(one_line(program)).filter(|line| !line.is_empty())
}

fn comm(task: &Path) -> Option<String> {
    Some(one_line(&fs::read(task.join("comm")).ok()?))
}

fn one_line(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    text.trim().replace(['\n', '\r'], " ")
}
