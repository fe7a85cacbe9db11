//! Keeps the pages of a recording, or those of its last seconds.

use std::fs::File;
use std::io;
use std::sync::Arc;

use traceloom_formats::{FtraceLine, PageEvents};

use super::page_window::PageWindow;
use super::pages::{Page, Pages};
use super::spill_file::{SpillFile, cannot_store};
use super::tape::Watched;
use super::trigger::Trigger;

/// Receives events of a tape.
type Report = Box<dyn Fn(Watched) + Send>;

/// Keeps the pages of a recording, or those of its last seconds.
pub struct PageTape {
    keep_ns: Option<i64>,
    trigger: Option<Trigger>,
    report: Report,
    window: Option<Arc<PageWindow>>,
    /// Opens a file for each CPU; `None` keeps the pages in memory.
    new_file: Option<fn() -> io::Result<File>>,
    kept: Kept,
    /// Marks whose predecessors on other CPUs may not have been read yet.
    marks: Vec<Mark>,
    horizon: Horizon,
}

enum Kept {
    Memory(Pages),
    Files(Vec<SpillFile>),
}

/// An event that the trigger checks.
struct Mark {
    ts_ns: i64,
    tid: i32,
    event: Box<[u8]>,
    payload: Box<[u8]>,
}

/// The time up to which the events of all CPUs have been read. A CPU that was read to its end has
/// no more events from before that read. CPUs are read one after another, so a CPU that is read
/// later may return newer events.
#[derive(Default)]
struct Horizon {
    /// The newest time when the last round ended.
    last_round_ns: i64,
    newest_ns: i64,
    /// Among the CPUs that still had pages after this round, the earliest time up to which one was read.
    behind_ns: Option<i64>,
}

impl PageTape {
    /// A tape that keeps the last `keep_ns` nanoseconds, or everything. It calls `report` when
    /// `trigger` fires (once).
    pub fn new(
        keep_ns: Option<i64>,
        trigger: Option<Trigger>,
        report: impl Fn(Watched) + Send + 'static,
    ) -> Self {
        Self {
            keep_ns,
            trigger,
            report: Box::new(report),
            window: None,
            new_file: None,
            kept: Kept::Memory(Pages::default()),
            marks: Vec::new(),
            horizon: Horizon::default(),
        }
    }

    /// Shows the end of the recording in `window`.
    #[must_use]
    pub fn shown_in(mut self, window: Arc<PageWindow>) -> Self {
        self.window = Some(window);
        self
    }

    /// Stores the pages in files of `new_file` instead of in memory. For tapes that keep everything.
    #[must_use]
    pub fn stored_in(mut self, new_file: fn() -> io::Result<File>) -> Self {
        self.new_file = Some(new_file);
        self
    }

    /// Opens the files.
    ///
    /// # Errors
    /// If one cannot be created.
    pub(super) fn open(&mut self, cpus: usize) -> io::Result<()> {
        if let Some(new_file) = self.new_file {
            let files = (0..cpus).map(|_| Ok(SpillFile::new(new_file()?)));
            self.kept = Kept::Files(files.collect::<io::Result<_>>()?);
        }
        Ok(())
    }

    pub(super) fn window(&self) -> Option<&Arc<PageWindow>> {
        self.window.as_ref()
    }

    /// Reports that the recording ended without a request.
    pub(super) fn report_end(&self, reason: String) {
        (self.report)(Watched::BrokeOff(reason));
    }

    /// Takes the next page of a CPU. Returns the time of its last event.
    pub(super) fn push(&mut self, cpu: usize, bytes: &[u8], events: &PageEvents) -> Option<i64> {
        let (count, newest_ns) = events.count(bytes);
        newest_ns?;
        self.horizon.newest_ns = self.horizon.newest_ns.max(newest_ns.unwrap_or(0));
        self.find_marks(bytes, events);
        let page = Arc::new(Page::new(bytes, events));
        if let Some(window) = &self.window {
            window.push(cpu, Arc::clone(&page), count);
        }
        self.keep(cpu, page, bytes);
        newest_ns
    }

    fn keep(&mut self, cpu: usize, page: Arc<Page>, bytes: &[u8]) {
        match &mut self.kept {
            Kept::Memory(pages) => {
                let oldest = self.keep_ns.map(|keep| page.begin_ns.saturating_sub(keep));
                pages.push(cpu, page);
                if let Some(oldest_ns) = oldest {
                    pages.drop_before(oldest_ns);
                }
            }
            Kept::Files(files) => {
                if let Err(error) = files[cpu].push(bytes) {
                    self.report_end(cannot_store(&error));
                }
            }
        }
    }

    /// Notes the end of reading a CPU: whether it `is_empty`, and the time of its last event.
    pub(super) fn end_cpu(&mut self, is_empty: bool, last_ns: Option<i64>) {
        if !is_empty && let Some(last) = last_ns {
            let behind = self.horizon.behind_ns.map_or(last, |ns| ns.min(last));
            self.horizon.behind_ns = Some(behind);
        }
    }

    /// Checks the trigger after all CPUs were read once.
    pub(super) fn end_round(&mut self) {
        let mut until_ns = self.horizon.last_round_ns;
        if let Some(behind_ns) = self.horizon.behind_ns.take() {
            until_ns = until_ns.min(behind_ns);
        }
        self.horizon.last_round_ns = self.horizon.newest_ns;
        self.marks.sort_by_key(|mark| mark.ts_ns);
        let ready = self.marks.partition_point(|mark| mark.ts_ns <= until_ns);
        for mark in self.marks.drain(..ready).collect::<Vec<_>>() {
            self.check(&mark);
        }
    }

    fn find_marks(&mut self, bytes: &[u8], events: &PageEvents) {
        let Some(trigger) = &self.trigger else {
            return;
        };
        events.each(bytes, |event| {
            if trigger.wants(&event) {
                self.marks.push(Mark {
                    ts_ns: event.ts_ns,
                    tid: event.tid,
                    event: event.event.into(),
                    payload: event.payload.into(),
                });
            }
        });
    }

    fn check(&mut self, mark: &Mark) {
        let line = FtraceLine {
            tid: mark.tid,
            ts_ns: mark.ts_ns,
            event: &mark.event,
            payload: &mark.payload,
        };
        let fired = self
            .trigger
            .as_mut()
            .and_then(|trigger| trigger.check(&line));
        if let Some(description) = fired {
            self.trigger = None;
            (self.report)(Watched::Fired(description));
        }
    }

    /// Hands over the pages of `cpus` CPUs: first `head` is called with the number of bytes of each
    /// CPU, then `take` with all bytes in order. Events that are too old are left out one by one,
    /// not by page.
    ///
    /// # Errors
    /// The errors of the files and of `take`.
    pub(super) fn hand_over(
        &mut self,
        cpus: usize,
        events: &PageEvents,
        head: impl FnOnce(&[u64]) -> Vec<u8>,
        take: &mut dyn FnMut(&[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        match &mut self.kept {
            Kept::Memory(pages) => {
                let newest_ns = pages.newest_ns(events).unwrap_or(i64::MIN);
                let oldest_ns = self
                    .keep_ns
                    .map_or(i64::MIN, |keep| newest_ns.saturating_sub(keep));
                let cpus = pages.whole(cpus, oldest_ns, events);
                let sizes: Vec<u64> = cpus.iter().map(|cpu| cpu.len() as u64).collect();
                take(&head(&sizes))?;
                cpus.iter().try_for_each(|cpu| take(cpu))
            }
            Kept::Files(files) => {
                let page_bytes = events.page_bytes() as u64;
                let sizes = files
                    .iter()
                    .map(|file| file.bytes() / page_bytes * page_bytes);
                let sizes: Vec<u64> = sizes.collect();
                take(&head(&sizes))?;
                for (file, size) in files.iter_mut().zip(sizes) {
                    file.read_back(size, &mut *take)?;
                }
                Ok(())
            }
        }
    }
}
