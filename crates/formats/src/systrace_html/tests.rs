use std::io::Write;

use traceloom_trace::RepairKind;

use crate::capture::{capture, captured, corpus};
use crate::error::ReadError;
use crate::format::ReadOptions;

/// Code as in the viewer: escaped copies of the tags, and the word that begins old data.
const VIEWER: &str = r#"<!DOCTYPE html>
<html><head><script>var a = '<script class="trace-data" type="application/text">';
if (/^  var linuxPerfData = "\\$/.test(x) && i<linuxPerfData) f('<\/script>');
r.advanceToLineMatching(/^  <script class="trace-data" type="application\/text">$/)
</script></head><body>
"#;

fn page(blocks: &[&str]) -> String {
    let mut page = format!("{VIEWER}<!-- BEGIN TRACE -->\n");
    for block in blocks {
        page += "  <script class=\"trace-data\" type=\"application/text\">\n";
        page += block;
        page += "  </script>\n";
    }
    page + "<!-- END TRACE -->\n</body>\n</html>\n"
}

fn trimmed(inputs: &[Vec<u8>]) -> Vec<String> {
    let text = |bytes: &Vec<u8>| String::from_utf8_lossy(bytes).trim_end().to_owned();
    inputs.iter().map(text).collect()
}

#[test]
fn blocks_are_found_wherever_chunks_end() {
    let page = page(&[
        "PROCESS DUMP\n<init> 1\n",
        "# tracer: nop\n <idle>-0 </s>\n",
        "?json",
    ]);
    for chunk in (1..40).chain([page.len()]) {
        let (inputs, trace) = capture(page.as_bytes(), chunk, ReadOptions::default()).unwrap();
        let expected = ["PROCESS DUMP\n<init> 1", "# tracer: nop\n <idle>-0 </s>"];
        assert_eq!(trimmed(&inputs), expected, "chunks of {chunk}");
        assert_eq!(trace.sources.len(), 1);
        assert_eq!(trace.repairs.count(RepairKind::SkippedEntry), 1);
    }
}

#[test]
fn the_literal_is_found_wherever_chunks_end() {
    let page = format!(
        "{VIEWER}<script>\n  'use strict';\n  var linuxPerfData = \"\\\n# tracer\\n\\\n  x\\n\";\n  \
         </script>\n</body>"
    );
    for chunk in (1..40).chain([page.len()]) {
        let (inputs, _) = capture(page.as_bytes(), chunk, ReadOptions::default()).unwrap();
        assert_eq!(inputs, [b"# tracer\n  x\n"], "chunks of {chunk}");
    }
}

#[test]
fn trace2html_is_unpacked() {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(b"# tracer: nop\nsome text\n").unwrap();
    let packed = base64(&gzip.finish().unwrap());
    let page = format!(
        "{VIEWER}<script id=\"viewer-data\" type=\"text/plain\">\n{packed}\n</script></body>"
    );
    for chunk in [1, 5, page.len()] {
        let (inputs, _) = capture(page.as_bytes(), chunk, ReadOptions::default()).unwrap();
        assert_eq!(inputs, [b"# tracer: nop\nsome text\n"]);
    }
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let group = |group: &[u8]| {
        let bits = (0..3).fold(0u32, |bits, n| {
            bits << 8 | u32::from(group.get(n).copied().unwrap_or(0))
        });
        (0..4)
            .map(|n| {
                if n <= group.len() {
                    LETTERS[(bits >> (18 - 6 * n) & 63) as usize] as char
                } else {
                    '='
                }
            })
            .collect::<String>()
    };
    bytes.chunks(3).map(group).collect()
}

#[test]
fn a_cut_page_keeps_what_came() {
    let page = page(&["# tracer: nop\nline one\nline two\n"]);
    let cut = page.find("two").unwrap();
    let (inputs, trace) = captured(&page.as_bytes()[..cut]);
    assert_eq!(trimmed(&inputs), ["# tracer: nop\nline one\nline"]);
    assert_eq!(trace.repairs.count(RepairKind::TornRecord), 1);
}

#[test]
fn a_page_without_a_trace_says_so() {
    for page in [VIEWER.to_owned(), page(&["?json"]), page(&[""])] {
        let error = capture(page.as_bytes(), 100, ReadOptions::default()).unwrap_err();
        assert!(matches!(error, ReadError::NothingInside { .. }), "{error}");
    }
}

#[test]
fn a_script_that_never_ends_is_no_hang() {
    let page = format!("<html>{}", "<script ".repeat(200_000));
    let error = capture(page.as_bytes(), 1 << 20, ReadOptions::default()).unwrap_err();
    assert!(matches!(error, ReadError::NothingInside { .. }), "{error}");
}

/// For each page: its name, the number of trace blocks, and the number of lines in the longest block.
#[test]
fn real_pages_give_their_text() {
    let pages = [
        ("systrace-html/catapult__android_systrace.html", 1, 31_483),
        ("systrace-html/catapult__counter_tracks.html", 1, 1_615),
        ("systrace-html/catapult__trivial_systrace.html", 1, 8),
        ("systrace-html/performance_tool__mytrace.html", 1, 6_759),
        (
            "systrace-html/performance_tool__python_mytrace.html",
            1,
            5_664,
        ),
        ("systrace-html/performance_tool__trace.html", 1, 17_259),
        ("systrace-html/performance_tool__trace_old.html", 1, 8_284),
        ("systrace-html/trappy__trace_legacy_systrace.html", 1, 26),
        ("systrace-html/trappy__trace_surfaceflinger.html", 2, 2_517),
        ("systrace-html/trappy__trace_systrace.html", 1, 22),
        ("ftrace-text/catapult__android_systrace.txt", 1, 95),
    ];
    let mut checked = 0;
    for (path, blocks, lines) in pages {
        let Some(bytes) = corpus(path) else { return };
        let (inputs, _) = captured(&bytes);
        let text = String::from_utf8_lossy(&inputs[0]);
        let counted = text.trim_end().lines().count();
        assert!(text.starts_with("# tracer: nop\n#\n"), "{path}");
        assert!(!text.contains("\\n") && !text.contains("script"), "{path}");
        assert_eq!((inputs.len(), counted), (blocks, lines), "{path}");
        let pieces = capture(&bytes, 4093, ReadOptions::default()).unwrap().0;
        assert!(pieces == inputs, "{path}");
        checked += 1;
    }
    println!("{checked} real traces checked");
}
