//! Older, damaged and hostile pages.

use std::io::Write;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use traceloom_report::{DecodeError, Decoder, META, encode, is_report, write_trace};
use traceloom_trace::{Trace, TraceBuilder};

fn sample() -> Trace {
    let mut builder = TraceBuilder::new();
    let main = builder.thread(1);
    let track = builder.thread_track(main);
    let name = builder.intern(b"tick");
    for n in 0..1000 {
        builder.instant(track, n, name, Default::default());
    }
    builder.finish()
}

fn decode(page: &[u8], limit: u64) -> Result<Trace, DecodeError> {
    let mut decoder = Decoder::default();
    let mut total = 0;
    for chunk in page.chunks(777) {
        decoder.feed(chunk, |bytes| {
            total += bytes;
            // Any error is sufficient.
            if total > limit {
                Err(DecodeError::NoColumns)
            } else {
                Ok(())
            }
        })?;
    }
    decoder.finish()
}

fn gzip(bytes: &[u8]) -> String {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    gzip.write_all(bytes).unwrap();
    STANDARD.encode(gzip.finish().unwrap())
}

fn element(declared: &str, content: &str) -> String {
    format!(
        "<script type=\"application/octet-stream;base64\" class=\"traceloom-columns\" data-name=\"x\"{declared}>\
         {content}</script>\n"
    )
}

/// Earlier versions compressed the page itself, and padded regular blocks with line breaks.
#[test]
fn reports_of_earlier_versions_open() {
    let mut page = format!(
        "<!doctype html>\n<html><head>\n{META}\n<style>a{{}}</style></head><body>\n\
         <script type=\"application/octet-stream;base64\" id=\"traceloom-unpacker\">H4sIAAAA</script>\n\
         <script type=\"application/octet-stream;base64\" id=\"traceloom-page\">AAAA</script>\n\
         <script type=\"application/octet-stream;base64\" id=\"traceloom-engine\">AAAA</script>\n"
    );
    for block in encode(&sample()) {
        let declared = format!(" data-bytes=\"{}\"", block.bytes.len());
        page += &element(&declared, &(gzip(&block.bytes) + &"\n".repeat(5000)));
    }
    page += "<script type=\"module\">const a = 1 < 2;</script></body></html>\n";
    assert!(is_report(page.as_bytes()));
    let trace = decode(page.as_bytes(), u64::MAX).unwrap();
    assert_eq!(trace.slices.instants().count(), 1000);
}

#[test]
fn threads_do_not_change_the_page() {
    let pages = [1, 2, 64].map(|threads| {
        let mut page = Vec::new();
        write_trace(&sample(), threads, &mut page).unwrap();
        page
    });
    assert!(pages.iter().all(|page| *page == pages[0]));
}

/// A page that was cut between two blocks, and pages with one too few or too many.
#[test]
fn a_missing_block_is_noticed() {
    let mut page = Vec::new();
    write_trace(&sample(), 1, &mut page).unwrap();
    let page = String::from_utf8(page).unwrap();
    let lines: Vec<&str> = page.split_inclusive('\n').collect();
    let (end, blocks) = lines.split_last().unwrap();
    assert_eq!(blocks.len(), 2, "head and slices");
    assert!(decode(page.as_bytes(), u64::MAX).is_ok());
    let cut = decode(blocks[0].as_bytes(), u64::MAX).unwrap_err();
    assert!(matches!(cut, DecodeError::Truncated { .. }), "{cut}");
    let one = [blocks[0], end].concat();
    let one = decode(one.as_bytes(), u64::MAX).unwrap_err();
    assert!(matches!(one, DecodeError::Blocks { found: 1, .. }), "{one}");
    let hidden = page.replacen(
        "traceloom-columns\" data-name=\"slices",
        "x\" data-name=\"slices",
        1,
    );
    assert!(decode(hidden.as_bytes(), u64::MAX).is_err());
}

#[test]
fn a_block_has_the_length_that_it_declares() {
    let content = gzip(&[0; 1000]);
    for declared in [
        "",
        " data-bytes=\"\"",
        " data-bytes=\"-1\"",
        " data-bytes=\"999\"",
        " data-bytes=\"1001\"",
    ] {
        let error = decode(element(declared, &content).as_bytes(), u64::MAX).unwrap_err();
        assert!(
            matches!(error, DecodeError::Length { .. }),
            "{declared}: {error}"
        );
    }
    let error = decode(
        element(" data-bytes=\"1000\"", &content).as_bytes(),
        u64::MAX,
    )
    .unwrap_err();
    assert!(matches!(error, DecodeError::Columns(_)), "{error}");
}

/// A gigabyte of zeros: its length is rejected before it is unpacked, and a false length is
/// detected after the declared number of bytes.
#[test]
fn bombs_take_no_memory() {
    let bomb = {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
        let zeros = vec![0; 1 << 20];
        (0..1 << 10).for_each(|_| gzip.write_all(&zeros).unwrap());
        STANDARD.encode(gzip.finish().unwrap())
    };
    let honest = element(" data-bytes=\"1073741824\"", &bomb);
    assert!(decode(honest.as_bytes(), 1 << 20).is_err());
    let lie = element(" data-bytes=\"1000\"", &bomb);
    let error = decode(lie.as_bytes(), 1 << 20).unwrap_err();
    assert!(
        matches!(
            error,
            DecodeError::Length {
                expected: "more",
                ..
            }
        ),
        "{error}"
    );
}
