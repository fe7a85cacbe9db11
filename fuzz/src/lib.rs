//! The functions behind the fuzz targets. Any result is fine, except a panic, a hang or excessive memory use.

use std::ffi::OsString;
use std::sync::Arc;

use testkit::ElfImage;
use traceloom_analyze::{CallTree, CallTreeBuilder, TreeOptions};
use traceloom_formats::{
    AnyReader, EventRules, FORMATS, ReadError, ReadOptions, Reader, Target, WriteError,
    WriteOptions, read_bytes, read_method_events,
};
use traceloom_inapp::elf::{Image, Memory, Segment};
use traceloom_query::dialect::{
    Expanded, Fragment, Macros, Script, Source, StatementKind, tokenize,
};
use traceloom_report::{decode, encode};
use traceloom_trace::{Trace, TraceBuilder};
use traceloom_weave::class::ClassFile;
use traceloom_weave::{Call, MethodMap, Plan, Rules, Skip, weave_class};

/// Small, so that a decompression bomb is refused instead of being slow.
const MAX_DECOMPRESSED: u64 = 16 << 20;

fn options() -> ReadOptions {
    ReadOptions {
        max_decompressed: MAX_DECOMPRESSED,
        ..ReadOptions::default()
    }
}

/// Detects the format and reads the input, once in one chunk and once in many. Both must give the same result.
pub fn read(data: &[u8]) {
    let whole = read_bytes(data, options());
    let mut builder = TraceBuilder::new();
    let pieces = feed_pieces(&mut AnyReader::new(options()), data, &mut builder);
    match (whole, pieces) {
        (Ok(whole), Ok(())) => {
            let trace = builder.finish();
            assert_eq!(whole.slices.len(), trace.slices.len());
            assert_eq!(whole.bounds, trace.bounds);
            let tree = CallTree::from_trace(&trace, &TreeOptions::default());
            compare_with_events(&tree, data);
            write(&trace, data.len());
        }
        (Err(whole), Err(pieces)) => assert_eq!(whole.to_string(), pieces.to_string()),
        (whole, pieces) => panic!("in one chunk {:?}, in many {pieces:?}", whole.map(|_| ())),
    }
}

/// Reads the input as a given format, even if it does not look like it.
pub fn read_as(id: &str, data: &[u8]) {
    let format = FORMATS.iter().find(|format| format.id() == id);
    let format = format.unwrap_or_else(|| panic!("no format called {id}"));
    let mut reader = format.reader(&options()).expect("the format is read");
    let mut builder = TraceBuilder::new();
    if feed_pieces(reader.as_mut(), data, &mut builder).is_ok() {
        let trace = builder.finish();
        CallTree::from_trace(&trace, &TreeOptions::default());
        write(&trace, data.len());
    }
}

/// The call tree built directly from the events must count the same calls as the one built from the tables.
fn compare_with_events(of_tables: &CallTree, data: &[u8]) {
    let mut builder = CallTreeBuilder::default();
    match read_method_events(data, options(), &mut builder) {
        Ok(()) => {
            let of_events = builder.build().calls_of_threads();
            assert_eq!(of_tables.calls_of_threads(), of_events);
        }
        Err(ReadError::NoMethodEvents { .. }) => {}
        Err(error) => panic!("opens as tables, but not as events: {error}"),
    }
}

/// Writes the trace in one of the formats. The output must be detected as that format.
fn write(trace: &Trace, choice: usize) {
    let writers = FORMATS
        .iter()
        .filter_map(|format| Some((format, format.writer()?)));
    let writers: Vec<_> = writers.collect();
    let (format, writer) = writers[choice % writers.len()];
    let mut bytes = Vec::new();
    match writer.write(trace, &WriteOptions::default(), &mut bytes) {
        Err(WriteError::NothingToWrite { .. }) => {}
        Err(error) => panic!("{}: {error}", format.id()),
        Ok(_) => {
            if let Some(mut reader) = format.reader(&options()) {
                let mut builder = TraceBuilder::new();
                let result = reader.whole(&bytes, &mut Target::Trace(&mut builder));
                result.expect("what we wrote ourselves");
            }
        }
    }
}

fn feed_pieces(
    reader: &mut dyn Reader,
    data: &[u8],
    builder: &mut TraceBuilder,
) -> Result<(), traceloom_formats::ReadError> {
    // Sizes unrelated to the sizes of records, lines or blocks.
    let mut sizes = [1, 7, 61, 997].into_iter().cycle();
    let (mut rest, mut out) = (data, Target::Trace(builder));
    while !rest.is_empty() {
        let size = sizes.next().unwrap_or(1).min(rest.len());
        let (piece, after) = rest.split_at(size);
        reader.feed(piece, &mut out)?;
        rest = after;
    }
    reader.finish(&mut out)
}

/// Reads columns. If they are a trace, all of it must be accessible, and writing and reading it again must give the same.
pub fn read_columns(data: &[u8]) {
    let Ok(trace) = decode([data]) else {
        return;
    };
    let _cut = trace.cut(
        trace.bounds.0,
        trace.bounds.0.saturating_add(trace.duration_ns() / 2),
    );
    let blocks = encode(&trace);
    let again = decode(blocks.iter().map(|block| &block.bytes[..])).expect("our own columns");
    assert!(trace.slices.rows().eq(again.slices.rows()));
    assert!(trace.thread_states.rows().eq(again.thread_states.rows()));
    assert!(trace.threads.rows().eq(again.threads.rows()));
    assert_eq!(trace.bounds, again.bounds);
}

/// Three records of version 3 after the text from the fuzzer.
pub fn with_records(key_section: &[u8]) -> Vec<u8> {
    let mut bytes = key_section.to_vec();
    bytes.extend(b"SLOW\x03\0\x20\0");
    bytes.extend([0; 8]); // start
    bytes.extend([14, 0, 0, 0, 0, 0, 0, 0]); // record size
    bytes.extend([0; 8]);
    for (method, time) in [(4u32, 1u32), (8, 2), (9, 5)] {
        bytes.extend([1, 0]); // thread
        bytes.extend(method.to_le_bytes());
        bytes.extend(time.to_le_bytes());
        bytes.extend((time * 2).to_le_bytes());
    }
    bytes
}

const SHORT_TRACE: &[u8] = b"# tracer: nop\n#\n\
    a-10 [000] d..2 1.000001: sched_switch: prev_comm=a prev_pid=10 prev_prio=120 prev_state=S ==> next_comm=b next_pid=11 next_prio=120\n\
    b-11 [000] ...1 1.000002: tracing_mark_write: B|11|x\n\
    b-11 [000] ...1 1.000003: my_event: value=7 name=lamp state=on\n\
    b-11 [000] ...1 1.000004: tracing_mark_write: E|11\n";

/// Reads a short trace with the input as its process dump.
pub fn read_with_dump(data: &[u8]) {
    let options = ReadOptions {
        process_dump: Some(Arc::new(data.to_vec())),
        ..options()
    };
    let _trace_or_error = read_bytes(SHORT_TRACE, options);
}

/// Reads a short trace with the input as the rules for its events.
pub fn read_with_rules(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let Ok(rules) = EventRules::parse(text) else {
        return;
    };
    let options = ReadOptions {
        rules: Arc::new(rules),
        ..options()
    };
    read_bytes(SHORT_TRACE, options).expect("rules cannot break a good trace");
}

/// Runs dmtracedump on the input as a file. The first byte selects the kind of output, which libFuzzer discards
/// (`-close_fd_mask`, set by `cargo xtask fuzz`).
pub fn dmtracedump(data: &[u8]) {
    let Some((&choice, data)) = data.split_first() else {
        return;
    };
    let path = std::env::temp_dir().join(format!("traceloom-fuzz-{}", std::process::id()));
    std::fs::write(&path, data).expect("a temporary file can be written");
    let file = path.clone().into_os_string();
    let args: Vec<OsString> = match choice % 4 {
        0 => vec![file],
        1 => vec!["-h".into(), file],
        2 => vec!["-o".into(), file],
        _ => vec!["-d".into(), file.clone(), file],
    };
    let args = std::iter::once("dmtracedump".into()).chain(args);
    let _exit_code = traceloom_dmtracedump::main(args);
}

/// Reads a class file. If it is valid, writing it must give the same bytes, and weaving it must give a valid class file.
pub fn read_class(data: &[u8]) {
    let Ok(class) = ClassFile::read(data) else {
        return;
    };
    assert_eq!(class.write(), data);
    let mut rules = Rules::default();
    rules.include.annotations = vec!["**".to_owned()];
    rules.skip = Skip {
        accessors: true,
        ..Skip::default()
    };
    let _choices_or_error = rules.choose(data, &Call::recorder());
    for call in [Call::section(), Call::trace_tag(), Call::recorder()] {
        let plan = |number: usize| Plan::Weave {
            id: number as u32 * 1000,
            text: number.to_string(),
        };
        let woven = weave_class(data, &call, plan).expect("it was read before");
        if let Some(bytes) = woven.bytes {
            let again = ClassFile::read(&bytes).expect("our own class file");
            assert_eq!(again.methods.len(), class.methods.len());
            assert_eq!(again.write(), bytes);
        }
    }
}

/// Reads a method map and rules. Writing a map and reading it again must give the same.
pub fn read_method_map(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let _rules_or_error = Rules::default().add_text(text);
    if let Ok(map) = MethodMap::parse(text) {
        let again = MethodMap::parse(&map.to_text()).expect("our own map");
        assert_eq!(again.methods.len(), map.methods.len());
    }
}

/// Reads a library in memory, given as headers and bytes. Everything found must be inside the library.
pub fn read_elf(data: &[u8]) {
    let Some(library) = ElfImage::from_bytes(data) else {
        return;
    };
    let header = |&(kind, address, size): &(u32, usize, usize)| Segment {
        kind,
        address,
        size,
    };
    let headers: Vec<_> = library.headers.iter().map(header).collect();
    let Some(image) = Image::new(Loaded(&library.memory), BASE, &headers) else {
        return;
    };
    let walked = image.each_import(|import| {
        let word = size_of::<usize>();
        assert!(image.contains(import.slot, word) && import.slot.is_multiple_of(word));
        if let Some(symbol) = image.symbol(import.symbol) {
            image.is_named(symbol, b"write");
        }
    });
    assert!(walked.broken <= walked.relocations + 5);
    image.definition(b"atrace_enabled_tags");
    image.is_called(b"libcutils.so");
}

/// Address at which the library is loaded.
const BASE: usize = 0x7000_0000;

struct Loaded<'a>(&'a [u8]);

impl Memory for Loaded<'_> {
    fn read(&self, address: usize, into: &mut [u8]) -> bool {
        let begin = address.wrapping_sub(BASE);
        let range = begin.checked_add(into.len()).map(|end| begin..end);
        let found = range.and_then(|range| self.0.get(range));
        found.inspect(|bytes| into.copy_from_slice(bytes)).is_some()
    }
}

/// Reads a PerfettoSQL script, runs its macro definitions and expands its other statements. The tokens must cover the
/// text, and expanded SQL must not contain macro calls.
pub fn query_dialect(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let source = Source::new("fuzz", text);
    if let Ok(tokens) = tokenize(&source) {
        let joined: String = tokens.iter().map(|token| token.text(text)).collect();
        assert_eq!(joined, text);
    }
    let mut macros = Macros::default();
    for statement in Script::parse_source(&source).unwrap_or_default() {
        if let StatementKind::CreateMacro(definition) = &statement.kind {
            let _ = macros.define(definition);
        } else if let Ok(expanded) = macros.expand(&statement.sql) {
            check_expanded(&expanded);
        }
    }
}

fn check_expanded(expanded: &Expanded) {
    let whole = Fragment::whole(&Source::new("expanded", expanded.sql()));
    let again = Macros::default().expand(&whole).expect("no calls are left");
    assert_eq!(again.sql(), expanded.sql());
    let _ = expanded.map().locate(expanded.sql().len() / 2).to_string();
}
