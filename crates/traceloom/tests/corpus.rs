//! Every real trace of the corpus, and what traceloom finds in it: the table in
//! docs/real-traces.md. `cargo xtask corpus` writes it; this test checks that it is up to date.

use std::collections::BTreeSet;
use std::fmt::Write;

use testkit::{Corpus, CorpusFile, READ_CATEGORIES, workspace_root};
use traceloom_formats::{ReadOptions, SNIFF_BYTES, detect, read_bytes};
use traceloom_trace::Trace;

/// If this variable is set, the table is written instead of compared.
const WRITE: &str = "TRACELOOM_WRITE_TABLE";

const INTRODUCTION: &str = "\
# Real traces

What traceloom finds in each file of a corpus of real traces, which test suites, bug reports and sample projects left
in public. The files are not in this repository; `cargo xtask corpus` makes the table where they are, and a test holds
the table against them. A dash is a table without rows. Repairs are counted by kind; [trace-model.md](trace-model.md) explains them.
";

const COLUMNS: &str = "\
| file | KB | read as | processes | threads | slices | sched slices | counter values | instants | other events | repairs |
|---|--:|---|--:|--:|--:|--:|--:|--:|--:|---|
";

#[test]
fn the_table_of_real_traces_is_up_to_date() {
    let Some(corpus) = Corpus::find() else {
        return;
    };
    let files = corpus.files(READ_CATEGORIES);
    let table = document(&corpus);
    let path = workspace_root().join("docs/real-traces.md");
    if std::env::var_os(WRITE).is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, table).unwrap();
        return;
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    for (line, (now, then)) in table.lines().zip(committed.lines()).enumerate() {
        assert_eq!(now, then, "line {}: run `cargo xtask corpus`", line + 1);
    }
    assert_eq!(table.len(), committed.len(), "run `cargo xtask corpus`");
    println!("{} real traces checked", files.len());
}

fn document(corpus: &Corpus) -> String {
    let mut out = INTRODUCTION.to_owned();
    for category in READ_CATEGORIES {
        let files = corpus.files(&[category]);
        write!(out, "\n## {category} ({})\n\n{COLUMNS}", files.len()).unwrap();
        for file in &files {
            out += &row(file);
        }
    }
    out
}

fn row(file: &CorpusFile) -> String {
    let bytes = file.read();
    let name = file.path.file_name().unwrap().to_string_lossy();
    let kilobytes = bytes.len().div_ceil(1000);
    let container = detect(&bytes[..bytes.len().min(SNIFF_BYTES)]);
    match read_bytes(&bytes, ReadOptions::default()) {
        Ok(trace) => {
            let formats = formats(container.map_or("", |format| format.id()), &trace);
            let cells = [formats, counts(&trace), repairs(&trace)].join(" | ");
            format!("| {name} | {kilobytes} | {cells} |\n")
        }
        Err(error) => {
            let reason = error.to_string().replace('|', "\\|");
            format!("| {name} | {kilobytes} | refused: {reason} | | | | | | | | |\n")
        }
    }
}

/// The container, if there is one, and the format of its contents.
fn formats(outermost: &str, trace: &Trace) -> String {
    let inside = trace
        .sources
        .format
        .iter()
        .map(|format| trace.strings.get(format));
    let mut names: BTreeSet<_> = inside.collect();
    names.remove(outermost);
    names.remove("");
    let names: Vec<_> = names.into_iter().collect();
    if names.is_empty() {
        outermost.to_owned()
    } else {
        format!("{outermost}: {}", names.join(", "))
    }
}

fn counts(trace: &Trace) -> String {
    let counts = [
        trace.real_processes().count(),
        trace.real_threads().count(),
        trace.slices.span_count(),
        trace.sched_slices.len(),
        trace.counters.len(),
        trace.slices.instants().count(),
        trace.ftrace_events.len(),
    ];
    counts.map(dash_for_none).join(" | ")
}

fn dash_for_none(count: usize) -> String {
    match count {
        0 => "–".to_owned(),
        count => count.to_string(),
    }
}

fn repairs(trace: &Trace) -> String {
    let rows = trace.repairs.rows();
    let kinds: BTreeSet<_> = rows.iter().map(|row| row.kind).collect();
    let count = |kind| format!("{} {}", trace.repairs.count(kind), kind.name());
    kinds.into_iter().map(count).collect::<Vec<_>>().join(", ")
}
