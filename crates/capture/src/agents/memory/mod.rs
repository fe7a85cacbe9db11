//! Processes, their threads and their memory, recorded every few seconds. systrace pushed a program
//! (`atrace_helper`) to the device for this; here the device's shell reads `/proc`.
//!
//! ```text
//! shell ── snapshot (text of /proc) ──► json ──► ATRACE_PROCESS_DUMP
//! ```

mod json;
mod options;
mod parse;
mod shell;
mod snapshot;
#[cfg(test)]
mod tests;

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

pub use options::{FullDump, MemoryOptions};
pub use shell::{LocalShell, ProcShell};

use crate::agent::{Agent, PartKind, Sink, hand_over};
use crate::error::Result;
use crate::threads::result_of;
use json::Dump;

/// How often the machine's memory is read.
const TICK: Duration = Duration::from_millis(100);

/// Time limit for a snapshot.
const LIMIT: Duration = Duration::from_secs(30);

/// Records processes and their memory through a shell.
#[derive(Debug)]
pub struct MemoryAgent<S> {
    shell: S,
    options: MemoryOptions,
    dump: Arc<Mutex<Dump>>,
    running: Option<(Sender<()>, JoinHandle<Result<()>>)>,
    markers: Vec<(String, i64)>,
}

impl<S: ProcShell> MemoryAgent<S> {
    /// An agent for the machine of `shell`.
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
        // The first snapshot shows whether `/proc` can be read at all.
        let first = snapshot::machine(&self.shell, limit)?;
        let mut dump = Dump::default();
        dump.add_machine(&first);
        *self.dump.lock().unwrap_or_else(PoisonError::into_inner) = dump;
        let (stop, stopped) = channel();
        let (shell, dump) = (self.shell.clone(), Arc::clone(&self.dump));
        let options = self.options.clone();
        let record = move || record(&shell, &options, &dump, &stopped);
        self.running = Some((stop, thread::spawn(record)));
        Ok(Vec::new())
    }

    fn takes_marks(&self) -> bool {
        true
    }

    fn mark(&mut self, name: &str, limit: Duration) -> Result<()> {
        let now = snapshot::now(&self.shell, limit)?;
        self.markers.push((name.to_owned(), now.ms));
        Ok(())
    }

    fn stop(&mut self, _: Duration) -> Result<()> {
        let Some((stop, thread)) = self.running.take() else {
            return Ok(());
        };
        // Fails only if the thread has ended already.
        _ = stop.send(());
        result_of(thread)
    }

    fn collect(&mut self, _: Duration, sink: &mut dyn Sink) -> Result<()> {
        let mut dump = self.dump.lock().unwrap_or_else(PoisonError::into_inner);
        let json = std::mem::take(&mut *dump).finish(&self.markers);
        let name = "ATRACE_PROCESS_DUMP";
        hand_over(sink, PartKind::MemoryDump, name, json.as_bytes())
    }
}

/// Takes snapshots until `stopped`, at multiples of [`TICK`] and of the interval. A slow snapshot skips
/// the ones it overlaps. The last snapshot shows the state at the end.
fn record<S: ProcShell>(
    shell: &S,
    options: &MemoryOptions,
    dump: &Mutex<Dump>,
    stopped: &Receiver<()>,
) -> Result<()> {
    let dump = || dump.lock().unwrap_or_else(PoisonError::into_inner);
    let started = Instant::now();
    let ticks = (options.interval.as_millis() / TICK.as_millis()).max(1) as u32;
    let add_processes = || {
        let known = dump().identities();
        let processes = snapshot::processes(shell, options, &known, LIMIT)?;
        dump().add_processes(processes);
        Ok(())
    };
    let mut tick = 0;
    loop {
        let machine = snapshot::machine(shell, LIMIT)?;
        dump().add_machine(&machine);
        if tick % ticks == 0 {
            add_processes()?;
        }
        let elapsed = (started.elapsed().as_millis() / TICK.as_millis()) as u32;
        // Do not skip the next snapshot of the processes.
        let due = (tick / ticks + 1) * ticks;
        tick = (elapsed + 1).min(due).max(tick + 1);
        let wait = (TICK * tick).saturating_sub(started.elapsed());
        match stopped.recv_timeout(wait) {
            Err(RecvTimeoutError::Timeout) => {}
            Ok(()) | Err(RecvTimeoutError::Disconnected) => return add_processes(),
        }
    }
}
