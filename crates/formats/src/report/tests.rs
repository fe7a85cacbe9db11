use traceloom_report::{META, write_trace};
use traceloom_trace::{RowId, SliceId, Trace, TraceBuilder};

use super::*;
use crate::capture::corpus_root;
use crate::error::ReadError;
use crate::format::Target;
use crate::read_bytes;
use crate::registry::{AnyReader, detect};

/// A page around a trace, with scripts similar to ours.
fn page(trace: &Trace) -> Vec<u8> {
    let mut page = format!(
        "<!doctype html>\n<html><head>{META}<title>&lt;script></title></head><body>\n\
         <script>var a = '<script class=\"traceloom-columns\">' + 1 < 2;</script>\n"
    )
    .into_bytes();
    write_trace(trace, 3, &mut page).unwrap();
    page.extend(
        b"<!-- BEGIN TRACE -->\n  <script class=\"trace-data\" type=\"application/text\">\n",
    );
    page.extend(
        b"# tracer: nop\n a-1 [000] ...1 1.0: tracing_mark_write: B|1|twice\n  </script>\n",
    );
    page.extend(b"<script type=\"module\">x</script></body></html>\n");
    page
}

fn sample() -> Trace {
    let text = b"# tracer: nop\n#\n a-1 [000] ...1 1.5: tracing_mark_write: B|1|draw\n \
        a-1 [000] ...1 1.6: tracing_mark_write: E|1\n bad line\n";
    let options = ReadOptions {
        name: "original".to_owned(),
        ..ReadOptions::default()
    };
    read_bytes(text, options).unwrap()
}

fn read_in(bytes: &[u8], chunk: usize) -> Result<Trace, ReadError> {
    let mut builder = TraceBuilder::new();
    let mut out = Target::Trace(&mut builder);
    let mut reader = AnyReader::new(ReadOptions::default());
    bytes
        .chunks(chunk)
        .try_for_each(|chunk| reader.feed(chunk, &mut out))?;
    reader.finish(&mut out)?;
    Ok(builder.finish())
}

#[test]
fn the_trace_comes_back_wherever_chunks_end() {
    let before = sample();
    let page = page(&before);
    assert_eq!(detect(&page).unwrap().id(), "report");
    for chunk in (1..90).chain([page.len()]) {
        let after = read_in(&page, chunk).unwrap();
        assert_eq!(
            after.slices.len(),
            1,
            "chunks of {chunk}: the text is not read again"
        );
        assert_eq!(after.slice_name(SliceId::from_row(0)), "draw");
        assert_eq!(after.bounds, before.bounds);
        assert_eq!(after.repairs.rows(), before.repairs.rows());
        let source = after.sources.row(0);
        assert_eq!(after.strings.get(source.name), "original");
        assert_eq!(after.strings.get(source.format), "ftrace");
    }
}

#[test]
fn a_report_in_a_container_opens() {
    use std::io::Write;
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(&page(&sample())).unwrap();
    let trace = read_in(&gzip.finish().unwrap(), 999).unwrap();
    assert_eq!(trace.slices.len(), 1);
}

#[test]
fn what_is_missing_is_said() {
    let page = page(&sample());
    let text = String::from_utf8(page.clone()).unwrap();
    let data = text.find("H4sI").unwrap();
    let cut = read_in(&page[..data + 40], 7).unwrap_err();
    assert!(matches!(cut, ReadError::Truncated { .. }), "{cut}");
    let none = read_in(&page[..data - 200], 7).unwrap_err();
    assert!(matches!(none, ReadError::NothingInside { .. }), "{none}");
    let broken = text.replacen("H4sI", "AAAA", 1);
    let broken = read_in(broken.as_bytes(), 7).unwrap_err();
    assert!(matches!(broken, ReadError::Compression { .. }), "{broken}");
    let no_head = format!(
        "{}{}",
        &text[..data - 150],
        &text[text[data..].find("</script").unwrap() + data..]
    );
    assert!(read_in(no_head.as_bytes(), 7).is_err());
}

#[test]
fn too_much_is_refused() {
    let options = ReadOptions {
        max_decompressed: 100,
        ..ReadOptions::default()
    };
    let error = read_bytes(&page(&sample()), options).unwrap_err();
    assert!(matches!(error, ReadError::TooBig { .. }), "{error}");
}

/// The columns of a very regular trace deflate to almost nothing. Our reader must not treat this as
/// a decompression bomb.
#[test]
fn a_very_regular_trace_comes_back() {
    let mut builder = TraceBuilder::new();
    let main = builder.thread(1);
    let track = builder.thread_track(main);
    let names = [builder.intern(b"tick"), builder.intern(b"tock")];
    for n in 0..1_200_000 {
        builder.instant(track, n / 1000, names[n as usize & 1], Default::default());
    }
    let trace = builder.finish();
    let again = read_in(&page(&trace), 1 << 20).unwrap();
    assert_eq!(again.slices.instants().count(), trace.slices.len());
}

/// Pages of systrace are not reports, and reports are not pages of systrace.
#[test]
fn pages_are_told_apart() {
    let Ok(pages) = std::fs::read_dir(corpus_root().join("systrace-html")) else {
        return eprintln!("skipped: no corpus");
    };
    let mut checked = 0;
    for file in pages.flatten() {
        let bytes = std::fs::read(file.path()).unwrap();
        assert_eq!(Report.sniff(&bytes), Confidence::No);
        checked += 1;
    }
    println!("{checked} real traces checked");
    let name = format!("# tracer: nop\n a-1 [000] ...1 1.0: tracing_mark_write: B|1|{META}\n");
    assert_eq!(detect(name.as_bytes()).unwrap().id(), "ftrace");
}
