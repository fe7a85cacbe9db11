//! An assembler for reports, column by column, from the description in crates/report.

use std::io::Write;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;

pub(crate) const I64: u8 = 1;
pub(crate) const U32: u8 = 4;
pub(crate) const U8: u8 = 6;
pub(crate) const TEXT: u8 = 9;

/// The transforms of a column's numbers.
pub(crate) const PLAIN: u8 = 0;
pub(crate) const DELTA: u8 = 1;
const NEST: u8 = 6;
const PARENT: u8 = 7;

/// A block of columns with two threads, and slices within slices.
pub fn report_columns() -> Vec<u8> {
    let mut out = column_block();
    table(
        &mut out,
        "trace",
        1,
        &[
            ("first_ts", I64, 0, PLAIN, same(1_000_000)),
            ("last_ts", I64, 0, PLAIN, same(9_000_000)),
        ],
    );
    table(
        &mut out,
        "strings",
        6,
        &[(
            "text",
            TEXT,
            0,
            PLAIN,
            texts(&["made", "ftrace", "main", "draw", "layout", "stripes"]),
        )],
    );
    table(
        &mut out,
        "sources",
        1,
        &[
            ("name", U32, 0, PLAIN, same(1)),
            ("format", U32, 0, PLAIN, same(2)),
        ],
    );
    table(
        &mut out,
        "threads",
        2,
        &[
            (
                "tid",
                I64,
                0,
                DELTA,
                [varints(&[22]), each(&[0, 1])].concat(),
            ), // 11, 12
            ("name", U32, 0, PLAIN, each(&[3, 5])),
            ("source", U32, 0, PLAIN, same(0)),
        ],
    );
    table(
        &mut out,
        "tracks",
        2,
        &[
            ("kind", U8, 0, PLAIN, same(0)),
            ("utid", U32, 0, PLAIN, each(&[0, 1])),
            ("source", U32, 0, PLAIN, same(0)),
        ],
    );
    table(
        &mut out,
        "slices",
        4,
        &[
            (
                "ts",
                I64,
                0,
                DELTA,
                [varints(&[2_000_000]), each(&[0, 1_000_000, 0, 2_000_000])].concat(),
            ),
            ("track_id", U32, 0, PLAIN, each(&[0, 0, 1, 0])),
            ("depth", U32, 2, PLAIN, each(&[0, 1, 1, 0])),
            ("parent_id", U32, 2, PARENT, same(0)),
            // The last slice never ended, so there is one gap, at row 3 in the order of tracks.
            (
                "dur",
                I64,
                2,
                NEST,
                [varints(&[1, 3]), each(&[500_000, 700_000, 900_000, 0])].concat(),
            ),
            ("name", U32, 2, PLAIN, each(&[4, 5, 4, 5])),
            ("hair", 42, 0, 99, vec![1, 2, 3]), // an unknown column of a newer version
        ],
    );
    table(&mut out, "zebra", 3, &[("stripes", 42, 0, 99, vec![7])]);
    out
}

/// The columns in a page.
pub(crate) fn report() -> Vec<u8> {
    page(&report_columns(), Compression::default())
}

/// An uncompressed report of about `bytes` bytes with as many slices as readers accept. Most columns are derived from
/// others and take no room; zeros fill the minimum size that readers require for this number of rows.
pub fn dense_report(bytes: usize) -> Vec<u8> {
    let rows = bytes * 3 / 4 / 9;
    let mut out = column_block();
    table(
        &mut out,
        "strings",
        1,
        &[("text", TEXT, 0, PLAIN, texts(&["x"]))],
    );
    table(
        &mut out,
        "trace",
        1,
        &[
            ("first_ts", I64, 0, PLAIN, same(0)),
            ("last_ts", I64, 0, PLAIN, same(rows as u64 * 2)),
        ],
    );
    table(&mut out, "threads", 1, &[("tid", I64, 0, PLAIN, same(1))]);
    table(
        &mut out,
        "tracks",
        1,
        &[
            ("kind", U8, 0, PLAIN, same(0)),
            ("utid", U32, 0, PLAIN, same(0)),
        ],
    );
    let ts: Vec<u64> = (0..rows as u64).map(|row| 1 + (row & 1)).collect();
    let nested = || [varints(&[0]), same(1)].concat();
    table(
        &mut out,
        "slices",
        rows as u64,
        &[
            ("ts", I64, 0, DELTA, [varints(&[0]), each(&ts)].concat()),
            ("track_id", U32, 0, PLAIN, same(0)),
            ("depth", U32, 2, PLAIN, each(&ts)),
            ("parent_id", U32, 2, PARENT, same(0)),
            ("dur", I64, 2, NEST, nested()),
            ("thread_ts", I64, 2, NEST, nested()),
            ("thread_dur", I64, 2, NEST, nested()),
            ("name", U32, 0, PLAIN, same(1)),
            ("padding", 0, 0, PLAIN, vec![0; rows * 7]),
        ],
    );
    page(&out, Compression::none())
}

/// A block of columns without tables.
pub(crate) fn column_block() -> Vec<u8> {
    let mut out = b"tlco".to_vec();
    varint(&mut out, 1); // version
    out
}

fn page(columns: &[u8], compression: Compression) -> Vec<u8> {
    page_of(&compressed_element(columns, compression))
}

/// The element of a page that holds a block of columns.
pub(crate) fn element(columns: &[u8]) -> Vec<u8> {
    compressed_element(columns, Compression::default())
}

fn compressed_element(columns: &[u8], compression: Compression) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), compression);
    gzip.write_all(columns).expect("writing to memory");
    let text = STANDARD.encode(gzip.finish().expect("writing to memory"));
    format!(
        "<script type=\"application/octet-stream;base64\" class=\"traceloom-columns\" data-name=\"head\" \
         data-bytes=\"{}\">{text}</script>\n",
        columns.len()
    )
    .into_bytes()
}

/// The page of a report with these elements.
pub(crate) fn page_of(elements: &[u8]) -> Vec<u8> {
    const HEAD: &str = "<!doctype html>\n<html><head><meta name=\"traceloom-report\" content=\"1\"><title>made</title></head>\n<body>\n\
         <script type=\"application/octet-stream;base64\" id=\"traceloom-engine\">AAAA</script>\n";
    const TAIL: &str = "<script type=\"module\">let a = 1 < 2;</script>\n</body></html>\n";
    [HEAD.as_bytes(), elements, TAIL.as_bytes()].concat()
}

pub(crate) type Column<'a> = (&'a str, u8, u8, u8, Vec<u8>);

/// Writes a table: name, rows, number of columns; name, type, key, transform and size of each column; then their bytes.
pub(crate) fn table(out: &mut Vec<u8>, name: &str, rows: u64, columns: &[Column<'_>]) {
    let text = |out: &mut Vec<u8>, text: &str| {
        varint(out, text.len() as u64);
        out.extend(text.bytes());
    };
    text(out, name);
    varint(out, rows);
    varint(out, columns.len() as u64);
    for (name, ty, key, transform, bytes) in columns {
        text(out, name);
        out.extend([*ty, *key, *transform]);
        varint(out, bytes.len() as u64);
    }
    columns.iter().for_each(|column| out.extend(&column.4));
}

/// The same number for all rows.
pub(crate) fn same(number: u64) -> Vec<u8> {
    [vec![0], varints(&[number])].concat()
}

/// One number per row.
pub(crate) fn each(numbers: &[u64]) -> Vec<u8> {
    [vec![1], varints(numbers)].concat()
}

pub(crate) fn texts(texts: &[&str]) -> Vec<u8> {
    let lengths: Vec<_> = texts.iter().map(|text| text.len() as u64).collect();
    [each(&lengths), texts.concat().into_bytes()].concat()
}

pub(crate) fn varints(numbers: &[u64]) -> Vec<u8> {
    let mut out = Vec::new();
    numbers.iter().for_each(|&number| varint(&mut out, number));
    out
}

fn varint(out: &mut Vec<u8>, mut number: u64) {
    while number > 0x7f {
        out.push(number as u8 & 0x7f | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}
