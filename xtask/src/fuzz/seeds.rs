//! Inputs that the fuzzer starts from: small, whole, one of each kind; and the small files of the
//! corpus of real traces where it is there.

use std::io::Write;

use anyhow::Result;
use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};
use testkit::{CallShape, Clock, Corpus, MethodTraceBytes};

/// Real files up to this size are seeds too. The fuzzer spends its time on small ones.
const MAX_REAL_BYTES: usize = 32 << 10;

/// Writes the seeds of a target into its corpus; how many they are.
pub fn write(target: &str) -> Result<usize> {
    let folder = testkit::workspace_root().join("fuzz/corpus").join(target);
    std::fs::create_dir_all(&folder)?;
    let seeds = seeds_of(target)?;
    for (index, seed) in seeds.iter().enumerate() {
        std::fs::write(folder.join(format!("seed-{index:03}")), seed)?;
    }
    Ok(seeds.len())
}

fn seeds_of(target: &str) -> Result<Vec<Vec<u8>>> {
    const METHOD: &[&str] = &["traceview-v1", "traceview-v2", "traceview-v3"];
    let method = || [method_traces(), real(METHOD)].concat();
    Ok(match target {
        "method_trace" => method(),
        "key_section" => method()
            .iter()
            .filter_map(|seed| key_section(seed))
            .collect(),
        "dmtracedump" => method()
            .into_iter()
            .enumerate()
            .map(choose_output)
            .collect(),
        "ftrace_text" => [vec![system_trace()], real(&["ftrace-text"])].concat(),
        "systrace_html" => vec![page(&system_trace())],
        "atrace_z" => vec![atrace_z()?],
        "containers" => containers()?,
        "process_dump" => [vec![PROCESS_DUMP.into()], real(&["ps-dump"])].concat(),
        "rules" => vec![RULES.into()],
        _ => Vec::new(),
    })
}

fn real(categories: &[&str]) -> Vec<Vec<u8>> {
    let files = Corpus::find().map(|corpus| corpus.files(categories));
    let contents = files
        .unwrap_or_default()
        .into_iter()
        .map(|file| file.read());
    contents
        .filter(|bytes| bytes.len() <= MAX_REAL_BYTES)
        .collect()
}

/// The app's first records in every version, and calls at random.
fn method_traces() -> Vec<Vec<u8>> {
    let app = testkit::app_trace();
    let version = |version, clock| MethodTraceBytes {
        version,
        clock,
        records: app.records[..120].to_vec(),
        methods: app.methods[..20].to_vec(),
        ..app.clone()
    };
    let mut seeds: Vec<_> = [
        (1, Clock::Global),
        (2, Clock::Wall),
        (2, Clock::ThreadCpu),
        (3, Clock::Dual),
    ]
    .into_iter()
    .map(|(number, clock)| version(number, clock).to_bytes())
    .collect();
    seeds.push(testkit::call_trace(CallShape::Random, 200, 12, 1));
    seeds.push(streaming());
    seeds
}

/// A streamed trace (0xF3): declarations stand between the records, behind thread number 0.
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

fn key_section(trace: &[u8]) -> Option<Vec<u8>> {
    let end = trace.windows(5).position(|window| window == b"*end\n")?;
    Some(trace[..end + 5].to_vec())
}

/// The target's first byte chooses what dmtracedump prints.
fn choose_output((index, trace): (usize, Vec<u8>)) -> Vec<u8> {
    [vec![index as u8], trace].concat()
}

fn system_trace() -> Vec<u8> {
    testkit::ftrace_text(6_000, 1)
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

fn atrace_z() -> Result<Vec<u8>> {
    let mut encoder = ZlibEncoder::new(b"TRACE:\n".to_vec(), Compression::default());
    encoder.write_all(&system_trace())?;
    Ok(encoder.finish()?)
}

fn containers() -> Result<Vec<Vec<u8>>> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    gzip.write_all(&system_trace())?;
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in [("a.ftrace", system_trace()), ("b.trace", streaming())] {
        zip.start_file(name, zip::write::SimpleFileOptions::default())?;
        zip.write_all(&bytes)?;
    }
    Ok(vec![
        gzip.finish()?,
        zip.finish()?.into_inner(),
        zstd(&streaming()),
    ])
}

/// A frame of one raw block; the format's simplest.
fn zstd(bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![0x28, 0xB5, 0x2F, 0xFD];
    out.extend([0x20, bytes.len() as u8]); // one segment, its size in a byte
    let header = (bytes.len() as u32) << 3 | 1; // raw, last
    out.extend(&header.to_le_bytes()[..3]);
    out.extend(bytes);
    out
}

const PROCESS_DUMP: &str = "\
USER            PID   TID  PPID     VSZ    RSS WCHAN            ADDR S CMD             \n\
root              1     1     0   10632   8172 SyS_epoll_wait      0 S init            \n\
u0_a121        4711  4711   612 1568220 120644 SyS_epoll_wait      0 S com.example.app \n\
u0_a121        4711  4720   612 1568220 120644 futex_wait_queue    0 S RenderThread    \n";

const RULES: &str = "\
[[event]]\nname = \"my_event\"\ncounter = \"value\"\ntrack = \"cpu\"\n\n\
[[event]]\nname = \"my_event\"\nbegin = \"name\"\ntitle = \"lamp\"\nkey = \"value\"\n\n\
[[event]]\nname = \"my_event\"\nend = true\n\n\
[[event]]\nname = \"my_event\"\ninstant = \"\"\ntrack = \"global\"\n";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_has_seeds_and_a_program() {
        let manifest = testkit::workspace_root().join("fuzz/Cargo.toml");
        let manifest = std::fs::read_to_string(manifest).unwrap();
        for target in super::super::TARGETS {
            assert!(!seeds_of(target).unwrap().is_empty(), "{target}");
            assert!(
                manifest.contains(&format!("name = \"{target}\"")),
                "{target}"
            );
        }
        assert_eq!(
            manifest.matches("[[bin]]").count(),
            super::super::TARGETS.len()
        );
        assert!(
            streaming().len() <= 255,
            "does not fit the hand-made zstd frame"
        );
    }
}
