//! Reads files and bytes into a trace.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::pybacked::PyBackedBytes;
use traceloom_formats::{
    AnyReader, PART_BYTES, ReadError, ReadOptions, Reader, Target, detect, wants_whole,
};
use traceloom_host::{FeedError, OpenedPairs, feed, input_files};
use traceloom_symbols::LocalSymbols;
use traceloom_trace::{Trace, TraceBuilder};

use crate::error::OpenError;

/// An input.
#[derive(Clone)]
pub(crate) enum Input {
    Path(PathBuf),
    Bytes(Arc<PyBackedBytes>),
}

/// How to read.
#[derive(Clone)]
pub(crate) struct Options {
    /// Threads, at least 1.
    pub threads: usize,
    /// Maximum unpacked size of compressed input, bytes.
    pub max_decompressed: u64,
    /// Folders with symbols of native code.
    pub symbols: Vec<PathBuf>,
    /// Whether sources are named without folders.
    pub without_folders: bool,
    /// Becomes true when the reader should stop.
    pub is_stopped: Arc<AtomicBool>,
}

impl Input {
    /// The name in messages.
    pub fn name(&self) -> String {
        match self {
            Self::Path(path) => path.display().to_string(),
            Self::Bytes(_) => "bytes".to_owned(),
        }
    }

    fn source_name(&self, options: &Options) -> String {
        match self {
            Self::Path(path) if options.without_folders => path
                .file_name()
                .map_or_else(String::new, |name| name.to_string_lossy().into_owned()),
            _ => self.name(),
        }
    }
}

/// Reads inputs into one trace, on the time line of the first.
pub(crate) fn read_all(inputs: &[Input], options: &Options) -> Result<Trace, OpenError> {
    let mut merged: Option<Trace> = None;
    for input in inputs {
        let trace = read(input, options)?;
        merged = Some(match merged {
            None => trace,
            Some(mut merged) => {
                let alignment = traceloom_trace::align(&merged, &trace);
                merged.append(trace, alignment.shift_ns);
                merged
            }
        });
    }
    Ok(merged.unwrap_or_default())
}

/// Reads one input. An empty file is an error, like any other that is not a trace.
fn read(input: &Input, options: &Options) -> Result<Trace, OpenError> {
    let mut reader = AnyReader::new(ReadOptions {
        name: input.source_name(options),
        threads: options.threads,
        max_decompressed: options.max_decompressed,
        symbolizer: Some(Arc::new(LocalSymbols::new(options.symbols.clone()))),
        ..ReadOptions::default()
    });
    let mut builder = TraceBuilder::new();
    let mut push = Push {
        reader: &mut reader,
        out: &mut Target::Trace(&mut builder),
        options,
        name: input.name(),
    };
    match input {
        Input::Bytes(bytes) => push.bytes(bytes)?,
        Input::Path(path) => push.files(path)?,
    }
    Ok(builder.finish())
}

/// Feeds an input to a reader.
struct Push<'a, 't> {
    reader: &'a mut AnyReader,
    out: &'a mut Target<'t>,
    options: &'a Options,
    name: String,
}

impl Push<'_, '_> {
    /// Reads the files of an input. If there are none, the error is the system's for the path itself.
    fn files(&mut self, path: &Path) -> Result<(), OpenError> {
        for file in files(path).unwrap_or_else(|| vec![path.to_owned()]) {
            self.file(&file)?;
        }
        self.finish()
    }

    /// Reads a file without mapping it: a guard against truncated maps would replace a signal handler, and those belong
    /// to the program that has this package.
    fn file(&mut self, path: &Path) -> Result<(), OpenError> {
        let failed = |error| OpenError::Io(path.display().to_string(), error);
        let file = File::open(path).map_err(failed)?;
        feed(file, PART_BYTES, |part| self.feed(part)).map_err(|error| match error {
            FeedError::Read(error) => failed(error),
            FeedError::Refused(error) => error,
        })
    }

    fn bytes(&mut self, bytes: &[u8]) -> Result<(), OpenError> {
        if wants_whole(bytes) {
            let read = self.reader.whole(bytes, self.out);
            return self.named(read);
        }
        bytes
            .chunks(PART_BYTES)
            .try_for_each(|part| self.feed(part))?;
        self.finish()
    }

    fn feed(&mut self, part: &[u8]) -> Result<(), OpenError> {
        self.check()?;
        let read = self.reader.feed(part, self.out);
        self.named(read)
    }

    fn finish(&mut self) -> Result<(), OpenError> {
        let read = self.reader.finish(self.out);
        self.named(read)
    }

    fn check(&self) -> Result<(), OpenError> {
        if self.options.is_stopped.load(Ordering::Relaxed) {
            return Err(OpenError::Stopped);
        }
        Ok(())
    }

    fn named(&self, read: Result<(), ReadError>) -> Result<(), OpenError> {
        read.map_err(|error| OpenError::Read(self.name.clone(), Box::new(error)))
    }
}

/// The inputs without pairs that are given twice: `a.key` and `a.data` are one input, and either name opens both.
pub(crate) fn without_duplicates(inputs: Vec<Input>) -> Vec<Input> {
    let mut opened = OpenedPairs::default();
    let mut is_new = |input: &Input| match input {
        Input::Path(path) => files(path).is_none_or(|files| opened.is_new(files)),
        Input::Bytes(_) => true,
    };
    inputs.into_iter().filter(|input| is_new(input)).collect()
}

fn files(path: &Path) -> Option<Vec<PathBuf>> {
    let is_perf_data = |head: &[u8]| detect(head).is_some_and(|format| format.id() == "perf-data");
    input_files(path, is_perf_data)
}
