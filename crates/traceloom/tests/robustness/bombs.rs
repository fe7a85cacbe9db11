//! Small inputs that unpack to a gigabyte.

use std::io::Write;

use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};

const UNPACKED: usize = 1 << 30;
const PIECE: usize = 1 << 20;

/// A bomb of each kind.
pub fn bombs() -> Vec<(&'static str, Vec<u8>)> {
    let gzip = gzip(b"# tracer: nop\n");
    vec![
        ("gzip bomb", gzip.clone()),
        ("gzip bomb in gzip", gzip_of(&gzip)),
        ("atrace -z bomb", atrace_z()),
        ("zip bomb", zip()),
        ("zip bomb of many entries", zip_of_many()),
        ("zstd bomb", zstd()),
    ]
}

/// A text that begins like a trace and continues with spaces.
fn fill(out: &mut dyn Write, head: &[u8], bytes: usize) {
    out.write_all(head).unwrap();
    let spaces = vec![b' '; PIECE];
    for _ in 0..bytes / PIECE {
        out.write_all(&spaces).unwrap();
    }
}

fn gzip(head: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    fill(&mut encoder, head, UNPACKED);
    encoder.finish().unwrap()
}

fn gzip_of(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn atrace_z() -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(b"TRACE:\n".to_vec(), Compression::fast());
    fill(&mut encoder, b"# tracer: nop\n", UNPACKED);
    encoder.finish().unwrap()
}

fn zip() -> Vec<u8> {
    zip_with(1, UNPACKED)
}

/// Each entry is harmless, but all of them together are not.
fn zip_of_many() -> Vec<u8> {
    zip_with(32, UNPACKED / 32)
}

fn zip_with(entries: usize, bytes: usize) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default().compression_level(Some(1));
    for entry in 0..entries {
        zip.start_file(format!("{entry}.ftrace"), options).unwrap();
        fill(&mut zip, b"# tracer: nop\n", bytes);
    }
    zip.finish().unwrap().into_inner()
}

/// A frame of blocks. Each block repeats one byte 128 K times.
fn zstd() -> Vec<u8> {
    const BLOCK: u32 = 128 << 10;
    let mut out = vec![0x28, 0xB5, 0x2F, 0xFD];
    out.extend([0x00, 0x38]); // no size given; a window of 128 KB
    let head = b"# tracer: nop\n";
    out.extend(&((head.len() as u32) << 3).to_le_bytes()[..3]); // a raw block
    out.extend(head);
    let blocks = UNPACKED as u32 / BLOCK;
    for block in 1..=blocks {
        let last = u32::from(block == blocks);
        out.extend(&(BLOCK << 3 | 1 << 1 | last).to_le_bytes()[..3]); // a repeated byte
        out.push(b' ');
    }
    out
}
