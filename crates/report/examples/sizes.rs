//! Prints the sizes of a trace's columns: `cargo run --release -p traceloom-report --example sizes
//! -- FILE…`. For each file: its size, the size of its deflated text, and the size of each block.
//! `calls:1000000` and `text:30000000` are generated: this many calls, or bytes of a system trace.

use std::io::Write;
use std::time::Instant;

use flate2::Compression;
use flate2::write::DeflateEncoder;
use testkit::{CallShape, call_trace, ftrace_text};
use traceloom_formats::{ReadOptions, read_bytes};
use traceloom_report::{decode, encode};

fn deflated(bytes: &[u8]) -> usize {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::new(9));
    encoder.write_all(bytes).expect("memory takes it");
    encoder.finish().expect("memory takes it").len()
}

fn main() {
    for path in std::env::args().skip(1) {
        let bytes = match path.split_once(':') {
            Some(("calls", count)) => {
                let calls = count.parse().expect("a number");
                call_trace(CallShape::Random, calls, 300, 1)
            }
            Some(("text", size)) => ftrace_text(size.parse().expect("a number"), 3),
            _ => std::fs::read(&path).expect("readable"),
        };
        let Ok(trace) = read_bytes(&bytes, ReadOptions::default()) else {
            println!("{path}: not a trace");
            continue;
        };
        let start = Instant::now();
        let blocks = encode(&trace);
        let encoded = start.elapsed();
        let start = Instant::now();
        decode(blocks.iter().map(|block| &block.bytes[..])).expect("decodes");
        let decoded = start.elapsed();
        let sizes: Vec<_> = blocks
            .iter()
            .map(|block| (block.name, block.bytes.len(), deflated(&block.bytes)))
            .collect();
        let total: usize = sizes.iter().map(|(_, _, packed)| packed).sum();
        println!(
            "{path}: {} bytes, deflated {}; {} slices, {} states: columns {total} {sizes:?}, encoded in {encoded:?}, decoded in {decoded:?}",
            bytes.len(),
            deflated(&bytes),
            trace.slices.len(),
            trace.thread_states.len(),
        );
    }
}
