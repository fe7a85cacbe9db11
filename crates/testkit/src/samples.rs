//! Small inputs of every kind: seeds for fuzzing, and inputs for truncation tests.

use std::io::Write;

use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};

use crate::Proto;
use crate::calls::{CallShape, call_trace};
use crate::method_trace::{Clock, MethodTraceBytes};
use crate::sample_texts::{
    BATTOR, CHROME_JSON, CPU_PROFILE, FIREFOX, MEMORY_DUMP, PROCESS_DUMP, RULES, STRACE,
};
use crate::trace_dat::{DatCompression, Machine, tiny_dat};

/// The kind of a sample.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SampleKind {
    /// A method trace.
    Method,
    /// ftrace text.
    Ftrace,
    /// A systrace page.
    Page,
    /// A report.
    Report,
    /// An `atrace -z` stream.
    AtraceZ,
    /// zip, gzip, zstd.
    Container,
    /// A process dump.
    ProcessDump,
    /// Measurements of a power meter.
    Power,
    /// A log of strace.
    Strace,
    /// A `trace.dat`.
    TraceDat,
    /// A `perf.data`.
    PerfData,
    /// A ring file.
    Ring,
    /// Chrome's trace events.
    Json,
    /// A profile in JSON.
    JsonProfile,
    /// A rules file.
    Rules,
    /// A Perfetto trace.
    Perfetto,
}

/// A small, valid input of a few KB.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Name for messages.
    pub name: &'static str,
    /// Kind of the sample.
    pub kind: SampleKind,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// One or a few samples of each kind.
pub fn samples() -> Vec<Sample> {
    use SampleKind::*;
    let method = method_traces()
        .into_iter()
        .map(|(name, bytes)| (name, Method, bytes));
    let others = [
        ("ftrace text", Ftrace, system_trace()),
        ("systrace page", Page, page(&system_trace())),
        ("report", Report, crate::report::report()),
        ("atrace -z", AtraceZ, atrace_z()),
        ("gzip", Container, gzip(&system_trace())),
        ("zip", Container, zip()),
        ("zstd", Container, zstd(&streaming())),
        ("process dump", ProcessDump, PROCESS_DUMP.into()),
        ("memory dump", ProcessDump, MEMORY_DUMP.into()),
        ("BattOr", Power, BATTOR.into()),
        ("strace", Strace, STRACE.into()),
        ("Chrome JSON", Json, CHROME_JSON.into()),
        ("systrace JSON", Json, systrace_json()),
        ("Firefox profile", JsonProfile, FIREFOX.into()),
        ("V8 profile", JsonProfile, CPU_PROFILE.into()),
        ("rules", Rules, RULES.into()),
        ("Perfetto trace", Perfetto, perfetto()),
        ("perf.data", PerfData, crate::tiny_perf_data().to_bytes()),
        (
            "perf.data, stream",
            PerfData,
            crate::tiny_perf_data().to_stream(),
        ),
        (
            "perf.data, tracepoints",
            PerfData,
            crate::tiny_perf_tracepoints().to_bytes(),
        ),
        ("ring file", Ring, crate::ring_file::tiny_ring().to_bytes()),
        (
            "trace.dat v6",
            TraceDat,
            dat(6, Machine::USUAL, DatCompression::None),
        ),
        (
            "trace.dat v6, 32 bits, big endian",
            TraceDat,
            dat(6, OLD, DatCompression::None),
        ),
        (
            "trace.dat v7",
            TraceDat,
            dat(7, Machine::USUAL, DatCompression::None),
        ),
        (
            "trace.dat v7, zlib",
            TraceDat,
            dat(7, Machine::USUAL, DatCompression::Zlib),
        ),
        (
            "trace.dat v7, zstd",
            TraceDat,
            dat(7, OLD, DatCompression::Zstd),
        ),
    ];
    let all = method.chain(others);
    all.map(|(name, kind, bytes)| Sample { name, kind, bytes })
        .collect()
}

/// An unusual machine: big endian, 32 bits.
const OLD: Machine = Machine {
    big_endian: true,
    long_bytes: 4,
};

fn dat(version: u8, machine: Machine, compression: DatCompression) -> Vec<u8> {
    tiny_dat(version, machine, compression).to_bytes()
}

/// The first records of the app trace in every version, random calls, and a stream.
fn method_traces() -> Vec<(&'static str, Vec<u8>)> {
    let app = crate::app_trace();
    let version = |version, clock| {
        let trace = MethodTraceBytes {
            version,
            clock,
            records: app.records[..60].to_vec(),
            methods: app.methods[..12].to_vec(),
            ..app.clone()
        };
        trace.to_bytes()
    };
    vec![
        ("method trace v1", version(1, Clock::Global)),
        ("method trace v2, wall", version(2, Clock::Wall)),
        ("method trace v2, thread-cpu", version(2, Clock::ThreadCpu)),
        ("method trace v3", version(3, Clock::Dual)),
        (
            "method trace, random calls",
            call_trace(CallShape::Random, 150, 8, 1),
        ),
        ("method trace, streaming", streaming()),
    ]
}

/// A streamed trace (0xF3): declarations are between the records, marked by thread number 0.
fn streaming() -> Vec<u8> {
    let mut out = b"SLOW\xF3\0\x20\0".to_vec();
    out.extend([0; 8]); // start
    out.extend([14, 0, 0, 0, 0, 0, 0, 0]); // record size
    out.extend([0; 8]);
    let method = b"0x4\ta.B\tc\t()V\tB.java\n";
    out.extend([0, 0, 1, method.len() as u8, 0]); // a method
    out.extend(method);
    out.extend([0, 0, 2, 7, 0, 4, 0]); // thread 7, its name's length
    out.extend(b"main");
    for (action, time) in [(0u32, 10u32), (1, 25)] {
        out.extend([7, 0]);
        out.extend((4 | action).to_le_bytes());
        out.extend(time.to_le_bytes());
        out.extend((time * 2).to_le_bytes());
    }
    let summary = b"*version\n3\nclock=dual\n*threads\n7\tmain\n*methods\n*end\n";
    out.extend([0, 0, 3]);
    out.extend((summary.len() as u32).to_le_bytes());
    out.extend(summary);
    out
}

fn page(trace: &[u8]) -> Vec<u8> {
    const OPEN: &str = "<script class=\"trace-data\" type=\"application/text\">\n";
    let dump = format!("{OPEN}{PROCESS_DUMP}</script>\n");
    let text = String::from_utf8_lossy(trace);
    let old = "<script>\n  var linuxPerfData = \"\\\n# tracer: nop\\n\\\n a-1 [000] ...1 1.0: 0: B|1|x\\n\\\n\";\n</script>";
    format!(
        "<!DOCTYPE html>\n<html><body>\n<!-- BEGIN TRACE -->\n{dump}{OPEN}{text}</script>\n\
         {old}\n<!-- END TRACE -->\n</body></html>\n"
    )
    .into_bytes()
}

fn system_trace() -> Vec<u8> {
    crate::ftrace_text(3_000, 1)
}

/// Decompresses gzip.
///
/// # Panics
/// If the bytes are not valid gzip.
pub fn gunzip(bytes: &[u8]) -> Vec<u8> {
    let mut unpacked = Vec::new();
    let mut decoder = flate2::read::GzDecoder::new(bytes);
    std::io::Read::read_to_end(&mut decoder, &mut unpacked).expect("gzip");
    unpacked
}

/// Compresses with gzip.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).expect("writing to memory");
    encoder.finish().expect("writing to memory")
}

fn zip() -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in [("a.ftrace", system_trace()), ("b.trace", streaming())] {
        let options = zip::write::SimpleFileOptions::default();
        zip.start_file(name, options).expect("writing to memory");
        zip.write_all(&bytes).expect("writing to memory");
    }
    zip.finish().expect("writing to memory").into_inner()
}

fn atrace_z() -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(b"TRACE:\n".to_vec(), Compression::default());
    encoder
        .write_all(&system_trace())
        .expect("writing to memory");
    encoder.finish().expect("writing to memory")
}

/// A frame with one uncompressed block.
fn zstd(bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![0x28, 0xB5, 0x2F, 0xFD];
    out.extend([0x20, bytes.len() as u8]); // one segment, its size in a byte
    let header = (bytes.len() as u32) << 3 | 1; // raw, last
    out.extend(&header.to_le_bytes()[..3]);
    out.extend(bytes);
    out
}

/// The output of `systrace -j` with all its agents.
fn systrace_json() -> Vec<u8> {
    let text = |text: &str| format!("\"{}\"", text.escape_default());
    let system = String::from_utf8_lossy(&system_trace()).into_owned();
    let controller = r#"{"traceEvents":[{"ph":"c","name":"clock_sync","ts":7,"args":{"sync_id":"sync-1","issue_ts":5}}]}"#;
    let walt = "# tracer: \n# clock_type=LINUX_CLOCK_MONOTONIC\n\
        WALTThread-1234 (42) [000] ...1 70.000004: tracing_mark_write: B|42|tap|description=x|WALT\n\
        WALTThread-1234 (42) [000] ...1 70.000006: tracing_mark_write: E|42|tap||WALT\n";
    let members = [
        ("androidProcessDump", PROCESS_DUMP),
        ("systemTraceEvents", &system),
        ("atraceProcessDump", MEMORY_DUMP),
        ("powerTraceAsString", BATTOR),
        ("waltTrace", walt),
        ("systraceController", controller),
    ];
    let members = members.map(|(key, value)| format!(",\"{key}\":{}", text(value)));
    let json = format!("{{\"traceEvents\":[]{}}}", members.concat());
    json.into_bytes()
}

/// A Perfetto trace: a clock snapshot, a process tree, kernel events in both forms, and track events.
pub fn perfetto() -> Vec<u8> {
    let clock = |id, time| Proto::new().uint(1, id).uint(2, time);
    let snapshot = Proto::new()
        .message(1, clock(6, 5_000))
        .message(1, clock(3, 1_000));
    let process = Proto::new().int(1, 7).text(3, "com.example").int(5, 10_001);
    let thread = Proto::new().int(1, 8).text(2, "RenderThread").int(3, 7);
    let tree = Proto::new().message(1, process).message(2, thread);
    let print = Proto::new().text(2, "B|7|draw\n");
    let end = Proto::new().text(2, "E|7\n");
    let event = |ts, tid, content| Proto::new().uint(1, ts).uint(2, tid).message(3, content);
    let switch = |ts, from: (&str, i64), to: (&str, i64)| {
        let fields = Proto::new()
            .text(1, from.0)
            .int(2, from.1)
            .int(3, 120)
            .int(4, 1);
        let fields = fields.text(5, to.0).int(6, to.1).int(7, 120);
        Proto::new()
            .uint(1, ts)
            .uint(2, from.1 as u64)
            .message(4, fields)
    };
    let compact = Proto::new()
        .text(5, "example")
        .text(5, "swapper")
        .packed(1, &[9_000, 100, 200])
        .packed(2, &[0, 1, 1])
        .packed(3, &[7, 0, 7])
        .packed(4, &[120, 120, 120])
        .packed(6, &[0, 1, 0]);
    let bundle = Proto::new()
        .uint(1, 1)
        .message(2, switch(6_000, ("swapper", 0), ("example", 7)))
        .message(2, event(6_100, 7, print))
        .message(2, event(6_900, 7, end))
        .message(4, compact);
    let track = Proto::new()
        .uint(1, 77)
        .message(4, Proto::new().int(1, 7).int(2, 8).text(5, "RenderThread"));
    let note = Proto::new().text(10, "frame").int(4, 3);
    let begin = Proto::new()
        .uint(9, 1)
        .uint(11, 77)
        .uint(10, 1)
        .message(4, note);
    let end = Proto::new().uint(9, 2).uint(11, 77);
    let instant = Proto::new()
        .uint(9, 3)
        .uint(11, 77)
        .text(23, "vsync")
        .fixed(47, 5);
    let names = Proto::new().message(2, Proto::new().uint(1, 1).text(2, "render"));
    let packet = |ts| Proto::new().uint(8, ts).uint(10, 2);
    let packets = [
        Proto::new().uint(10, 1).message(6, snapshot),
        Proto::new().uint(8, 5_500).uint(10, 1).message(2, tree),
        Proto::new().uint(10, 1).message(1, bundle),
        packet(5_000).uint(13, 1).message(60, track),
        packet(7_000)
            .uint(13, 2)
            .message(12, names)
            .message(11, begin),
        packet(3_100).uint(58, 3).message(11, instant),
        packet(8_000).message(11, end),
    ];
    let trace = packets
        .into_iter()
        .fold(Proto::new(), |trace, packet| trace.message(1, packet));
    trace.bytes().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_small() {
        for sample in samples() {
            // The header and the notes of a ring file are pages of 4 KB, and its chunks begin at a multiple of 4 KB.
            let pages = if sample.kind == SampleKind::Ring {
                2 << 12
            } else {
                0
            };
            let len = sample.bytes.len() - pages;
            assert!((10..9_000).contains(&len), "{}: {len} bytes", sample.name);
        }
        assert!(
            streaming().len() <= 255,
            "does not fit the hand-made zstd frame"
        );
    }
}
