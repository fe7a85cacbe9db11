//! A format for tests: keeps the bytes it is given, so that unwrapping can be checked byte by byte.

use std::cell::RefCell;

use traceloom_trace::{Trace, TraceBuilder};

use crate::error::ReadError;
use crate::format::{Confidence, Format, ReadOptions, Reader, Target};
use crate::registry::{AnyReader, FORMATS};

thread_local! {
    /// One entry an input that came through; `None` while nobody captures on this thread.
    static INPUTS: RefCell<Option<Vec<Vec<u8>>>> = const { RefCell::new(None) };
}

/// Takes everything that is no container, while [`capture`] runs. Inputs that begin with `?` are
/// no trace to it.
pub(crate) struct Capture;

impl Format for Capture {
    fn id(&self) -> &'static str {
        "capture"
    }

    fn title(&self) -> &'static str {
        "capture of the tests"
    }

    fn sniff(&self, head: &[u8]) -> Confidence {
        let on = INPUTS.with_borrow(Option::is_some) && !head.starts_with(b"?");
        let free =
            |format: &&dyn Format| !format.is_container() || format.sniff(head) == Confidence::No;
        if on && FORMATS.iter().all(free) {
            Confidence::Certain
        } else {
            Confidence::No
        }
    }

    fn reader(&self, _: &ReadOptions) -> Option<Box<dyn Reader>> {
        INPUTS.with_borrow_mut(|inputs| inputs.as_mut().map(|inputs| inputs.push(Vec::new())));
        Some(Box::new(CaptureReader))
    }
}

struct CaptureReader;

impl Reader for CaptureReader {
    fn feed(&mut self, chunk: &[u8], _: &mut Target<'_>) -> Result<(), ReadError> {
        INPUTS.with_borrow_mut(|inputs| {
            if let Some(last) = inputs.as_mut().and_then(|inputs| inputs.last_mut()) {
                last.extend_from_slice(chunk);
            }
        });
        Ok(())
    }

    fn finish(&mut self, _: &mut Target<'_>) -> Result<(), ReadError> {
        Ok(())
    }
}

/// What came out of the containers in `bytes`, read in chunks of `chunk` bytes, and the trace with
/// the repairs.
pub(crate) fn capture(
    bytes: &[u8],
    chunk: usize,
    options: ReadOptions,
) -> Result<(Vec<Vec<u8>>, Trace), ReadError> {
    INPUTS.set(Some(Vec::new()));
    let mut builder = TraceBuilder::new();
    let mut reader = AnyReader::new(options);
    let mut out = Target::Trace(&mut builder);
    let result = bytes
        .chunks(chunk)
        .try_for_each(|chunk| reader.feed(chunk, &mut out))
        .and_then(|()| reader.finish(&mut out));
    let inputs = INPUTS.take().unwrap_or_default();
    result.map(|()| (inputs, builder.finish()))
}

/// [`capture`] with whole input and usual options, for inputs that must be readable.
pub(crate) fn captured(bytes: &[u8]) -> (Vec<Vec<u8>>, Trace) {
    capture(bytes, usize::MAX, ReadOptions::default()).expect("readable")
}

/// Where the real traces are, if they are here.
pub(crate) fn corpus_root() -> std::path::PathBuf {
    std::env::var_os("TRACELOOM_TESTDATA").map_or_else(
        || std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/testdata"),
        std::path::PathBuf::from,
    )
}

/// A real trace, if it is here.
pub(crate) fn corpus(path: &str) -> Option<Vec<u8>> {
    let found = std::fs::read(corpus_root().join(path));
    if found.is_err() {
        eprintln!("skipped: no corpus ({path})");
    }
    found.ok()
}
