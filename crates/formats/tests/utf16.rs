//! Texts in UTF-16, as PowerShell's `>` writes them.

mod common;

use common::{fingerprint, open, open_in_chunks};
use testkit::{SampleKind, samples};
use traceloom_formats::{AnyReader, ReadOptions, Reader, Target, detect};
use traceloom_trace::{RepairKind, Trace, TraceBuilder};

/// A text in each form of UTF-16: both orders, with and without a byte order mark.
fn forms(text: &str) -> Vec<Vec<u8>> {
    let little = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big = |text: &str| text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let marked = format!("\u{feff}{text}");
    vec![little(text), big(text), little(&marked), big(&marked)]
}

/// The contents of a trace, without the size of the source, which differs by design.
fn content(trace: &Trace) -> String {
    let whole = fingerprint(trace);
    let lines = whole.lines().filter(|line| !line.contains("SourceRow"));
    lines.collect::<Vec<_>>().join("\n")
}

/// Every trace in text form opens in every form of UTF-16 with the same contents, whatever the
/// chunks.
#[test]
fn every_text_opens_in_every_form() {
    let kinds = [
        SampleKind::Ftrace,
        SampleKind::Page,
        SampleKind::ProcessDump,
        SampleKind::Power,
        SampleKind::Strace,
        SampleKind::Json,
    ];
    let texts = samples()
        .into_iter()
        .filter(|sample| kinds.contains(&sample.kind));
    let mut checked = 0;
    for sample in texts {
        let text = String::from_utf8(sample.bytes).unwrap();
        let plain = open(text.as_bytes(), ReadOptions::default());
        for (nth, form) in forms(&text).into_iter().enumerate() {
            assert_eq!(
                detect(&form).unwrap().id(),
                "utf-16",
                "{} {nth}",
                sample.name
            );
            let trace = open(&form, ReadOptions::default());
            assert_eq!(content(&trace), content(&plain), "{} {nth}", sample.name);
            let pieces = open_in_chunks(&form, nth as u64, 50);
            assert_eq!(
                fingerprint(&pieces),
                fingerprint(&trace),
                "{} {nth}",
                sample.name
            );
        }
        checked += 1;
    }
    assert!(checked >= 5, "{checked}");
}

/// The output of `adb shell ps -AT > ps.txt` in PowerShell.
#[test]
fn a_process_dump_beside_a_trace_may_be_in_utf_16() {
    let trace = " app-8 [000] .... 1.000001: tracing_mark_write: B|7|x\n app-8 [000] .... 1.000002: cpu_idle: state=1 cpu_id=0\n";
    for dump in forms("USER PID TID CMD\r\nu0_a1 7 9 Worker\r\n") {
        let options = ReadOptions {
            process_dump: Some(std::sync::Arc::new(dump)),
            ..ReadOptions::default()
        };
        let trace = open(trace.as_bytes(), options);
        assert!(trace.threads.tid.iter().any(|tid| tid == 9));
        assert_eq!(trace.repairs.count(RepairKind::UnparsedLine), 0);
    }
}

#[test]
fn any_cut_ends_well() {
    for form in forms("# tracer: nop\r\n a-1 [000] .... 1.000001: cpu_idle: state=1 cpu_id=0\r\n") {
        for length in 0..form.len() {
            let mut builder = TraceBuilder::new();
            let mut out = Target::Trace(&mut builder);
            let mut reader = AnyReader::new(ReadOptions::default());
            let _ = reader
                .feed(&form[..length], &mut out)
                .and_then(|()| reader.finish(&mut out));
        }
    }
}
