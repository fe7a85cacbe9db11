//! Containers are not mistaken for the text inside them.

use std::io::{Cursor, Write};

use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};
use zip::CompressionMethod;
use zip::write::{SimpleFileOptions, ZipWriter};

use super::detect;
use crate::format::ReadOptions;
use crate::read_bytes;

const FTRACE: &str = "# tracer: nop\n#\n  \
    app-101 (  100) [001] ...1  1.000000: tracing_mark_write: B|100|draw\n  \
    app-101 (  100) [001] ...1  1.500000: tracing_mark_write: E|100\n";

/// The output of `atrace -z`.
fn atrace() -> Vec<u8> {
    let mut packed = ZlibEncoder::new(
        b"capturing trace... done\nTRACE:\n".to_vec(),
        Compression::best(),
    );
    packed.write_all(FTRACE.as_bytes()).unwrap();
    packed.finish().unwrap()
}

/// Texts that are recognised by a line other than the first. Each follows a line end, as in a container.
fn texts() -> Vec<(&'static str, Vec<u8>)> {
    let script = FTRACE.replace('\n', "\\n\\\n");
    vec![
        ("atrace", atrace()),
        ("atrace-text", format!("\nTRACE:\n{FTRACE}").into_bytes()),
        (
            "cgroup",
            b"\nCGROUP DUMP\n#subsys_name hierarchy num_cgroups enabled\ncpu 1 2 1\n".to_vec(),
        ),
        (
            "ps",
            format!("\nUSER PID TID CMD\nroot 100 101 app\n{FTRACE}").into_bytes(),
        ),
        ("script", script.into_bytes()),
    ]
}

fn tar_member(name: &str, content: &[u8]) -> Vec<u8> {
    let mut header = [0; 512];
    header[..name.len()].copy_from_slice(name.as_bytes());
    header[124..136].copy_from_slice(format!("{:011o}\0", content.len()).as_bytes());
    header[156] = b'0';
    header[257..265].copy_from_slice(b"ustar\x0000");
    header[148..156].fill(b' ');
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    let mut bytes = header.to_vec();
    bytes.extend(content);
    bytes.resize(bytes.len().next_multiple_of(512), 0);
    bytes
}

fn tar(first: &[u8]) -> Vec<u8> {
    let members = [tar_member("a", first), tar_member("b", FTRACE.as_bytes())];
    [members.concat(), vec![0; 1024]].concat()
}

fn stored_zip(first: &[u8]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in [("a", first), ("b", FTRACE.as_bytes())] {
        let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        writer.start_file(name, stored).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn stored_gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::none());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

fn stored_zlib(content: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::none());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

/// A frame with one raw block.
fn raw_zstd(content: &[u8]) -> Vec<u8> {
    let size = (content.len() as u32).to_le_bytes();
    let block = ((content.len() as u32) << 3 | 1).to_le_bytes();
    [
        &[0x28, 0xb5, 0x2f, 0xfd, 0xa0],
        &size[..],
        &block[..3],
        content,
    ]
    .concat()
}

#[test]
fn a_container_is_not_taken_for_the_text_inside_it() {
    for (name, text) in texts() {
        let packed = [
            ("tar", tar(&text)),
            ("zip", stored_zip(&text)),
            ("gzip", stored_gzip(&text)),
            ("zlib", stored_zlib(&text)),
            ("zstd", raw_zstd(&text)),
        ];
        for (container, bytes) in packed {
            let found = detect(&bytes).map(|format| format.id());
            assert_eq!(found, Some(container), "{name}");
        }
    }
}

#[test]
fn all_traces_behind_a_text_are_read() {
    for (name, text) in texts() {
        for archive in [tar(&text), stored_zip(&text)] {
            let trace = read_bytes(&archive, ReadOptions::default()).unwrap();
            assert_eq!(trace.sources.len(), 2, "{name}");
        }
    }
}

#[test]
fn what_is_stored_reads_as_what_it_was() {
    for (name, text) in texts() {
        let alone = read_bytes(&text, ReadOptions::default()).unwrap();
        for packed in [stored_gzip(&text), stored_zlib(&text), raw_zstd(&text)] {
            let trace = read_bytes(&packed, ReadOptions::default()).unwrap();
            assert_eq!(trace.slices.len(), alone.slices.len(), "{name}");
            let formats = |trace: &traceloom_trace::Trace| {
                trace.strings.get(trace.sources.format.get(0)).to_owned()
            };
            assert_eq!(formats(&trace), formats(&alone), "{name}");
            assert!(
                trace.repairs.rows().len() == alone.repairs.rows().len(),
                "{name}"
            );
        }
    }
}
