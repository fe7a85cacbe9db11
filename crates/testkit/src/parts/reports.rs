//! Reports with many blocks, tables, columns and rows.

use super::kind::{Kind, joined};
use crate::report::{
    DELTA, I64, PLAIN, TEXT, U8, U32, column_block, each, element, page_of, report_columns, same,
    table, texts, varints,
};

pub(super) const KINDS: &[Kind] = &[
    ("blocks of a report", blocks),
    ("tables of a report", |count| {
        one_block(|out| (0..count).for_each(|nth| unknown(out, nth)))
    }),
    ("columns of a report's table", columns),
    ("sources of a report", sources),
    ("threads of a report", threads),
    ("repairs of a report", repairs),
    ("clocks of a report", clocks),
    ("scripts of a report", |count| {
        let scripts = joined(count, |nth| {
            format!("<script>let a{nth} = 1 < 2;</script>\n")
        });
        page_of(&[element(&report_columns()), scripts.into_bytes()].concat())
    }),
];

/// A table that no program knows, with one row.
fn unknown(out: &mut Vec<u8>, nth: usize) {
    table(
        out,
        &format!("zebra{nth}"),
        1,
        &[("stripes", U32, 0, PLAIN, same(7))],
    );
}

/// The smallest trace, followed by `more`.
fn one_block(more: impl Fn(&mut Vec<u8>)) -> Vec<u8> {
    let mut block = report_columns();
    more(&mut block);
    page_of(&element(&block))
}

fn blocks(count: usize) -> Vec<u8> {
    let mut elements = element(&report_columns());
    for nth in 0..count {
        let mut block = column_block();
        unknown(&mut block, nth);
        elements.extend(element(&block));
    }
    page_of(&elements)
}

fn columns(count: usize) -> Vec<u8> {
    let names: Vec<String> = (0..count).map(|nth| format!("stripe{nth}")).collect();
    let columns: Vec<_> = names
        .iter()
        .map(|name| (name.as_str(), U32, 0, PLAIN, same(7)))
        .collect();
    one_block(|out| table(out, "lion", 1, &columns))
}

/// A trace of these strings, followed by `more`.
fn with_strings(strings: &[String], more: impl Fn(&mut Vec<u8>)) -> Vec<u8> {
    let mut out = column_block();
    let strings: Vec<&str> = strings.iter().map(String::as_str).collect();
    let text = [("text", TEXT, 0, PLAIN, texts(&strings))];
    table(&mut out, "strings", strings.len() as u64, &text);
    more(&mut out);
    page_of(&element(&out))
}

/// The numbers `0..count`, as differences.
fn counted(count: usize) -> Vec<u8> {
    let steps = std::iter::repeat_n(2, count.saturating_sub(1));
    let steps: Vec<u64> = std::iter::once(0).chain(steps).collect();
    [varints(&[0]), each(&steps)].concat()
}

fn numbers(from: usize, count: usize) -> Vec<u8> {
    let numbers: Vec<u64> = (from..from + count).map(|number| number as u64).collect();
    each(&numbers)
}

/// Sources, each with its own name and thread.
fn sources(count: usize) -> Vec<u8> {
    let names: Vec<String> = (0..count).map(|nth| format!("f{nth}.ftrace")).collect();
    with_strings(&names, |out| {
        let rows = count as u64;
        let source = [
            ("name", U32, 0, PLAIN, numbers(1, count)),
            ("format", U32, 0, PLAIN, same(1)),
        ];
        table(out, "sources", rows, &source);
        let thread = [
            ("tid", I64, 0, PLAIN, same(22)),
            ("name", U32, 0, PLAIN, same(1)),
            ("source", U32, 0, PLAIN, numbers(0, count)),
        ];
        table(out, "threads", rows, &thread);
    })
}

/// Threads, each with its own name, process, track and slice.
fn threads(count: usize) -> Vec<u8> {
    let names: Vec<String> = (0..count).map(|nth| format!("thread {nth}")).collect();
    with_strings(&names, |out| {
        let rows = count as u64;
        let source = [
            ("name", U32, 0, PLAIN, same(1)),
            ("format", U32, 0, PLAIN, same(1)),
        ];
        table(out, "sources", 1, &source);
        let process = [
            ("pid", I64, 0, DELTA, counted(count)),
            ("source", U32, 0, PLAIN, same(0)),
        ];
        table(out, "processes", rows, &process);
        let thread = [
            ("tid", I64, 0, DELTA, counted(count)),
            ("name", U32, 0, PLAIN, numbers(1, count)),
            ("upid", U32, 0, PLAIN, numbers(0, count)),
            ("source", U32, 0, PLAIN, same(0)),
        ];
        table(out, "threads", rows, &thread);
        let track = [
            ("kind", U8, 0, PLAIN, same(0)),
            ("utid", U32, 0, PLAIN, numbers(0, count)),
            ("source", U32, 0, PLAIN, same(0)),
        ];
        table(out, "tracks", rows, &track);
        let slice = [
            ("ts", I64, 0, DELTA, counted(count)),
            ("track_id", U32, 0, PLAIN, numbers(0, count)),
            ("depth", U32, 0, PLAIN, same(0)),
            ("name", U32, 0, PLAIN, numbers(1, count)),
        ];
        table(out, "slices", rows, &slice);
    })
}

fn repairs(count: usize) -> Vec<u8> {
    let details: Vec<String> = (0..count).map(|nth| format!("thread {nth}")).collect();
    let details: Vec<&str> = details.iter().map(String::as_str).collect();
    let kinds = vec!["bad_field"; count];
    one_block(|out| {
        let columns = [
            ("source", U32, 0, PLAIN, same(0)),
            ("kind", TEXT, 0, PLAIN, texts(&kinds)),
            ("detail", TEXT, 0, PLAIN, texts(&details)),
        ];
        table(out, "repairs", count as u64, &columns);
    })
}

fn clocks(count: usize) -> Vec<u8> {
    let names: Vec<String> = (0..count).map(|nth| format!("clock {nth}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let kinds = vec!["monotonic"; count];
    one_block(|out| {
        let columns = [
            ("source", U32, 0, PLAIN, same(0)),
            ("clock", TEXT, 0, PLAIN, texts(&kinds)),
            ("ts", I64, 0, PLAIN, numbers(1, count)),
            ("value_ns", I64, 0, PLAIN, numbers(5, count)),
            ("name", TEXT, 0, PLAIN, texts(&names)),
        ];
        table(out, "clocks", count as u64, &columns);
    })
}
