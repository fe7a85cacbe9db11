//! The inputs that the fuzzer starts from: a small complete sample of each kind, and the small files of
//! the corpus of real traces if it is present.

use anyhow::Result;
use testkit::{Corpus, SampleKind, samples};

/// Real files up to this size are seeds too. The fuzzer spends its time on small ones.
const MAX_REAL_BYTES: usize = 32 << 10;

/// Text of `perf script` with a header, a tracepoint and an inlined function.
const PERF_SCRIPT: &[u8] = b"# ========\n# captured on: Thu\n# hostname : vm\n#\n\
sh 7/9 [000] 12.345678: 250000 cycles:u: \n\tffff f(int)+0x5 (inlined)\n\t613 g (/bin/a)\n\n\
sh 9 [001] 12.345679: sched:sched_switch: prev_comm=a\n";

/// A report of simpleperf: a file with a function, and a sample in it.
const SIMPLEPERF: &[u8] = b"SIMPLEPERF\x01\x00\
    \x0a\x00\x00\x00\x1a\x08\x08\x01\x12\x01a\x1a\x01f\
    \x0e\x00\x00\x00\x0a\x0c\x08\x05\x10\x07\x1a\x06\x08\x10\x10\x01\x18\x00\
    \x00\x00\x00\x00";

/// Writes the seeds of a target to its corpus. Returns their number.
pub fn write(target: &str) -> Result<usize> {
    let folder = testkit::workspace_root().join("fuzz/corpus").join(target);
    std::fs::create_dir_all(&folder)?;
    let seeds = seeds_of(target);
    for (index, seed) in seeds.iter().enumerate() {
        std::fs::write(folder.join(format!("seed-{index:03}")), seed)?;
    }
    Ok(seeds.len())
}

fn seeds_of(target: &str) -> Vec<Vec<u8>> {
    const METHOD: &[&str] = &["traceview-v1", "traceview-v2", "traceview-v3"];
    let method = || [made(SampleKind::Method), real(METHOD)].concat();
    match target {
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
        "ftrace_text" => [made(SampleKind::Ftrace), real(&["ftrace-text"])].concat(),
        "trace_dat" => made(SampleKind::TraceDat),
        "ring_file" => made(SampleKind::Ring),
        "systrace_html" => made(SampleKind::Page),
        "atrace_z" => made(SampleKind::AtraceZ),
        "containers" => made(SampleKind::Container),
        "process_dump" => [made(SampleKind::ProcessDump), real(&["ps-dump"])].concat(),
        "battor" => made(SampleKind::Power),
        "perf_data" => [
            made(SampleKind::PerfData),
            real(&["perf-data", "simpleperf"]),
        ]
        .concat(),
        "perf_script" => vec![PERF_SCRIPT.to_vec()],
        "strace" => made(SampleKind::Strace),
        "perfetto" => [made(SampleKind::Perfetto), vec![SIMPLEPERF.to_vec()]].concat(),
        "chrome_json" => [made(SampleKind::Json), real(&["chrome-json"])].concat(),
        "json_profiles" => [
            made(SampleKind::JsonProfile),
            real(&["firefox", "cpuprofile"]),
        ]
        .concat(),
        "rules" => made(SampleKind::Rules),
        "report" => made(SampleKind::Report),
        "columns" => vec![testkit::report_columns()],
        "class_file" => testkit::class_file::class_files(),
        "method_map" => vec![
            b"0,0,traceloom.MethodMap v1 next=3;call=a.B.i(int)/o(int)\n1,1,a.B f (I)V\n".into(),
            b"[package]\n-keeppackage android/\n".into(),
            b"[exclude]\nclasses = ['a.**']\n[skip]\nempty = true\n".into(),
        ],
        "query_dialect" => vec![
            b"CREATE PERFETTO MACRO m(a Expr, b Expr) RETURNS Expr AS ($a + $b);\nSELECT m!(1, m!(2, x));".into(),
            b"CREATE OR REPLACE PERFETTO FUNCTION f(a LONG, b ANY...) RETURNS TABLE(c JOINID(t.id)) DELEGATES TO g"
                .into(),
            b"INCLUDE PERFETTO MODULE a.b.*; CREATE TRIGGER a BEGIN SELECT 1; END; -- x\nSELECT 'a', \"b\", x'00', 1_0.5"
                .into(),
            b"SELECT __intrinsic_token_apply!(__intrinsic_stringify, (a, (b, c))), $x::y(z), ?1, [q]".into(),
        ],
        "elf" => vec![testkit::ElfImage::small().to_bytes()],
        _ => Vec::new(),
    }
}

fn made(kind: SampleKind) -> Vec<Vec<u8>> {
    let wanted = samples().into_iter().filter(|sample| sample.kind == kind);
    wanted.map(|sample| sample.bytes).collect()
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

fn key_section(trace: &[u8]) -> Option<Vec<u8>> {
    let end = trace.windows(5).position(|window| window == b"*end\n")?;
    Some(trace[..end + 5].to_vec())
}

/// The target's first byte chooses what dmtracedump prints.
fn choose_output((index, trace): (usize, Vec<u8>)) -> Vec<u8> {
    [vec![index as u8], trace].concat()
}

#[cfg(test)]
mod tests {
    use super::super::TARGETS;
    use super::*;

    #[test]
    fn every_target_has_seeds_and_a_program() {
        let manifest = testkit::workspace_root().join("fuzz/Cargo.toml");
        let manifest = std::fs::read_to_string(manifest).unwrap();
        for target in TARGETS {
            assert!(!seeds_of(target).is_empty(), "{target}");
            assert!(
                manifest.contains(&format!("name = \"{target}\"")),
                "{target}"
            );
        }
        assert_eq!(manifest.matches("[[bin]]").count(), TARGETS.len());
    }
}
