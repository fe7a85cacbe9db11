//! A trace instance: a separate ring buffer in tracefs.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::run::{check, command};

const TRACEFS: &str = "/sys/kernel/tracing";

/// The recorded events. Events that the kernel lacks are left out.
const EVENTS: &[&str] = &[
    "sched/sched_switch",
    "sched/sched_waking",
    "sched/sched_wakeup_new",
    "sched/sched_process_fork",
    "sched/sched_process_exec",
    "sched/sched_process_exit",
    "sched/sched_process_free",
    "task/task_newtask",
    "task/task_rename",
    "irq/irq_handler_entry",
    "irq/irq_handler_exit",
    "irq/softirq_entry",
    "irq/softirq_exit",
    "block/block_rq_issue",
    "block/block_rq_complete",
    "ext4/ext4_da_write_begin",
    "ext4/ext4_da_write_end",
    "ext4/ext4_sync_file_enter",
    "ext4/ext4_sync_file_exit",
    "workqueue/workqueue_execute_start",
    "workqueue/workqueue_execute_end",
];

/// A trace instance; removed when it goes out of scope.
pub struct Instance {
    root: PathBuf,
}

impl Instance {
    /// Creates it. Mounts tracefs first if necessary.
    pub fn create(name: &str) -> Result<Self> {
        if !Path::new(TRACEFS).join("trace").exists() {
            check(command("mount", &["-t", "tracefs", "nodev", TRACEFS]))?;
        }
        let root = Path::new(TRACEFS).join("instances").join(name);
        fs::create_dir(&root).with_context(|| format!("{} (root is needed)", root.display()))?;
        let instance = Self { root };
        instance.write("tracing_on", "0")?;
        instance.write("buffer_size_kb", "4096")?;
        instance.write("trace_clock", "boot")?;
        instance.write("options/record-tgid", "1")?;
        Ok(instance)
    }

    /// Enables the events; file system events only of the thread called `writer`.
    pub fn enable(&self, writer: &str) -> Result<()> {
        for event in EVENTS {
            let switch = format!("events/{event}/enable");
            if self.root.join(&switch).exists() {
                self.write(&switch, "1")?;
            }
        }
        // Timers, the scheduler and RCU raise these constantly, independently of the workload.
        for event in ["softirq_entry", "softirq_exit"] {
            let filter = format!("events/irq/{event}/filter");
            self.write(&filter, "vec != 1 && vec != 7 && vec != 9")?;
        }
        // Other programs on the machine write files too.
        self.write("events/ext4/filter", &format!("comm == {writer}"))
    }

    /// Starts recording.
    pub fn start(&self) -> Result<()> {
        self.write("tracing_on", "1")
    }

    /// Stops recording.
    pub fn stop(&self) -> Result<()> {
        self.write("tracing_on", "0")
    }

    /// The recorded text.
    pub fn read(&self) -> Result<String> {
        Ok(String::from_utf8_lossy(&fs::read(self.root.join("trace"))?).into_owned())
    }

    /// The file that programs write marks to.
    pub fn marker(&self) -> Result<fs::File> {
        let path = self.root.join("trace_marker");
        Ok(fs::OpenOptions::new().write(true).open(path)?)
    }

    fn write(&self, file: &str, text: &str) -> Result<()> {
        fs::write(self.root.join(file), text).with_context(|| format!("{file} = {text}"))
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir(&self.root) {
            eprintln!("{}: {error}", self.root.display());
        }
    }
}
