//! Shared by the tests: a consumer that stores its input, chunked reading, and the corpus.

use std::path::PathBuf;

use traceloom_formats::{AnyReader, ReadError, ReadOptions, Reader, Target, read_method_events};
use traceloom_trace::{
    MethodEvent, MethodEvents, MethodIndex, MethodLine, MethodTraceStart, Place, RepairKind,
    ThreadIndex, Trace, TraceBuilder,
};

/// A method line with its own text.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Method {
    pub raw_id: u64,
    pub class: String,
    pub name: String,
    pub signature: String,
    pub file: String,
    pub line: i32,
}

/// The complete output of a reader.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Told {
    pub start: Option<MethodTraceStart>,
    pub threads: Vec<(u32, String)>,
    pub methods: Vec<Method>,
    pub events: Vec<MethodEvent>,
    pub repairs: Vec<(RepairKind, u64, Place)>,
    pub keys: Vec<(String, String)>,
    pub finished: bool,
}

fn put<T: Default>(list: &mut Vec<T>, index: u32, value: T) {
    let index = index as usize;
    assert!(index <= list.len(), "indices come in order");
    if index == list.len() {
        list.push(value);
    } else {
        list[index] = value;
    }
}

impl MethodEvents for Told {
    fn start(&mut self, start: &MethodTraceStart) {
        assert_eq!(self.start, None, "one start");
        self.start = Some(*start);
    }

    fn thread(&mut self, index: ThreadIndex, tid: u32, name: &str) {
        put(&mut self.threads, index.0, (tid, name.to_owned()));
    }

    fn method(&mut self, index: MethodIndex, line: &MethodLine<'_>) {
        let method = Method {
            raw_id: line.raw_id,
            class: line.class.to_owned(),
            name: line.name.to_owned(),
            signature: line.signature.to_owned(),
            file: line.file.to_owned(),
            line: line.line,
        };
        put(&mut self.methods, index.0, method);
    }

    fn events(&mut self, batch: &[MethodEvent]) {
        assert!(self.start.is_some(), "events follow the start");
        for event in batch {
            assert!(
                (event.thread.0 as usize) < self.threads.len(),
                "threads are announced"
            );
            assert!(
                (event.method().0 as usize) < self.methods.len(),
                "methods are announced"
            );
        }
        self.events.extend_from_slice(batch);
    }

    fn repair(&mut self, kind: RepairKind, count: u64, place: Place, _: String) {
        self.repairs.push((kind, count, place));
    }

    fn finish(&mut self, key_section: &[(String, String)]) {
        assert!(!self.finished, "one finish");
        self.finished = true;
        self.keys = key_section.to_vec();
    }
}

impl Told {
    /// How often a repair was counted.
    pub fn count(&self, kind: RepairKind) -> u64 {
        let of_kind = self.repairs.iter().filter(|repair| repair.0 == kind);
        of_kind.map(|repair| repair.1).sum()
    }

    /// The value of a key.
    pub fn key(&self, key: &str) -> Option<&str> {
        let found = self.keys.iter().find(|(name, _)| name == key);
        found.map(|(_, value)| value.as_str())
    }
}

/// Reads all of `bytes` at once.
pub fn read_events(bytes: &[u8]) -> Result<Told, ReadError> {
    let mut told = Told::default();
    read_method_events(bytes, ReadOptions::default(), &mut told)?;
    Ok(told)
}

/// Reads `bytes` in chunks that end at `cuts`.
pub fn read_events_cut(bytes: &[u8], cuts: &[usize]) -> Result<Told, ReadError> {
    let (mut told, mut at) = (Told::default(), 0);
    let format = traceloom_formats::detect(bytes).expect("a known format");
    let mut reader = format.reader(&ReadOptions::default()).expect("a reader");
    for cut in cuts.iter().copied().chain([bytes.len()]) {
        let cut = cut.clamp(at, bytes.len());
        reader.feed(&bytes[at..cut], &mut Target::Methods(&mut told))?;
        at = cut;
    }
    reader.finish(&mut Target::Methods(&mut told))?;
    Ok(told)
}

/// Reads `bytes` into tables, one byte at a time.
pub fn read_bytewise(bytes: &[u8]) -> Result<Trace, ReadError> {
    let mut builder = TraceBuilder::new();
    let mut reader = AnyReader::new(ReadOptions::default());
    for byte in bytes.chunks(1) {
        reader.feed(byte, &mut Target::Trace(&mut builder))?;
    }
    reader.finish(&mut Target::Trace(&mut builder))?;
    Ok(builder.finish())
}

/// The folder of real traces, if present.
pub fn corpus() -> Option<PathBuf> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/testdata");
    let folder = std::env::var_os("TRACELOOM_TESTDATA").unwrap_or_else(|| beside.into());
    let folder = PathBuf::from(folder);
    if folder.join("INDEX.tsv").is_file() {
        return Some(folder);
    }
    eprintln!("skipped: no corpus");
    None
}
