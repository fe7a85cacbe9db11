//! Reads the calls of the selected threads from a file into a call tree.

use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use traceloom_analyze::{
    CallTree, CallTreeBuilder, RecordTables, TimeRange, TreeOptions, TreeThread,
};
use traceloom_trace::{
    MethodEvent, MethodEvents, MethodIndex, MethodLine, MethodTraceStart, Place, RepairKind, RowId,
    ThreadIndex, Trace,
};

use crate::input::{InputArgs, read_method_events, read_trace};
use crate::mapping::{Mapping, MethodNames, Names};
use crate::print::plain;
use crate::wanted::{Wanted, first_match};

/// The selected calls: the file, threads and times.
#[derive(Clone, Copy)]
pub(crate) struct Selection<'a> {
    /// The trace; `-` is standard input.
    pub file: &'a Path,
    /// The options for reading it.
    pub open: &'a InputArgs,
    /// Names or tids of the selected threads; empty for all.
    pub thread: &'a [String],
    /// Names or pids of the selected processes; empty for all.
    pub process: &'a [String],
    /// The start of the selected range, ns after the first event.
    pub from: Option<i64>,
    /// The end of the selected range, ns after the first event.
    pub to: Option<i64>,
    /// Whether to include slices that belong to no thread.
    pub all_tracks: bool,
    /// Whether to count samples of a profiler.
    pub samples: Samples,
    /// The event to count samples of, or a part of its name. `None` means all events.
    pub event: Option<&'a str>,
}

/// Whether the samples of a profiler are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Samples {
    /// Samples are counted if there are no calls and no slices.
    Otherwise,
    /// Samples are counted, and calls and slices are not.
    Only,
}

impl Samples {
    /// The kind of samples that `--samples` and `--event` select.
    pub fn wanted(samples: bool, event: Option<&str>) -> Self {
        if samples || event.is_some() {
            Self::Only
        } else {
            Self::Otherwise
        }
    }
}

/// What a trace lacks that has nothing to add up.
const NO_CALLS: &str = "calls and no slices of threads";

/// Reads the trace and keeps the selected threads.
///
/// # Errors
/// If the file cannot be read, or has none of the selected threads.
pub(crate) fn read_calls(args: &Selection<'_>) -> Result<CallTree> {
    crate::times::check_order(args.from, args.to, "--to")?;
    let mut without_slices = WithoutSlices::default();
    let mut tree = match straight(args)? {
        Some(tree) => tree,
        None => {
            let trace = read_trace(args.file, args.open)?;
            let range = range(args).map(|range| range.shifted(trace.bounds.0));
            without_slices = WithoutSlices::new(&trace, args);
            from_tables(&trace, range, args)?
        }
    };
    if tree.nodes.is_empty() {
        let (what, advice) = match (args.samples, without_slices.advice_for_all()) {
            (Samples::Only, advice) => ("samples of a profiler", advice),
            (_, "") => (NO_CALLS, "; traceloom info counts what it has"),
            (_, advice) => (NO_CALLS, advice),
        };
        bail!("{} has no {what}{advice}", args.file.display());
    }
    let in_file = || args.file.display().to_string();
    let keys: Vec<_> = tree.threads.iter().map(process).collect();
    let absent = |query: &str| without_slices.explain(query, &without_slices.processes);
    let processes = Wanted::of("process", args.process, &keys, &absent).with_context(in_file)?;
    tree.keep_threads(|thread| processes.accept(&thread.process, thread.pid));
    let keys: Vec<_> = tree.threads.iter().map(thread).collect();
    let absent = |query: &str| without_slices.explain(query, &without_slices.threads);
    let threads = Wanted::of("thread", args.thread, &keys, &absent).with_context(in_file)?;
    tree.keep_threads(|thread| threads.accept(&thread.name, thread.tid));
    Ok(tree)
}

fn process(thread: &TreeThread) -> (&str, i64) {
    (&thread.process, thread.pid)
}

fn thread(thread: &TreeThread) -> (&str, i64) {
    (&thread.name, thread.tid)
}

/// What a trace contains besides slices. This explains why a query finds none.
#[derive(Default)]
struct WithoutSlices {
    processes: Vec<(String, i64)>,
    threads: Vec<(String, i64)>,
    /// A suggestion, as the end of a sentence.
    advice: &'static str,
    /// Whether there are slices that belong to no thread.
    has_others: bool,
}

impl WithoutSlices {
    fn new(trace: &Trace, args: &Selection<'_>) -> Self {
        let mut this = Self::default();
        if !trace.thread_states.is_empty() {
            this.advice = "; traceloom threads shows how long its threads ran and waited";
        }
        this.has_others =
            trace.slices.span_count() > 0 && args.samples != Samples::Only && !args.all_tracks;
        let text = |id| trace.strings.get(id).to_owned();
        if !args.process.is_empty() {
            let rows = trace
                .real_processes()
                .map(|upid| trace.processes.row(upid.row()));
            this.processes = rows.map(|row| (text(row.name), row.pid)).collect();
        }
        if !args.thread.is_empty() {
            let rows = trace
                .real_threads()
                .map(|utid| trace.threads.row(utid.row()));
            this.threads = rows.map(|row| (text(row.name), row.tid)).collect();
        }
        this
    }

    /// The suggestion if nothing can be counted.
    fn advice_for_all(&self) -> &'static str {
        if self.has_others {
            "; --all-tracks counts its other slices"
        } else {
            self.advice
        }
    }

    fn explain(&self, query: &str, all: &[(String, i64)]) -> Option<String> {
        let keys: Vec<_> = all
            .iter()
            .map(|(name, number)| (name.as_str(), *number))
            .collect();
        let found = first_match(query, &keys)?;
        Some(format!("{found} has no slices{}", self.advice))
    }
}

fn from_tables(trace: &Trace, range: Option<TimeRange>, args: &Selection<'_>) -> Result<CallTree> {
    let options = TreeOptions {
        range,
        all_tracks: args.all_tracks,
    };
    let tree = match args.samples {
        Samples::Only => CallTree::default(),
        _ => CallTree::from_trace(trace, &options),
    };
    if tree.nodes.is_empty() {
        let event = args.event.map(|event| sample_event(trace, event));
        return Ok(from_samples(trace, range, event.transpose()?));
    }
    Ok(tree)
}

fn sample_event<'t>(trace: &'t Trace, query: &str) -> Result<&'t str> {
    let found = RecordTables::new(trace).sample_event(trace, query);
    found.map_err(|error| anyhow!("--event {}: {}", plain(query), plain(&error.to_string())))
}

/// Builds the call tree of the samples, with demangled names of C++ and Rust.
fn from_samples(trace: &Trace, range: Option<TimeRange>, event: Option<&str>) -> CallTree {
    let tree = CallTree::from_samples(trace, range, event);
    #[cfg(feature = "query")]
    let tree = demangled(tree);
    tree
}

/// Replaces the mangled names of C++ and Rust.
#[cfg(feature = "query")]
fn demangled(mut tree: CallTree) -> CallTree {
    use traceloom_analyze::Function;

    tree.rename(|function| traceloom_query::demangled(&function.name).map(Function::named));
    tree
}

/// The selected range, relative to the first event.
fn range(args: &Selection<'_>) -> Option<TimeRange> {
    (args.from.is_some() || args.to.is_some()).then(|| TimeRange {
        from_ns: args.from.unwrap_or(0),
        to_ns: args.to.unwrap_or(i64::MAX),
    })
}

/// Builds the tree directly from the records, without tables. `None` if the file is not a method
/// trace. Standard input can be read only once, so it always goes through tables.
fn straight(args: &Selection<'_>) -> Result<Option<CallTree>> {
    if args.file == Path::new("-") || args.samples == Samples::Only {
        return Ok(None);
    }
    let mapping = args
        .open
        .mapping
        .as_deref()
        .map(Mapping::open)
        .transpose()?;
    let names = mapping.as_ref().map(Mapping::names);
    let mut builder = CallTreeBuilder::new(range(args));
    let is_method_trace = match &names {
        None => read_method_events(args.file, args.open, &mut builder)?,
        Some(names) => {
            let builder = &mut builder;
            read_method_events(args.file, args.open, &mut Renaming { names, builder })?
        }
    };
    if !is_method_trace {
        return Ok(None);
    }
    let mut tree = builder.build();
    if let Some(map) = MethodNames::find(args.open.method_map.as_deref(), Some(args.file))? {
        map.rename_functions(&mut tree.functions, names.as_ref());
    }
    Ok(Some(tree))
}

/// Replaces methods by their original names before they enter the tree.
struct Renaming<'a> {
    names: &'a Names<'a>,
    builder: &'a mut CallTreeBuilder,
}

impl MethodEvents for Renaming<'_> {
    fn start(&mut self, start: &MethodTraceStart) {
        self.builder.start(start);
    }

    fn thread(&mut self, index: ThreadIndex, tid: u32, name: &str) {
        self.builder.thread(index, tid, name);
    }

    fn method(&mut self, index: MethodIndex, line: &MethodLine<'_>) {
        let original = self
            .names
            .method(line.class, line.name, line.signature, line.line);
        match original {
            None => self.builder.method(index, line),
            Some(original) => self.builder.method(
                index,
                &MethodLine {
                    class: &original.class,
                    name: &original.name,
                    signature: &original.signature,
                    ..*line
                },
            ),
        }
    }

    fn events(&mut self, batch: &[MethodEvent]) {
        self.builder.events(batch);
    }

    fn repair(&mut self, kind: RepairKind, count: u64, place: Place, detail: String) {
        self.builder.repair(kind, count, place, detail);
    }

    fn finish(&mut self, key_section: &[(String, String)]) {
        self.builder.finish(key_section);
    }
}
