use std::error::Error;

use traceloom_formats::{ReadOptions, read_bytes};
use traceloom_trace::{RowId, SliceId, Trace, TraceBuilder};

use super::*;

/// A page with a script, as the real one has.
struct Scripted;

impl ReportShell for Scripted {
    fn document(&self, head: &str, data: &str) -> Result<String, Box<dyn Error + Send + Sync>> {
        Ok(format!(
            "<!doctype html>\n<html><head>{head}{TITLE}<style>a{{}}</style></head><body>{data}\
             <script type=\"module\">start()</script></body></html>"
        ))
    }

    fn style_and_script(&self) -> (String, String) {
        ("'sha256-style='".to_owned(), "'sha256-script='".to_owned())
    }

    fn engine_packed(&self) -> Result<&[u8], Box<dyn Error + Send + Sync>> {
        Ok(b"engine")
    }
}

fn sample() -> Trace {
    let text = b"# tracer: nop\n#\n a-1 [000] ...1 1.5: tracing_mark_write: B|1|</script><b>\n \
        a-1 [000] ...1 1.6: tracing_mark_write: E|1\n";
    read_bytes(text, ReadOptions::default()).unwrap()
}

fn report(trace: &Trace, embed_source: bool, shell: &dyn ReportShell) -> String {
    let options = ReportOptions {
        title: "</title><script>alert(1)</script> & \"x\"".to_owned(),
        embed_source,
        threads: 1,
    };
    let mut out = Vec::new();
    write_report(trace, &options, shell, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn a_report_holds_the_page_and_the_trace() {
    let page = report(&sample(), false, &Scripted);
    let place = |text: &str| page.find(text).unwrap_or_else(|| panic!("no {text}"));
    let order = [
        "<meta name=\"traceloom-report\"",
        "script-src 'sha256-script=' 'wasm-unsafe-eval'; style-src 'sha256-style='",
        "<title>&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;x&quot;</title>",
        "id=\"traceloom-engine\">ZW5naW5l<",
        "data-name=\"head\"",
        "data-name=\"slices\"",
        "start()",
    ];
    assert!(order.map(place).is_sorted());
    assert!(!page.contains("</script><b>"), "names stay in the columns");
}

#[test]
fn a_report_opens_again_and_only_once() {
    let before = sample();
    let shells: [&dyn ReportShell; 2] = [&Scripted, &PlainShell];
    for (shell, embed) in [(shells[0], false), (shells[0], true), (shells[1], true)] {
        let page = report(&before, embed, shell);
        let after = read_bytes(page.as_bytes(), ReadOptions::default()).unwrap();
        assert_eq!(after.slices.len(), before.slices.len());
        assert_eq!(after.slice_name(SliceId::from_row(0)), "</script><b>");
    }
}

/// What knows nothing of reports finds the text where systrace has it.
#[test]
fn the_source_stands_in_systraces_own_container() {
    let page = report(&sample(), true, &Scripted);
    assert!(page.starts_with("<!doctype html>"));
    let (_, data) = page.split_once("<!-- BEGIN TRACE -->\n").unwrap();
    let (data, _) = data.split_once("<!-- END TRACE -->").unwrap();
    let open = "  <script class=\"trace-data\" type=\"application/text\">\n";
    let text = data.strip_prefix(open).unwrap();
    assert!(text.starts_with("# tracer: nop\n"), "{text}");
    let as_systrace = page.replacen(traceloom_formats::REPORT_META, "", 1);
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
        threads: 1,
    };
    let empty = TraceBuilder::new().finish();
    let error = write_report(&empty, &options, &PlainShell, &mut Vec::new()).unwrap_err();
    assert!(matches!(error, ReportError::Source(_)), "{error}");
}
