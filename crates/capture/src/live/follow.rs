//! The thread that reads the pages of a live recording.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use traceloom_formats::PageEvents;
use traceloom_tracefs::{DatHead, Instance, Lost, Mounted, PageReader, StopSignal, Urgent};

use super::page_tape::PageTape;
use super::page_window::Head;
use crate::error::Result;

/// The longest time between two reads. The kernel wakes the reader earlier if a buffer fills up.
const ROUND: Duration = Duration::from_millis(200);

/// The pause after a read that found little. Reading causes events too.
const PAUSE: Duration = Duration::from_millis(10);

/// A read of fewer bytes found little.
const LITTLE: u64 = 64 << 10;

/// Maximum age of the thread names in a live view.
const NAMES_FOR: Duration = Duration::from_secs(2);

/// A ring buffer of this machine: the shared one, or that of an instance.
#[derive(Clone)]
pub(super) struct Buffer {
    pub tree: Mounted,
    pub name: Option<String>,
}

impl Buffer {
    /// # Errors
    /// If the instance's name is invalid.
    pub fn instance(&self) -> Result<Instance<'_>> {
        Ok(match &self.name {
            Some(name) => Instance::named(&self.tree, name)?,
            None => Instance::top(&self.tree),
        })
    }

    /// The number of lost events so far.
    fn lost(&self) -> u64 {
        let lost = |instance: Instance<'_>| {
            let cpus = Lost::of_cpus(&instance).into_iter();
            cpus.map(|(_, lost)| lost.total()).sum()
        };
        self.instance().map_or(0, lost)
    }

    /// Makes the start of a file from `head`, with the present names of threads.
    pub fn head(self, mut head: DatHead) -> Head {
        let mut read = Instant::now();
        Box::new(move |sizes| {
            if read.elapsed() >= NAMES_FOR
                && let Ok(instance) = self.instance()
            {
                head.refresh(&instance);
                read = Instant::now();
            }
            head.bytes(sizes)
        })
    }
}

/// Reads pages onto a tape.
pub(super) struct Follower {
    pub reader: PageReader,
    pub events: Arc<PageEvents>,
    pub tape: PageTape,
    pub buffer: Buffer,
    pub bytes_read: Arc<AtomicU64>,
}

impl Follower {
    /// Reads until `stop` is requested, and then what is left. The recording must have ended by then.
    ///
    /// # Errors
    /// If pages cannot be read. The tape has reported it.
    pub fn run(&mut self, stop: &StopSignal) -> Result<()> {
        let ended = self.read_until(stop);
        if let Err(error) = &ended {
            self.tape.report_end(error.to_string());
        }
        ended
    }

    fn read_until(&mut self, stop: &StopSignal) -> Result<()> {
        let _urgent = Urgent::new();
        loop {
            self.reader.wait(stop, ROUND)?;
            let is_last = stop.is_requested();
            let before = self.bytes_read.load(Ordering::Relaxed);
            let mut is_empty = self.round()?;
            while is_last && !is_empty {
                is_empty = self.round()?;
            }
            if is_last {
                self.tape.end_round();
                return Ok(());
            }
            if self.bytes_read.load(Ordering::Relaxed) - before < LITTLE {
                let waited = stop.wait(PAUSE, None);
                waited.map_err(traceloom_tracefs::Error::Input)?;
            }
        }
    }

    /// Reads each CPU once. Returns whether nothing is left.
    fn round(&mut self) -> Result<bool> {
        let Self {
            reader,
            events,
            tape,
            ..
        } = self;
        let mut is_empty = true;
        for cpu in 0..reader.cpus() {
            let (mut last_ns, mut bytes) = (None, 0);
            let ended = reader.read(cpu, &mut |page| {
                bytes += page.len() as u64;
                last_ns = tape.push(cpu, page, events).or(last_ns);
            })?;
            self.bytes_read.fetch_add(bytes, Ordering::Relaxed);
            tape.end_cpu(ended, last_ns);
            is_empty &= ended;
        }
        tape.end_round();
        if let Some(window) = tape.window() {
            window.set_lost(self.buffer.lost());
        }
        Ok(is_empty)
    }
}
