use traceloom_formats::{ReadOptions, read_bytes};
use traceloom_trace::{RowId, SliceId, Trace, TraceBuilder};

use serde_json::json;

use super::*;
use crate::join::join;

fn sample() -> Arc<Trace> {
    let text = b"# tracer: nop\n#\n a-1 [000] ...1 1.5: tracing_mark_write: B|1|</script><b>\n \
        a-1 [000] ...1 1.6: tracing_mark_write: E|1\n";
    Arc::new(read_bytes(text, ReadOptions::default()).unwrap())
}

fn report(trace: &Arc<Trace>, embed_source: bool) -> String {
    let options = ReportOptions {
        title: "</title><script>alert(1)</script> & \"x\"".to_owned(),
        embed_source,
        results: vec![json!({"title": "</script><b>", "rows": [["<!-- <script>"]]})],
        threads: 1,
    };
    let mut out = Vec::new();
    let page = Page::new(&Web::Embedded, REPORT).unwrap();
    write_with(&page, b"engine", trace, &options, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn a_report_holds_the_page_and_the_trace() {
    let page = report(&sample(), false);
    let place = |text: &str| page.find(text).unwrap_or_else(|| panic!("no {text}"));
    let order = [
        "<meta name=\"traceloom-report\"",
        "script-src 'sha256-",
        " 'wasm-unsafe-eval'; style-src 'sha256-",
        "<title>&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;x&quot;</title>",
        "id=\"traceloom-preview\"",
        "class=\"traceloom-result\">{\"rows\":[[\"\\u003c!-- \\u003cscript>\"]],\"title\":\"\\u003c/script>",
        "<script type=\"module\" async>",
        "function openSource() {",
        "id=\"traceloom-engine\">ZW5naW5l<",
        "data-name=\"head\"",
        "data-name=\"slices\"",
        "<template id=\"traceloom-end\">",
    ];
    assert!(order.map(place).is_sorted());
    assert!(!page.contains("</script><b>"), "names stay in the columns");
}

#[test]
fn a_report_opens_again_and_only_once() {
    let before = sample();
    for embed in [false, true] {
        let page = report(&before, embed);
        let after = read_bytes(page.as_bytes(), ReadOptions::default()).unwrap();
        assert_eq!(after.slices.len(), before.slices.len());
        assert_eq!(after.slice_name(SliceId::from_row(0)), "</script><b>");
    }
}

/// Tools that do not know reports find the text in the same place as in systrace's pages.
#[test]
fn the_source_stands_in_systraces_own_container() {
    let page = report(&sample(), true);
    assert!(page.starts_with("<!doctype html>"));
    let (_, data) = page.split_once("<!-- BEGIN TRACE -->\n").unwrap();
    let (data, _) = data.split_once("<!-- END TRACE -->").unwrap();
    let open = "  <script class=\"trace-data\" type=\"application/text\">\n";
    let text = data.strip_prefix(open).unwrap();
    assert!(text.starts_with("# tracer: nop\n"), "{text}");
    let as_systrace = page.replacen(META, "", 1);
    let trace = read_bytes(as_systrace.as_bytes(), ReadOptions::default()).unwrap();
    assert_eq!(trace.slices.len(), 1);
    assert_eq!(
        trace.strings.get(trace.sources.format.get(0)),
        "systrace-html"
    );
}

#[test]
fn a_trace_that_systrace_cannot_hold_says_so() {
    let options = ReportOptions {
        title: String::new(),
        embed_source: true,
        results: Vec::new(),
        threads: 1,
    };
    let empty = Arc::new(TraceBuilder::new().finish());
    let page = Page::new(&Web::Embedded, REPORT).unwrap();
    let error = write_with(&page, b"", &empty, &options, &mut Vec::new()).unwrap_err();
    assert!(matches!(error, ReportError::Source(_)), "{error}");
}

/// Every line of code is in the page as it is written, in the same order.
#[test]
fn the_script_is_readable_in_the_report() {
    let page = report(&sample(), false);
    let main = Web::Embedded.file("app/main.js").unwrap();
    let body = main.split("const store = ").nth(1).unwrap();
    let is_code = |line: &&str| {
        !["//", "/*", "*"]
            .iter()
            .any(|start| line.trim().starts_with(start))
    };
    let mut rest = &page[..];
    for line in body.lines().filter(is_code) {
        let found = rest.find(line);
        rest = &rest[found.unwrap_or_else(|| panic!("not in the page: {line}"))..];
    }
    let script = join(REPORT, &|name| Web::Embedded.file(&format!("{name}.js")));
    assert!(page.contains(&script.unwrap()));
}
