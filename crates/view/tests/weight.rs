//! What the page weighs: everybody who opens a report carries it.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use traceloom_view::PageParts;

/// Bytes of all that a report has besides the trace.
const MOST: usize = 150_000;

fn gzipped(text: &str) -> usize {
    let mut gz = GzEncoder::new(Vec::new(), Compression::best());
    gz.write_all(text.as_bytes()).unwrap();
    gz.finish().unwrap().len()
}

#[test]
fn the_page_is_light() {
    let parts = PageParts::new().unwrap();
    let plain = [&parts.html, &parts.first_css, &parts.start].map(|text| gzipped(text));
    let packed = match parts.packed() {
        Ok(packed) => packed.map(<[u8]>::len),
        Err(error) => return println!("skipped: {error}"),
    };
    let [shell, style, start] = plain;
    let [unpacker, page, engine] = packed;
    println!(
        "engine {engine} bytes packed, page {page} packed, unpacker {unpacker} gzipped; start {start}, its style {style}, shell {shell} gzipped"
    );
    let all = plain.iter().chain(&packed).sum::<usize>();
    println!("{all} bytes in all");
    assert!(all <= MOST, "{all}");
}
