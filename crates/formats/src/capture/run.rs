//! Captures the contents of containers, for tests.

use traceloom_trace::{Trace, TraceBuilder};

use super::format::{CONTAINERS, INPUTS};
use crate::error::ReadError;
use crate::format::{ReadOptions, Reader, Target};
use crate::registry::{AnyReader, FORMATS};

/// The contents of the containers in `bytes`, read in chunks of `chunk` bytes, and the trace with
/// the repairs.
pub(crate) fn capture(
    bytes: &[u8],
    chunk: usize,
    options: ReadOptions,
) -> Result<(Vec<Vec<u8>>, Trace), ReadError> {
    INPUTS.set(Some(Vec::new()));
    CONTAINERS.set(FORMATS);
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

/// Calls [`capture`] with the whole input and default options. The input must be readable.
pub(crate) fn captured(bytes: &[u8]) -> (Vec<Vec<u8>>, Trace) {
    capture(bytes, usize::MAX, ReadOptions::default()).expect("readable")
}

/// The folder of the real traces, if present.
pub(crate) fn corpus_root() -> std::path::PathBuf {
    std::env::var_os("TRACELOOM_TESTDATA").map_or_else(
        || std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/testdata"),
        std::path::PathBuf::from,
    )
}

/// The bytes of a real trace, if present.
pub(crate) fn corpus(path: &str) -> Option<Vec<u8>> {
    let found = std::fs::read(corpus_root().join(path));
    if found.is_err() {
        eprintln!("skipped: no corpus ({path})");
    }
    found.ok()
}
