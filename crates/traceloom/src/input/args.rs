//! Options of every command that opens traces.

use std::path::PathBuf;
use std::sync::Arc;

use crate::times::parse_number;
use anyhow::{Context, Result, bail};
use traceloom_formats::{EventRules, FORMATS, ReadOptions, Target};
use traceloom_symbols::LocalSymbols;
use traceloom_trace::TraceBuilder;

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

    /// Folder with symbols of native code, such as libraries that are not stripped; repeatable
    ///
    /// Names functions of which the trace has only addresses. Files are found by their build ids, in all
    /// folders inside as well. Symbols that this machine has installed are found without this option.
    #[arg(long, value_name = "DIR", help_heading = "Input")]
    pub symbols: Vec<PathBuf>,

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
    #[arg(long, value_name = "N", value_parser = parse_number::<usize>, help_heading = "Input")]
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
            symbolizer: Some(Arc::new(self.symbolizer()?)),
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

    fn symbolizer(&self) -> Result<LocalSymbols> {
        if let Some(missing) = self.symbols.iter().find(|folder| !folder.is_dir()) {
            bail!("--symbols {}: there is no such folder", missing.display());
        }
        Ok(LocalSymbols::new(self.symbols.clone()))
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
    read.is_ok() && builder.finish().real_threads().next().is_some()
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
