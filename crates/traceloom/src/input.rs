//! Opening inputs: files (mapped into memory if they are big), standard input, `.key`/`.data` pairs.

use std::ffi::OsString;
use std::fs::File;
use std::io::{IsTerminal, Read, StdinLock};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use traceloom_formats::{
    AnyReader, EventRules, FORMATS, PART_BYTES, ReadError, ReadOptions, Reader, SNIFF_BYTES,
    Target, TextParts, wants_whole,
};
use traceloom_host::{Map, Scratch};
use traceloom_trace::{MethodEvents, Trace, TraceBuilder};

use crate::mapping::{Mapping, MethodNames};
use crate::progress::Progress;
use crate::{address, folder};

/// Smaller files are read instead of mapped: mapping costs more, and they may still grow.
const MAP_FROM_BYTES: u64 = 1 << 20;

/// A file changed within this time may still be written. It is read, not mapped, because nothing can
/// be said about a mapped file that is truncated.
const SETTLED_AFTER: Duration = Duration::from_secs(2);

/// Options of every command that opens traces.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct InputArgs {
    /// Rules for your own kernel events (TOML, [[event]] tables)
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub events: Option<PathBuf>,

    /// Process list taken with the trace (ps -AT, or systrace's PROCESS DUMP): gives threads their process and name
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub process_dump: Option<PathBuf>,

    /// mapping.txt of R8 or ProGuard: shows original names instead of obfuscated ones
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub mapping: Option<PathBuf>,

    /// Method map of `traceloom weave`: shows method names instead of ids [default: FILE.methods.txt or methods.txt next to the trace]
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub method_map: Option<PathBuf>,

    /// Name sources by file name only: a report sent to others should not reveal local folders.
    #[arg(skip)]
    pub without_folders: bool,

    /// Where standard input was saved, so that it can be read twice.
    #[arg(skip)]
    pub saved_stdin: Option<PathBuf>,

    /// Refuse compressed input that expands beyond this size (K, M or G)
    #[arg(long, value_name = "BYTES", default_value = "8G", value_parser = parse_bytes, help_heading = "Input")]
    pub max_decompressed: u64,

    /// Number of threads [default: one per core]; the result does not depend on it
    #[arg(long, value_name = "N", help_heading = "Input")]
    pub threads: Option<usize>,
}

impl InputArgs {
    /// The values for a command line without these options.
    pub fn default_for_capture() -> Self {
        Self {
            max_decompressed: ReadOptions::default().max_decompressed,
            ..Self::default()
        }
    }

    pub(crate) fn read_options(&self, name: &str) -> Result<ReadOptions> {
        Ok(ReadOptions {
            name: name.to_owned(),
            threads: self.threads(),
            max_decompressed: self.max_decompressed,
            rules: Arc::new(self.rules()?),
            process_dump: self.dump()?,
            ..ReadOptions::default()
        })
    }

    /// Threads to use, at least 1.
    pub fn threads(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.threads.unwrap_or_else(cores).max(1)
    }

    fn rules(&self) -> Result<EventRules> {
        let Some(path) = &self.events else {
            return Ok(EventRules::default());
        };
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("cannot read the event rules {}", path.display()))?;
        EventRules::parse(&text).with_context(|| format!("event rules {}", path.display()))
    }

    fn dump(&self) -> Result<Option<Arc<Vec<u8>>>> {
        let Some(path) = &self.process_dump else {
            return Ok(None);
        };
        let bytes = std::fs::read(path)
            .with_context(|| format!("cannot read the process dump {}", path.display()))?;
        if !names_threads(&bytes) {
            bail!(
                "{} is not a process dump: it contains no ps table and no list of tasks",
                path.display()
            );
        }
        Ok(Some(Arc::new(bytes)))
    }
}

/// Whether a process dump lists any thread.
fn names_threads(dump: &[u8]) -> bool {
    let format = FORMATS.iter().find(|format| format.id() == "process-dump");
    let Some(mut reader) = format.and_then(|format| format.reader(&ReadOptions::default())) else {
        return false;
    };
    let mut builder = TraceBuilder::new();
    let mut target = Target::Trace(&mut builder);
    let read = reader
        .feed(dump, &mut target)
        .and_then(|()| reader.finish(&mut target));
    read.is_ok() && !builder.finish().threads.is_empty()
}

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

/// Adds names to a trace: those of woven methods, from the given method map or the one next to the
/// trace, and original names, from the given mapping.
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

/// The inputs without duplicates: `a.key` and `a.data` are one input, and either name opens both.
pub fn once_a_pair(files: &[PathBuf]) -> Vec<&Path> {
    let mut pairs = Vec::new();
    let mut is_new = |path: &Path| match parts(path) {
        Ok(parts) if parts.len() > 1 => {
            let is_new = !pairs.contains(&parts);
            pairs.push(parts);
            is_new
        }
        _ => true,
    };
    let files = files.iter().map(PathBuf::as_path);
    files.filter(|path| is_new(path)).collect()
}

/// Replaces `a.key a.data` by `a.key`, which opens both. A pair may thus be named by its two files
/// in any command that takes one.
///
/// Addresses of files become paths.
pub fn join_pairs(args: Vec<OsString>) -> Vec<OsString> {
    let args = address::local(args);
    let is_data_of_last = |last: &OsString, arg: &OsString| {
        let (key, data) = (Path::new(last), Path::new(arg));
        key.extension().is_some_and(|ending| ending == "key")
            && key.with_extension("data") == data
            && key.is_file()
            && data.is_file()
    };
    let mut joined: Vec<OsString> = Vec::with_capacity(args.len());
    for arg in args {
        if !joined
            .last()
            .is_some_and(|last| is_data_of_last(last, &arg))
        {
            joined.push(arg);
        }
    }
    joined
}

/// The files that make up the input: one, or the key and data files of old tools. A base name
/// means both if no file has that name.
fn parts(path: &Path) -> Result<Vec<PathBuf>> {
    let beside = |ending: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    };
    if path.as_os_str() == "-" || path.exists() {
        return Ok(match path.extension().and_then(|ending| ending.to_str()) {
            Some("key") if path.with_extension("data").exists() => {
                vec![path.to_owned(), path.with_extension("data")]
            }
            Some("data") if path.with_extension("key").exists() => {
                vec![path.with_extension("key"), path.to_owned()]
            }
            _ => vec![path.to_owned()],
        });
    }
    let pair = vec![beside(".key"), beside(".data")];
    if pair.iter().all(|part| part.exists()) {
        return Ok(pair);
    }
    if beside(".trace").exists() {
        return Ok(vec![beside(".trace")]);
    }
    match address::advice(path) {
        Some(advice) => bail!("{}: {advice}", path.display()),
        None => bail!("{}: no such file", path.display()),
    }
}

/// Looks at the beginning of an input, so that one that cannot be read is refused at once. Standard
/// input and pipes, which can be read only once, are not looked at.
///
/// # Errors
/// As [`read_trace`], as far as the beginning tells.
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
    for part in parts(path)? {
        let saved = args.saved_stdin.as_deref();
        let file = saved.filter(|_| part.as_os_str() == "-").unwrap_or(&part);
        let pushed = push_part(file, &mut reader, out);
        if pushed.with_context(|| part.display().to_string())? == Pushed::Whole {
            return Ok(());
        }
    }
    reader.finish(out).with_context(|| name_of(path, false))
}

/// How much of the input the reader was given.
#[derive(PartialEq, Eq)]
enum Pushed {
    /// A chunk; more may follow.
    Part,
    /// The whole input.
    Whole,
}

/// The name of an input in messages and in the trace.
fn name_of(path: &Path, without_folders: bool) -> String {
    match path.file_name() {
        _ if path.as_os_str() == "-" => "standard input".to_owned(),
        Some(name) if without_folders => name.to_string_lossy().into_owned(),
        _ => path.display().to_string(),
    }
}

fn push_part(path: &Path, reader: &mut AnyReader, out: &mut Target<'_>) -> Result<Pushed> {
    if path.as_os_str() == "-" {
        return push_stream(piped()?, None, reader, out);
    }
    let file = File::open(path).context("cannot open")?;
    let facts = file.metadata().context("cannot look at")?;
    if facts.is_dir() {
        bail!("{}", folder::advice(path));
    }
    let settled = facts.modified().ok().and_then(|at| at.elapsed().ok()) > Some(SETTLED_AFTER);
    if facts.is_file()
        && facts.len() >= MAP_FROM_BYTES
        && settled
        && let Ok(map) = Map::new(&file)
    {
        let pushed = push_mapped(&map, reader, out);
        // A truncated file reads as zeros, so that is the reason for any other error.
        map.check()?;
        return pushed;
    }
    let length = facts.is_file().then_some(facts.len());
    push_stream(file, length, reader, out)
}

/// Standard input, unless it is a terminal.
fn piped() -> Result<StdinLock<'static>> {
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        bail!("standard input is a terminal; pipe a trace into it, or name a file");
    }
    Ok(stdin.lock())
}

/// Saves standard input in a temporary file, which is deleted when it is dropped.
///
/// # Errors
/// If it is a terminal, or the file cannot be written.
pub fn save_stdin() -> Result<Scratch> {
    let mut scratch = Scratch::new().context("cannot save standard input")?;
    std::io::copy(&mut piped()?, scratch.file()).context("cannot save standard input")?;
    Ok(scratch)
}

fn push_stream(
    mut from: impl Read,
    length: Option<u64>,
    reader: &mut AnyReader,
    out: &mut Target<'_>,
) -> Result<Pushed> {
    let progress = Progress::new(length);
    let mut chunk = Vec::new();
    loop {
        chunk.clear();
        let read = from
            .by_ref()
            .take(PART_BYTES as u64)
            .read_to_end(&mut chunk)
            .context("cannot read")?;
        if read == 0 {
            return Ok(Pushed::Part);
        }
        reader.feed(&chunk, out)?;
        progress.add(read);
    }
}

fn push_mapped(map: &Map, reader: &mut AnyReader, out: &mut Target<'_>) -> Result<Pushed> {
    let progress = Progress::new(Some(map.len() as u64));
    if wants_whole(map) {
        reader.whole(map, out)?;
        return Ok(Pushed::Whole);
    }
    let mut from = 0;
    reader.feed_parts(map, out, &mut |bytes| {
        progress.add(bytes);
        // The reader copies what it keeps.
        map.give_back(from, bytes);
        from += bytes;
    })?;
    Ok(Pushed::Part)
}

/// Reads `64M`, `8G`, `1000`.
pub(crate) fn parse_bytes(text: &str) -> Result<u64, String> {
    let wrong = || format!("{text} is not a size; write for example 500M or 8G");
    let (digits, unit) = match text.to_ascii_uppercase().chars().last() {
        Some('K') => (&text[..text.len() - 1], 1 << 10),
        Some('M') => (&text[..text.len() - 1], 1 << 20),
        Some('G') => (&text[..text.len() - 1], 1 << 30),
        _ => (text, 1u64),
    };
    digits
        .parse::<u64>()
        .ok()
        .and_then(|number| number.checked_mul(unit))
        .ok_or_else(wrong)
}
