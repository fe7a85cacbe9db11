//! Writes the trace of a report: one element per block of columns.

use std::io::{self, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use traceloom_trace::Trace;

use crate::columns::{BLOCKS, encode_block};

/// Marks a page as a report. Must be within its first 1024 bytes.
pub const META: &str = "<meta name=\"traceloom-report\" content=\"1\">";

/// The class of the elements that hold columns.
pub(crate) const CLASS: &str = "traceloom-columns";

/// The attribute of the first element, if an element of the class [`END`] follows the last one.
pub(crate) const ENDS: &str = "data-ends";

/// The class of the element after the last block. It contains the number of blocks, so that a missing block is
/// detected. (The end mark of the page only shows that the page was not truncated.)
pub(crate) const END: &str = "traceloom-blocks";

/// Writes a trace as HTML elements, using up to `threads` threads.
///
/// # Errors
/// If `out` cannot be written.
pub fn write_trace(trace: &Trace, threads: usize, out: &mut dyn Write) -> io::Result<()> {
    let mut blocks = 0;
    let mut write = |element: String| {
        blocks += usize::from(!element.is_empty());
        out.write_all(element.as_bytes())
    };
    if threads < 2 {
        BLOCKS
            .iter()
            .try_for_each(|name| write(element(trace, name)?))?;
    } else {
        elements(trace, threads)
            .into_iter()
            .try_for_each(|element| write(element?))?;
    }
    writeln!(
        out,
        "<script type=\"application/octet-stream;base64\" class=\"{END}\" data-blocks=\"{blocks}\"></script>"
    )
}

/// All elements, in the order of [`BLOCKS`].
fn elements(trace: &Trace, threads: usize) -> Vec<io::Result<String>> {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..threads.min(BLOCKS.len()) {
            let (next, sender) = (&next, sender.clone());
            scope.spawn(move || {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(name) = BLOCKS.get(at) else { return };
                    _ = sender.send((at, element(trace, name)));
                }
            });
        }
    });
    drop(sender);
    let mut elements: Vec<_> = receiver.iter().collect();
    elements.sort_by_key(|(at, _)| *at);
    elements.into_iter().map(|(_, element)| element).collect()
}

/// The element of a block; empty if the block has no rows.
fn element(trace: &Trace, name: &str) -> io::Result<String> {
    let Some(block) = encode_block(trace, name) else {
        return Ok(String::new());
    };
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    gzip.write_all(&block.bytes)?;
    let ends = if name == BLOCKS[0] {
        format!(" {ENDS}")
    } else {
        String::new()
    };
    Ok(format!(
        "<script type=\"application/octet-stream;base64\" class=\"{CLASS}\" data-name=\"{name}\" \
         data-bytes=\"{}\"{ends}>{}</script>\n",
        block.bytes.len(),
        STANDARD.encode(gzip.finish()?)
    ))
}
