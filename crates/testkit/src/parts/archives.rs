//! Containers with many entries.

use std::io::{Cursor, Write};

use super::kind::Kind;
use crate::samples::gzip;

pub(super) const KINDS: &[Kind] = &[
    ("zip of ftrace texts", zip_of_texts),
    ("zip of texts with one thread each", zip_of_threads),
    ("zip of texts on a far CPU", zip_of_far_cpus),
    ("zip of files that are no traces", zip_of_others),
    ("zip of .key and .data pairs", zip_of_pairs),
    ("zip of gzip files", zip_of_gzip),
    ("zip whose end is missing", torn_zip),
    ("gzip members", gzip_members),
    ("zstd frames", zstd_frames),
];

const LINE: &str = " app-7 (7) [000] .... 1.000001: tracing_mark_write: C|7|n|1\n";

fn zip(count: usize, entry: impl Fn(usize) -> (String, Vec<u8>)) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options =
        zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for number in 0..count {
        let (name, bytes) = entry(number);
        zip.start_file(name, options).expect("memory takes it");
        zip.write_all(&bytes).expect("memory takes it");
    }
    zip.finish().expect("memory takes it").into_inner()
}

fn zip_of_texts(count: usize) -> Vec<u8> {
    zip(count, |nth| (format!("{nth}.ftrace"), LINE.into()))
}

fn zip_of_threads(count: usize) -> Vec<u8> {
    zip(count, |nth| {
        let line = format!(
            " a-{tid} [000] d..3 1.000001: sched_switch: prev_comm=a prev_pid={tid} prev_prio=120 prev_state=S ==> \
             next_comm=b next_pid=9 next_prio=120\n",
            tid = nth + 10
        );
        (format!("{nth}.ftrace"), line.into())
    })
}

fn zip_of_far_cpus(count: usize) -> Vec<u8> {
    zip(count, |nth| {
        let line = " app-7 [65535] d..3 1.000001: sched_switch: prev_comm=app prev_pid=7 prev_prio=120 \
                    prev_state=S ==> next_comm=b next_pid=9 next_prio=120\n";
        (format!("{nth}.ftrace"), line.into())
    })
}

fn zip_of_others(count: usize) -> Vec<u8> {
    let trace = ("trace.ftrace".to_owned(), LINE.into());
    zip(count, |nth| match nth {
        0 => trace.clone(),
        _ => (format!("{nth}.png"), b"\x89PNG".to_vec()),
    })
}

fn zip_of_pairs(count: usize) -> Vec<u8> {
    let key =
        b"*version\n1\nclock=global\n*threads\n1\tmain\n*methods\n0x4\ta.B\tc\t()V\tB.java\n*end\n";
    let mut data = b"SLOW\x01\0\x20\0".to_vec();
    data.resize(32, 0);
    data.extend([1, 4, 0, 0, 0, 1, 0, 0, 0]);
    zip(count, |nth| match nth % 2 {
        0 => (format!("{}.key", nth / 2), key.to_vec()),
        _ => (format!("{}.data", nth / 2), data.clone()),
    })
}

fn zip_of_gzip(count: usize) -> Vec<u8> {
    let packed = gzip(LINE.as_bytes());
    zip(count, |nth| (format!("{nth}.gz"), packed.clone()))
}

fn torn_zip(count: usize) -> Vec<u8> {
    let mut bytes = zip_of_texts(count);
    let list = (0..bytes.len())
        .rev()
        .find(|at| bytes[*at..].starts_with(b"PK\x03\x04"));
    // Up to and including the last entry.
    bytes.truncate(list.unwrap_or(0) + 30 + LINE.len() + 8);
    bytes
}

fn gzip_members(count: usize) -> Vec<u8> {
    gzip(LINE.as_bytes()).repeat(count)
}

fn zstd_frames(count: usize) -> Vec<u8> {
    let mut frame = vec![0x28, 0xB5, 0x2F, 0xFD, 0x20, LINE.len() as u8];
    let header = (LINE.len() as u32) << 3 | 1; // raw, last
    frame.extend(&header.to_le_bytes()[..3]);
    frame.extend(LINE.as_bytes());
    frame.repeat(count)
}
