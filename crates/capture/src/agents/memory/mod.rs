//! Processes, their threads and their memory, every few seconds while something is recorded: what
//! systrace's `atrace_helper` did with a program on the device, and this does with its shell.
//!
//! ```text
//! shell ── look (text of /proc) ──► dump (JSON) ──► ATRACE_PROCESS_DUMP
//! ```

mod dump;
mod look;
mod read;
mod shell;
#[cfg(test)]
mod tests;

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

pub use shell::{LocalShell, ProcShell};

use crate::agent::{Agent, PartKind, Sink};
use crate::error::{CaptureError, Result};
use dump::Dump;

/// How often the machine's memory is looked at.
const TICK: Duration = Duration::from_millis(100);

/// How long one look may take.
const LIMIT: Duration = Duration::from_secs(30);

/// Whose memory is looked at page by page, which takes time.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub enum FullDump {
    /// Nobody's.
    #[default]
    None,
    /// Every process's.
    All,
    /// That of apps.
    Apps,
    /// That of processes with these names.
    Named(Vec<String>),
}

/// What to record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MemoryOptions {
    /// How often all processes are looked at; the machine's own memory is ten times a second.
    pub interval: Duration,
    /// Whose memory is looked at page by page.
    pub full: FullDump,
    /// Lists what these have mapped, where they are named.
    pub mmaps: bool,
}

impl Default for MemoryOptions {
    /// Every five seconds, nobody page by page.
    fn default() -> Self {
        Self {
            interval: Duration::from_secs(5),
            full: FullDump::None,
            mmaps: false,
        }
    }
}

/// Records the memory of processes through a shell.
#[derive(Debug)]
pub struct MemoryAgent<S> {
    shell: S,
    options: MemoryOptions,
    dump: Arc<Mutex<Dump>>,
    running: Option<(Sender<()>, JoinHandle<Result<()>>)>,
    markers: Vec<(String, i64)>,
}

impl<S: ProcShell> MemoryAgent<S> {
    /// Of the machine that a shell is of.
    pub fn new(shell: S, options: MemoryOptions) -> Self {
        Self {
            shell,
            options,
            dump: Arc::default(),
            running: None,
            markers: Vec::new(),
        }
    }
}

impl<S: ProcShell> Agent for MemoryAgent<S> {
    fn name(&self) -> &str {
        "process dump"
    }

    fn is_aid(&self) -> bool {
        true
    }

    fn start(&mut self, limit: Duration) -> Result<Vec<String>> {
        // So that one that cannot look says so at once.
        let first = look::machine(&self.shell, limit)?;
        let mut dump = Dump::default();
        dump.machine(&first);
        *self.dump.lock().unwrap_or_else(PoisonError::into_inner) = dump;
        let (stop, stopped) = channel();
        let (shell, dump) = (self.shell.clone(), Arc::clone(&self.dump));
        let options = self.options.clone();
        let follow = move || follow(&shell, &options, &dump, &stopped);
        self.running = Some((stop, thread::spawn(follow)));
        Ok(Vec::new())
    }

    fn takes_marks(&self) -> bool {
        true
    }

    fn mark(&mut self, name: &str, limit: Duration) -> Result<()> {
        let now = look::now(&self.shell, limit)?;
        self.markers.push((name.to_owned(), now.ms));
        Ok(())
    }

    fn stop(&mut self, _: Duration) -> Result<()> {
        let Some((stop, thread)) = self.running.take() else {
            return Ok(());
        };
        // One that has ended by itself needs no word.
        _ = stop.send(());
        thread.join().unwrap_or(Ok(()))
    }

    fn collect(&mut self, _: Duration, sink: &mut dyn Sink) -> Result<()> {
        let mut dump = self.dump.lock().unwrap_or_else(PoisonError::into_inner);
        let json = std::mem::take(&mut *dump).finish(&self.markers);
        let mut hand_over = || {
            sink.begin(PartKind::MemoryDump, "ATRACE_PROCESS_DUMP")?;
            sink.data(json.as_bytes())
        };
        hand_over().map_err(CaptureError::Sink)
    }
}

/// Looks until it is told to stop, at the times that the interval sets: a look that takes long
/// costs the ones that it overlaps. The end has a look of its own.
fn follow<S: ProcShell>(
    shell: &S,
    options: &MemoryOptions,
    dump: &Mutex<Dump>,
    stopped: &Receiver<()>,
) -> Result<()> {
    let dump = || dump.lock().unwrap_or_else(PoisonError::into_inner);
    let begun = Instant::now();
    let ticks = (options.interval.as_millis() / TICK.as_millis()).max(1) as u32;
    let look_at_all = || {
        let known = dump().known();
        let processes = look::processes(shell, options, &known, LIMIT)?;
        dump().processes(processes);
        Ok(())
    };
    let mut tick = 0;
    loop {
        let machine = look::machine(shell, LIMIT)?;
        dump().machine(&machine);
        if tick % ticks == 0 {
            look_at_all()?;
        }
        let passed = (begun.elapsed().as_millis() / TICK.as_millis()) as u32;
        // Not past the next look at the processes.
        let due = (tick / ticks + 1) * ticks;
        tick = (passed + 1).min(due).max(tick + 1);
        let wait = (TICK * tick).saturating_sub(begun.elapsed());
        match stopped.recv_timeout(wait) {
            Err(RecvTimeoutError::Timeout) => {}
            // What became of everything, and of those that began late.
            Ok(()) | Err(RecvTimeoutError::Disconnected) => return look_at_all(),
        }
    }
}
