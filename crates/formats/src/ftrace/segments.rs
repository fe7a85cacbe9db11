//! Splits a text into segments of complete lines, which are tokenized on several threads.

use super::batch::EventBatch;
use super::tokenize::{Scratch, tokenize};
use crate::pipeline;

/// The size of a segment, bytes. It is small enough that its events stay in the cache until they
/// are consumed.
pub(crate) const SEGMENT_BYTES: usize = 128 << 10;

/// The lines that begin in the nth [`SEGMENT_BYTES`] of `text`; the last line may lack its newline.
/// Each segment is found without the ones before it, so the thread that tokenizes it is the first
/// to touch its pages. Finding all segments in advance would take as long as mapping the file.
fn nth_segment(text: &[u8], nth: usize) -> &[u8] {
    let (from, to) = (nth * SEGMENT_BYTES, (nth + 1) * SEGMENT_BYTES);
    let start = match from.checked_sub(1) {
        None => Some(0),
        Some(before) => line_start(text, before, to - 1),
    };
    let Some(start) = start else {
        return &[];
    };
    &text[start..line_start(text, to - 1, text.len()).unwrap_or(text.len())]
}

/// The size of the nth segment of a text. The last one may be shorter than [`SEGMENT_BYTES`].
fn segment_bytes(text: &[u8], nth: usize) -> usize {
    (text.len() - nth * SEGMENT_BYTES).min(SEGMENT_BYTES)
}

/// The position after the first newline in `from..to`.
fn line_start(text: &[u8], from: usize, to: usize) -> Option<usize> {
    let within = text.get(from..to.min(text.len()))?;
    Some(from + memchr::memchr(b'\n', within)? + 1)
}

/// Tokenizes `text` on up to `threads` threads and passes the batches to `consume` in order, each
/// with the number of bytes it covers.
pub(crate) fn each_batch<'a>(
    text: &'a [u8],
    threads: usize,
    mut consume: impl FnMut(usize, &EventBatch<'a>),
) {
    let tokenized = |nth, scratch: &mut Scratch<'a>, batch: &mut EventBatch<'a>| {
        tokenize(nth_segment(text, nth), scratch, batch);
    };
    let consume = |nth, batch: &EventBatch<'a>| consume(segment_bytes(text, nth), batch);
    let segments = text.len().div_ceil(SEGMENT_BYTES);
    pipeline::in_order(segments, threads, tokenized, consume);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_come_in_order_and_whole() {
        let text: Vec<u8> = (0..40_000)
            .flat_map(|n| format!("a-{n} [000] 1.000000: e: n={n}\n").into_bytes())
            .collect();
        for threads in [1, 2, 4] {
            let mut tids = Vec::new();
            for text in [&text[..0], &text] {
                each_batch(text, threads, |_, batch| {
                    let mut records = batch.records();
                    tids.extend(std::iter::from_fn(|| Some(records.next()?.tid)));
                });
            }
            assert!(tids.iter().copied().eq(0..40_000), "{threads} threads");
        }
    }

    #[test]
    fn every_line_is_in_one_segment() {
        let long = "x".repeat(3 * SEGMENT_BYTES);
        let fits = "y".repeat(SEGMENT_BYTES - 1);
        for text in [
            String::new(),
            "\n".to_owned(),
            format!("{fits}\n"),
            format!("{fits}\na\n{fits}\nb"),
            format!("a\n{long}\nb\n{long}"),
            format!("{long}\n{fits}\n{fits}\n{fits}z\n\n\n{long}\n"),
        ] {
            let segments = 0..text.len().div_ceil(SEGMENT_BYTES);
            let segments = segments.map(|nth| nth_segment(text.as_bytes(), nth));
            let segments: Vec<_> = segments.filter(|segment| !segment.is_empty()).collect();
            assert_eq!(segments.concat(), text.as_bytes());
            let (_, before) = segments.split_last().unwrap_or((&&b""[..], &[]));
            assert!(before.iter().all(|segment| segment.ends_with(b"\n")));
        }
    }
}
