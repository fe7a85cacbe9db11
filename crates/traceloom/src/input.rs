//! Opening inputs: files (mapped into memory if they are big), standard input, `.key`/`.data` pairs, folders of perf.

mod args;
mod pairs;
mod push;

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, bail};
use traceloom_formats::{AnyReader, ReadError, Reader, SNIFF_BYTES, Target, TextParts};
use traceloom_trace::{MethodEvents, Trace, TraceBuilder};

use crate::folder;
use crate::mapping::{Mapping, MethodNames};
use pairs::parts;
use push::{Pushed, push_part};

pub use args::InputArgs;
pub(crate) use args::parse_bytes;
pub use pairs::{join_pairs, once_a_pair};
pub use push::save_stdin;

/// Reads a trace into tables. A mapping or method map, if given, supplies the original names.
///
/// # Errors
/// If the file cannot be read or is not a trace. The message names the file.
pub fn read_trace(path: &Path, args: &InputArgs) -> Result<Trace> {
    let mut builder = TraceBuilder::new();
    push(path, args, &mut Target::Trace(&mut builder))?;
    with_original_names(builder.finish(), Some(path), args)
}

/// Reads the text of an input, without building tables.
///
/// # Errors
/// As [`read_trace`], and if the input is not text.
pub fn read_text(path: &Path, args: &InputArgs, out: &mut dyn TextParts) -> Result<()> {
    push(path, args, &mut Target::Text(out))
}

/// Leaks a trace shortly before the program ends. The kernel then frees its memory at once, which
/// is faster than freeing hundreds of blocks.
pub(crate) fn leave(trace: Trace) {
    std::mem::forget(trace);
}

/// Adds names to a trace. Woven methods are named by the given method map, or by the map next to
/// the trace. Original names come from the given mapping.
///
/// # Errors
/// If the map or the mapping cannot be read.
pub(crate) fn with_original_names(
    mut trace: Trace,
    path: Option<&Path>,
    args: &InputArgs,
) -> Result<Trace> {
    let mapping = args.mapping.as_deref().map(Mapping::open).transpose()?;
    let path = path.filter(|path| path.as_os_str() != "-");
    let methods = MethodNames::find(args.method_map.as_deref(), path)?;
    if let Some(mapping) = &mapping {
        mapping.rename(&mut trace);
    }
    if let Some(methods) = methods {
        let original = mapping.as_ref().map(Mapping::names);
        methods.rename(&mut trace, original.as_ref());
    }
    Ok(trace)
}

/// Streams a method trace into `consumer` without building tables. Returns `false`, and delivers
/// nothing, if the input is another kind of trace.
///
/// # Errors
/// As [`read_trace`].
pub fn read_method_events(
    path: &Path,
    args: &InputArgs,
    consumer: &mut dyn MethodEvents,
) -> Result<bool> {
    match push(path, args, &mut Target::Methods(consumer)) {
        Ok(()) => Ok(true),
        Err(error) if is_other_kind(&error) => Ok(false),
        Err(error) => Err(error),
    }
}

fn is_other_kind(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(ReadError::NoMethodEvents { .. }))
}

/// Checks the beginning of an input, so that an unreadable one is refused at once. Standard input
/// and pipes are not checked, because they can be read only once.
///
/// # Errors
/// As [`read_trace`], if the beginning shows the error.
pub fn look_at(path: &Path, args: &InputArgs) -> Result<()> {
    let parts = parts(path)?;
    let (Some(first), false) = (parts.first(), path.as_os_str() == "-") else {
        return Ok(());
    };
    let name = || first.display().to_string();
    let facts = std::fs::metadata(first).with_context(name)?;
    if facts.is_dir() {
        bail!("{}: {}", name(), folder::advice(first));
    }
    if !facts.is_file() {
        return Ok(());
    }
    let mut head = Vec::new();
    let file = File::open(first).context("cannot open");
    file.and_then(|file| {
        let mut begin = file.take(SNIFF_BYTES as u64);
        begin.read_to_end(&mut head).context("cannot read")
    })
    .with_context(name)?;
    let mut reader = AnyReader::new(args.read_options(&name_of(path, false))?);
    let mut builder = TraceBuilder::new();
    let mut out = Target::Trace(&mut builder);
    reader.feed(&head, &mut out).with_context(name)?;
    let is_whole = head.len() < SNIFF_BYTES && parts.len() == 1;
    if is_whole {
        reader.finish(&mut out).with_context(name)?;
    }
    Ok(())
}

fn push(path: &Path, args: &InputArgs, out: &mut Target<'_>) -> Result<()> {
    let name = name_of(path, args.without_folders);
    let mut reader = AnyReader::new(args.read_options(&name)?);
    let parts = parts(path)?;
    let is_only = parts.len() == 1;
    for part in parts {
        let saved = args.saved_stdin.as_deref();
        let file = saved.filter(|_| part.as_os_str() == "-").unwrap_or(&part);
        let pushed = push_part(file, is_only, &mut reader, out);
        if pushed.with_context(|| part.display().to_string())? == Pushed::Whole {
            return Ok(());
        }
    }
    reader.finish(out).with_context(|| name_of(path, false))
}

/// The name of an input in messages and in the trace.
fn name_of(path: &Path, without_folders: bool) -> String {
    match path.file_name() {
        _ if path.as_os_str() == "-" => "standard input".to_owned(),
        Some(name) if without_folders => name.to_string_lossy().into_owned(),
        _ => path.display().to_string(),
    }
}
