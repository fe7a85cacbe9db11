//! Reads the calls of the selected threads from a file into a call tree.

use std::path::Path;

use anyhow::{Context, Result, bail};
use traceloom_analyze::{CallTree, CallTreeBuilder, TimeRange, TreeOptions, TreeThread};
use traceloom_trace::{
    MethodEvent, MethodEvents, MethodIndex, MethodLine, MethodTraceStart, Place, RepairKind,
    ThreadIndex, Trace,
};

use crate::input::{InputArgs, read_method_events, read_trace};
use crate::mapping::{Mapping, MethodNames, Names};
use crate::print::plain;

/// The calls that a command works on: which file, threads and times.
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
}

/// Reads the trace and keeps the selected threads.
///
/// # Errors
/// If the file cannot be read, or has none of the selected threads.
pub(crate) fn read_calls(args: &Selection<'_>) -> Result<CallTree> {
    crate::times::check_order(args.from, args.to, "--to")?;
    let mut tree = match straight(args)? {
        Some(tree) => tree,
        None => {
            let trace = read_trace(args.file, args.open)?;
            let range = range(args).map(|range| range.shifted(trace.bounds.0));
            from_tables(&trace, range, args)
        }
    };
    if tree.nodes.is_empty() {
        bail!(
            "{} has no calls and no slices of threads",
            args.file.display()
        );
    }
    let in_file = || args.file.display().to_string();
    let processes = Wanted::of("process", args.process, &tree, |thread| {
        (&thread.process, thread.pid)
    })
    .with_context(in_file)?;
    tree.keep_threads(|thread| processes.accept(&thread.process, thread.pid));
    let threads = Wanted::of("thread", args.thread, &tree, |thread| {
        (&thread.name, thread.tid)
    })
    .with_context(in_file)?;
    tree.keep_threads(|thread| threads.accept(&thread.name, thread.tid));
    Ok(tree)
}

fn from_tables(trace: &Trace, range: Option<TimeRange>, args: &Selection<'_>) -> CallTree {
    let options = TreeOptions {
        range,
        all_tracks: args.all_tracks,
    };
    CallTree::from_trace(trace, &options)
}

/// The selected range, relative to the first event.
fn range(args: &Selection<'_>) -> Option<TimeRange> {
    (args.from.is_some() || args.to.is_some()).then(|| TimeRange {
        from_ns: args.from.unwrap_or(0),
        to_ns: args.to.unwrap_or(i64::MAX),
    })
}

/// Builds the tree directly from the records, without tables; `None` if the file is not a method
/// trace. Standard input can be read only once, so it always goes through tables.
fn straight(args: &Selection<'_>) -> Result<Option<CallTree>> {
    if args.file == Path::new("-") {
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

/// Maps methods to their original names on their way into the tree.
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

/// Matches `--thread` and `--process`: a query selects the exact name or number if there is one,
/// else every name that contains it.
struct Wanted<'a> {
    queries: Vec<(&'a str, bool)>,
}

impl<'a> Wanted<'a> {
    fn of(
        what: &str,
        queries: &'a [String],
        tree: &CallTree,
        key: impl Fn(&TreeThread) -> (&String, i64),
    ) -> Result<Self> {
        let any = |query: &str, exact| {
            let mut keys = tree.threads.iter().map(&key);
            keys.any(|(name, number)| matches(query, exact, name, number))
        };
        let mut known = Vec::new();
        for query in queries {
            let exact = any(query, true);
            if !exact && !any(query, false) {
                bail!(
                    "--{what} {}: there is none; {}",
                    plain(query),
                    listed(tree.threads.iter().map(&key))
                );
            }
            known.push((query.as_str(), exact));
        }
        Ok(Self { queries: known })
    }

    fn accept(&self, name: &str, number: i64) -> bool {
        let mut queries = self.queries.iter();
        self.queries.is_empty()
            || queries.any(|(query, exact)| matches(query, *exact, name, number))
    }
}

fn matches(query: &str, exact: bool, name: &str, number: i64) -> bool {
    match exact {
        true => query == name || query.parse() == Ok(number),
        false if query.chars().any(char::is_uppercase) => name.contains(query),
        false => name.to_lowercase().contains(query),
    }
}

/// The first few names, for a message. Negative numbers are unknown.
fn listed<'t>(keys: impl Iterator<Item = (&'t String, i64)>) -> String {
    const SHOWN: usize = 12;
    let mut names: Vec<String> = keys
        .filter(|(name, number)| !name.is_empty() || *number >= 0)
        .map(|(name, number)| match name.as_str() {
            "" => number.to_string(),
            name => format!("{} ({number})", plain(name)),
        })
        .collect();
    names.sort_unstable();
    names.dedup();
    let more = names.len().saturating_sub(SHOWN);
    names.truncate(SHOWN);
    match (names.is_empty(), more) {
        (true, _) => "the trace does not tell any".to_owned(),
        (_, 0) => format!("there are {}", names.join(", ")),
        (_, more) => format!("there are {} and {more} more", names.join(", ")),
    }
}
