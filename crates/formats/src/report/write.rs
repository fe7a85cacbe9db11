//! Writing the data of a report: the elements that hold the columns.

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use traceloom_columns::{BLOCKS, encode_block};
use traceloom_trace::Trace;

use super::CLASS;
use crate::base64::encode;

/// Writes a trace as the elements that a report's page has it in, using up to `threads` threads.
///
/// # Errors
/// If `out` cannot be written.
pub fn report_data(trace: &Trace, threads: usize, out: &mut dyn Write) -> io::Result<()> {
    for element in elements(trace, threads) {
        out.write_all(element?.as_bytes())?;
    }
    Ok(())
}

/// The element that a report has the page's engine in: packed WebAssembly.
pub fn report_engine(packed: &[u8]) -> String {
    let text = encode(packed);
    format!(
        "<script type=\"application/octet-stream;base64\" id=\"traceloom-engine\">{text}</script>\n"
    )
}

#[cfg(feature = "threads")]
fn elements(trace: &Trace, threads: usize) -> Vec<io::Result<String>> {
    use std::sync::Mutex;

    if threads < 2 {
        return BLOCKS.iter().map(|name| element(trace, name)).collect();
    }
    let next = Mutex::new(0..BLOCKS.len());
    let made: Vec<Mutex<Option<io::Result<String>>>> =
        BLOCKS.iter().map(|_| Mutex::default()).collect();
    let work = || {
        loop {
            let claimed = next.lock().map_or(None, |mut next| next.next());
            let Some(at) = claimed else { return };
            let element = element(trace, BLOCKS[at]);
            if let Ok(mut slot) = made[at].lock() {
                *slot = Some(element);
            }
        }
    };
    std::thread::scope(|scope| {
        (1..threads.min(BLOCKS.len())).for_each(|_| _ = scope.spawn(work));
        work();
    });
    let lost = || Err(io::Error::other("a thread that packs the trace is gone"));
    let taken = |slot: Mutex<Option<_>>| slot.into_inner().ok().flatten().unwrap_or_else(lost);
    made.into_iter().map(taken).collect()
}

#[cfg(not(feature = "threads"))]
fn elements(trace: &Trace, _: usize) -> Vec<io::Result<String>> {
    BLOCKS.iter().map(|name| element(trace, name)).collect()
}

/// The element of a block; nothing for a block without rows.
fn element(trace: &Trace, name: &str) -> io::Result<String> {
    let Some(block) = encode_block(trace, name) else {
        return Ok(String::new());
    };
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    gzip.write_all(&block.bytes)?;
    let text = encode(&gzip.finish()?);
    let bytes = block.bytes.len();
    Ok(format!(
        "<script type=\"application/octet-stream;base64\" class=\"{CLASS}\" data-name=\"{name}\" \
         data-bytes=\"{bytes}\">{text}{}</script>\n",
        padding(bytes, text.len())
    ))
}

/// Who reads a container that unpacks to 128 times its size takes it for a bomb. A trace that is
/// so regular gets line ends, which base64 passes over.
fn padding(bytes: usize, letters: usize) -> String {
    const MOST_TIMES: usize = 100;
    const SMALL: usize = 1 << 20;
    match bytes {
        ..=SMALL => String::new(),
        _ => "\n".repeat((bytes / MOST_TIMES).saturating_sub(letters)),
    }
}
