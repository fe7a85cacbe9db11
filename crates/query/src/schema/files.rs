//! The files of the trace, as Perfetto lists them: a single file, or an archive and its contents.

use traceloom_trace::{ArgValue, FILES_TABLE, StringId, Trace};

/// A file.
#[derive(Debug)]
pub(super) struct TraceFile {
    /// Its name in the archive; NULL for the input itself.
    pub name: StringId,
    pub bytes: i64,
    pub trace_type: StringId,
    pub order: i64,
    pub is_container: bool,
    pub archive: Option<i64>,
}

/// Perfetto's names of formats that have another name here.
const TYPES: &[(&str, &str)] = &[
    ("perfetto", "proto"),
    ("chrome-json", "json"),
    ("ftrace", "systrace"),
    ("atrace", "systrace"),
    ("systrace-html", "systrace"),
    ("systrace-js", "systrace"),
    ("art-method", "art_method"),
    ("collapsed", "collapsed_stack"),
    ("firefox", "gecko"),
    ("perf-data", "perf"),
    ("perf-script", "perf_text"),
    ("simpleperf-proto", "simpleperf_proto"),
];

/// The files of a trace. Without an archive, each input is a file.
pub(super) fn files(trace: &Trace, intern: &mut impl FnMut(&str) -> StringId) -> Vec<TraceFile> {
    let listed = listed(trace, intern);
    if !listed.is_empty() {
        return listed;
    }
    let sources = trace.sources.rows().enumerate();
    let sources = sources.filter(|(_, source)| source.machine == 0);
    let file = |(row, source): (usize, traceloom_trace::SourceRow)| TraceFile {
        name: StringId::NULL,
        bytes: source.bytes as i64,
        trace_type: intern(trace_type(trace.strings.get(source.format))),
        order: row as i64,
        is_container: false,
        archive: None,
    };
    sources.map(file).collect()
}

fn trace_type(format: &str) -> &str {
    let known = TYPES.iter().find(|(own, _)| *own == format);
    known.map_or(format, |(_, perfetto)| perfetto)
}

/// The files of archives. The files after an archive are inside it.
fn listed(trace: &Trace, intern: &mut impl FnMut(&str) -> StringId) -> Vec<TraceFile> {
    let Some(table) = trace.strings.lookup(FILES_TABLE) else {
        return Vec::new();
    };
    let keys = ["name", "size", "format", "processing_order"];
    let [name, size, format, order] = keys.map(|key| trace.strings.lookup(key));
    let cell = |row, key: Option<StringId>| trace.records.cell(row, key?);
    let text = |row, key| match cell(row, key) {
        Some(ArgValue::Text(text)) => Some(text),
        _ => None,
    };
    let number = |row, key| match cell(row, key) {
        Some(ArgValue::Int(number)) => number,
        _ => 0,
    };
    let tables = trace.records.rows().table.iter().enumerate();
    let rows = tables.filter(|(_, of)| *of == table).map(|(row, _)| row);
    let mut archive = None;
    let file = |(at, row): (usize, usize)| {
        let name = text(row, name);
        if name.is_none() {
            archive = Some(at as i64);
        }
        let format = text(row, format).map_or("", |format| trace.strings.get(format));
        TraceFile {
            name: name.unwrap_or(StringId::NULL),
            bytes: number(row, size),
            trace_type: intern(trace_type(format)),
            order: number(row, order),
            is_container: name.is_none(),
            archive: archive.filter(|_| name.is_some()),
        }
    };
    rows.enumerate().map(file).collect()
}
