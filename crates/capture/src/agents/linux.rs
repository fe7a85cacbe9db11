//! The kernel of this machine, recorded through its tracefs.

use std::io::Write;
use std::path::Path;
use std::time::Duration;

use traceloom_tracefs::{
    Catalog, Category, CategoryError, Config, DatHead, DatVersion, Event, EventLimits,
    NoProperties, Origin, Probe, RawCapture, Session, Tracefs, dump_text,
};

use super::extra_buffer::ExtraBuffer;
use crate::agent::{Agent, PartKind, Sink, SinkWriter};
use crate::error::{CaptureError, Result};
use crate::status::{Status, size_kb};

/// The default categories, as far as the kernel supports them.
const DEFAULT_CATEGORIES: &[&str] = &[
    "sched",
    "freq",
    "irq",
    "workq",
    "memreclaim",
    "idle",
    "regulators",
    "disk",
];

/// Disk requests. The category `disk` has Android's events, which other kernels lack.
const DISK: &[&str] = &[
    "block/block_rq_issue",
    "block/block_rq_complete",
    "writeback/writeback_start",
    "writeback/writeback_written",
];

/// How full a buffer is when the kernel wakes the reader of its pages. Until the reader runs, the rest of the buffer
/// must hold the new events.
const WATERMARK_PERCENT: u32 = 25;

static NO_PROPERTIES: NoProperties = NoProperties;

/// What to record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LinuxOptions {
    /// Categories. If `events` is empty too, the default is `sched`, `freq`, `irq`, `workq`,
    /// `memreclaim`, `idle`, `regulators` and `disk`.
    pub categories: Vec<String>,
    /// Single events (`system/name`) or whole systems.
    pub events: Vec<String>,
    /// Size of each CPU's buffer, KB.
    pub buffer_kb: u32,
    /// Kernel functions to trace.
    pub functions: Vec<String>,
    /// Whether pages are read during the recording. A full buffer then overwrites its oldest events,
    /// so that programs can always write their marks. Otherwise it drops new ones.
    pub is_drained: bool,
    /// Limits of single events.
    pub limits: EventLimits,
    /// Name of a tracefs instance to record in.
    pub instance: Option<String>,
    /// Separate buffers for some events.
    pub buffers: Vec<ExtraBuffer>,
    /// Events that are added to functions for this recording.
    pub probes: Vec<Probe>,
    /// Whether this is one of the separate buffers. The marks are then recorded elsewhere.
    pub is_extra: bool,
}

impl Default for LinuxOptions {
    fn default() -> Self {
        Self {
            categories: Vec::new(),
            events: Vec::new(),
            buffer_kb: 4096,
            functions: Vec::new(),
            is_drained: false,
            limits: EventLimits::default(),
            instance: None,
            buffers: Vec::new(),
            probes: Vec::new(),
            is_extra: false,
        }
    }
}

/// Records the kernel of this machine with ftrace.
pub struct LinuxAgent<'t> {
    pub(super) tree: &'t dyn Tracefs,
    pub(super) catalog: Catalog,
    pub(super) options: LinuxOptions,
    session: Option<Session<'t>>,
}

impl<'t> LinuxAgent<'t> {
    /// An agent that records in `tree`.
    pub fn new(tree: &'t dyn Tracefs, options: LinuxOptions) -> Self {
        Self {
            tree,
            catalog: Catalog::built_in(),
            options,
            session: None,
        }
    }

    /// The name of the tracefs instance that it records in, if any.
    pub(crate) fn instance(&self) -> Option<String> {
        self.options.instance.clone()
    }

    /// Begins to read the ring buffer pages of the recording. If that fails, the recording ends.
    pub(crate) fn capture_pages(&mut self, folder: &Path) -> Result<RawCapture> {
        let session = self.session.as_ref();
        let Some(session) = session else {
            return Err(CaptureError::NotStarted);
        };
        RawCapture::start(session.tree(), folder).map_err(|error| {
            self.session = None;
            error.into()
        })
    }

    /// Reads the start of a `trace.dat` of the recording.
    pub(crate) fn dat_head(&self) -> Result<DatHead> {
        let session = self.session.as_ref().ok_or(CaptureError::NotStarted)?;
        Ok(DatHead::read(session.tree())?)
    }

    /// Writes the pages of this buffer and of others, which have names, as one `trace.dat`.
    pub(crate) fn write_all_pages(
        &self,
        capture: RawCapture,
        others: Vec<(&str, RawCapture, &LinuxAgent<'_>)>,
        out: &mut impl Write,
    ) -> Result<()> {
        let session = self.session.as_ref().ok_or(CaptureError::NotStarted)?;
        let mut buffers = Vec::new();
        for (name, pages, agent) in others {
            let session = agent.session.as_ref().ok_or(CaptureError::NotStarted)?;
            buffers.push((name.to_owned(), pages, session.tree()));
        }
        Ok(capture.finish_with(session.tree(), buffers, out)?)
    }

    /// Writes the pages as a `trace.dat`.
    pub(crate) fn write_pages(
        &mut self,
        capture: RawCapture,
        version: DatVersion,
        out: &mut impl Write,
    ) -> Result<()> {
        let session = self.session.as_ref().ok_or(CaptureError::NotStarted)?;
        Ok(capture.finish(session.tree(), version, out)?)
    }

    /// Restores all settings.
    pub(crate) fn restore(&mut self) -> Result<()> {
        let warnings = self.session.take().map(Session::restore);
        match warnings.unwrap_or_default().first() {
            Some(warning) => Err(CaptureError::NotRestored(warning.to_string())),
            None => Ok(()),
        }
    }

    /// The names and titles of the categories that this kernel supports.
    pub fn list(&self) -> Vec<(String, String)> {
        let listed = self.catalog.listed(self.tree, &NO_PROPERTIES);
        let has_kernel_events = |name: &str| {
            // User space tags have no effect without Android's system properties.
            let names = [name.to_owned()];
            let (found, _) = self.catalog.choose(&names, self.tree, &NO_PROPERTIES);
            found.iter().any(|category| !category.events.is_empty())
        };
        let listed = listed
            .into_iter()
            .filter(|listed| has_kernel_events(&listed.name));
        listed.map(|listed| (listed.name, listed.title)).collect()
    }

    /// Fails if the kernel does not have one of the single events.
    fn check_events(&self) -> Result<()> {
        let names = self.options.events.iter().map(|name| event_path(name));
        for path in names {
            if !self.tree.exists(&event(&path, true).switch()) {
                return Err(CaptureError::NoEvent { event: path });
            }
        }
        Ok(())
    }

    /// The categories to record, and errors for those that cannot be recorded.
    pub(super) fn choose(&self) -> (Vec<Category>, Vec<CategoryError>) {
        let options = &self.options;
        let has_categories = !options.categories.is_empty() || !options.events.is_empty();
        let has_others = !options.buffers.is_empty() || !options.probes.is_empty();
        let is_chosen = has_categories || has_others;
        let names: Vec<String> = if is_chosen {
            self.options.categories.clone()
        } else {
            DEFAULT_CATEGORIES
                .iter()
                .map(|&name| name.to_owned())
                .collect()
        };
        let (mut chosen, errors) = self.catalog.choose(&names, self.tree, &NO_PROPERTIES);
        for disk in chosen.iter_mut().filter(|category| category.name == "disk") {
            disk.events
                .extend(DISK.iter().map(|&path| event(path, false)));
        }
        if !self.options.events.is_empty() {
            let events = self
                .options
                .events
                .iter()
                .map(|name| event(&event_path(name), true));
            chosen.push(Category {
                name: "events".to_owned(),
                title: "Chosen events".to_owned(),
                tags: 0,
                events: events.collect(),
                origin: Origin::User,
            });
        }
        // Missing default categories are not an error.
        (chosen, if is_chosen { errors } else { Vec::new() })
    }
}

/// Accepts `group:name` too, as trace-cmd and perf do.
fn event_path(name: &str) -> String {
    name.replace(':', "/")
}

fn event(path: &str, required: bool) -> Event {
    Event {
        path: path.to_owned(),
        required,
    }
}

/// The present contents of a ring buffer of this machine. `None` if its counts cannot be read.
pub fn buffer_status(tree: &dyn Tracefs) -> Option<Status> {
    let mut status = Status::default();
    let cpus = tree.list("per_cpu");
    for cpu in &cpus {
        let read = |file: &str| tree.read(&format!("per_cpu/{cpu}/{file}")).ok();
        let size = read("buffer_size_kb").and_then(|text| size_kb(&text));
        status.add_cpu(&read("stats")?, size);
    }
    (!cpus.is_empty()).then_some(status)
}

impl Agent for LinuxAgent<'_> {
    fn name(&self) -> &str {
        "ftrace"
    }

    fn start(&mut self, _: Duration) -> Result<Vec<String>> {
        self.check_events()?;
        for probe in &self.options.probes {
            probe.check(self.tree)?;
        }
        let (categories, errors) = self.choose();
        let options = &self.options;
        let has_others = !options.buffers.is_empty() || !options.probes.is_empty();
        if categories.is_empty() && !has_others {
            return Err(CaptureError::NothingToRecord {
                reasons: errors.iter().map(ToString::to_string).collect(),
            });
        }
        let config = Config {
            categories,
            buffer_kb: self.options.buffer_kb,
            overwrite: self.options.is_drained,
            watermark_percent: self.options.is_drained.then_some(WATERMARK_PERCENT),
            functions: self.options.functions.clone(),
            limits: self.options.limits.clone(),
            instance: self.options.instance.clone(),
            has_marks: !self.options.is_extra,
            probes: self.options.probes.clone(),
            ..Config::default()
        };
        let mut session = Session::start(self.tree, &NO_PROPERTIES, &self.catalog, &config)?;
        let mut messages: Vec<String> = errors.iter().map(ToString::to_string).collect();
        messages.extend(session.take_warnings().iter().map(ToString::to_string));
        self.session = Some(session);
        Ok(messages)
    }

    fn takes_marks(&self) -> bool {
        true
    }

    fn mark(&mut self, name: &str, _: Duration) -> Result<()> {
        /// `EBADF`: recording is off because the buffer is full.
        const FULL: i32 = 9;
        let text = format!("trace_event_clock_sync: name={name}\n");
        let Some(session) = &self.session else {
            return Ok(());
        };
        let file = session.tree().path("trace_marker");
        let marker = std::fs::OpenOptions::new().write(true).open(&file);
        match marker.and_then(|mut marker| marker.write_all(text.as_bytes())) {
            Err(error) if error.raw_os_error() != Some(FULL) => Err(CaptureError::Local {
                path: file.display().to_string(),
                source: error,
            }),
            _ => Ok(()),
        }
    }

    fn status(&mut self, _: Duration) -> Option<Status> {
        buffer_status(self.session.as_ref()?.tree())
    }

    fn stop(&mut self, _: Duration) -> Result<()> {
        if let Some(session) = &mut self.session {
            session.stop()?;
        }
        Ok(())
    }

    fn collect(&mut self, _: Duration, sink: &mut dyn Sink) -> Result<()> {
        let Some(session) = &self.session else {
            return Ok(());
        };
        sink.begin(PartKind::SystemTrace, "ftrace")
            .map_err(CaptureError::Sink)?;
        let dumped = dump_text(session.tree(), &mut SinkWriter(sink));
        let restored = self.restore();
        dumped?;
        restored
    }
}
