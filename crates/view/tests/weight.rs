//! What the page weighs: everybody who opens a report carries it.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use traceloom_view::PageParts;

/// Bytes of script, style and shell, gzipped, and of the packed engine. The goal is 150 KB for
/// all; these keep what is above it from growing.
const PAGE_BYTES: usize = 64 << 10;
const ENGINE_BYTES: usize = 204 << 10;

fn gzipped(text: &str) -> usize {
    let mut gz = GzEncoder::new(Vec::new(), Compression::best());
    gz.write_all(text.as_bytes()).unwrap();
    gz.finish().unwrap().len()
}

#[test]
fn the_page_is_light() {
    let parts = PageParts::new().unwrap();
    let [script, css, html] = [&parts.script, &parts.css, &parts.html].map(|text| gzipped(text));
    let engine = parts.engine().map_or(0, <[u8]>::len);
    println!("gzipped: script {script}, style {css}, shell {html}, engine {engine} bytes (packed)");
    assert!(
        script + css + html <= PAGE_BYTES,
        "{script} + {css} + {html}"
    );
    assert!(engine <= ENGINE_BYTES, "{engine}");
}
