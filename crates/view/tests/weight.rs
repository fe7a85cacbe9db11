//! What the page weighs: everybody who opens a report carries it.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use traceloom_view::PageParts;

/// Bytes of all that a report has besides the trace: shell, first style and start gzipped, style
/// with script and engine packed. The goal is 150 KB; this keeps what is above it from growing.
const PAGE_BYTES: usize = 54 << 10;
const ENGINE_BYTES: usize = 140 << 10;

fn gzipped(text: &str) -> usize {
    let mut gz = GzEncoder::new(Vec::new(), Compression::best());
    gz.write_all(text.as_bytes()).unwrap();
    gz.finish().unwrap().len()
}

#[test]
fn the_page_is_light() {
    let parts = PageParts::new().unwrap();
    let [start, css, html] =
        [&parts.start, &parts.first_css, &parts.html].map(|text| gzipped(text));
    let page = parts.packed().len();
    let engine = parts.engine().map_or(0, <[u8]>::len);
    println!(
        "style and script {page} bytes packed, engine {engine} packed; start {start}, first style {css}, shell {html} gzipped"
    );
    assert!(
        page + start + css + html <= PAGE_BYTES,
        "{page} + {start} + {css} + {html}"
    );
    assert!(engine <= ENGINE_BYTES, "{engine}");
}
