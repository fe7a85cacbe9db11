//! Damaged containers must not cause a panic or a hang.

use std::io::Write;
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};

use crate::capture::{capture, captured};
use crate::format::ReadOptions;

const TEXT: &[u8] = b"# tracer: nop\n  a-1 [000] .... 1.000001: tracing_mark_write: B|1|x\n";

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn fixtures() -> Vec<Vec<u8>> {
    let mut zlib = ZlibEncoder::new(Vec::new(), Compression::default());
    zlib.write_all(TEXT).unwrap();
    let zlib = zlib.finish().unwrap();
    let text = String::from_utf8_lossy(TEXT);
    let literal = text.replace('\n', "\\n\\\n");
    let page = format!(
        "<!DOCTYPE html>\n<script>x</script>\n<!-- BEGIN TRACE -->\n\
         <script class=\"trace-data\" type=\"application/text\">\n{text}</script>\n"
    );
    let old = format!("<html><script>\n  var linuxPerfData = \"\\\n{literal}\\n\";\n</script>\n");
    vec![
        gzip(TEXT),
        ruzstd::encoding::compress_to_vec(TEXT, ruzstd::encoding::CompressionLevel::Fastest),
        [b"capturing trace... done\nTRACE:\n", &zlib[..]].concat(),
        [b"TRACE:\r\n", TEXT].concat(),
        zlib,
        page.clone().into_bytes(),
        gzip(page.as_bytes()),
        old.into_bytes(),
        literal.into_bytes(),
    ]
}

#[test]
fn every_cut_and_every_flip_ends_well() {
    for fixture in fixtures() {
        assert!(!captured(&fixture).0.is_empty());
        for at in 0..fixture.len() {
            let _ = capture(&fixture[..at], 7, ReadOptions::default());
            for flip in [1, 0x80] {
                let mut broken = fixture.clone();
                broken[at] ^= flip;
                let _ = capture(&broken, 64, ReadOptions::default());
            }
        }
    }
}

/// The time must be proportional to the input's size, whatever the input repeats.
#[test]
fn repetition_is_no_hang() {
    let head = b"<!DOCTYPE html>\n<script>".to_vec();
    let repeated: [(&[u8], &[u8]); 8] = [
        (b"", &gzip(b"")),
        (b"<html>", b"<script class=\"trace-data\">"),
        (b"<html>", b"<script>"),
        (&head, b"linuxPerfData = \"\\"),
        (&head, b"<!-- begin trace --><script>"),
        (b"<html><script class=\"trace-data\">", b"</scrip"),
        (b"TRACE:\r\n", b"\r"),
        (b"\x5a\x2a\x4d\x18\0\0\0\0", b"\x5a\x2a\x4d\x18\0\0\0\0"),
    ];
    for (head, piece) in repeated {
        let bytes = [head, &piece.repeat((2 << 20) / piece.len())].concat();
        let start = Instant::now();
        let _ = capture(&bytes, usize::MAX, ReadOptions::default());
        let shown = piece.escape_ascii();
        assert!(start.elapsed() < Duration::from_secs(20), "{shown}");
        eprintln!("{shown}: {:?}", start.elapsed());
    }
}
