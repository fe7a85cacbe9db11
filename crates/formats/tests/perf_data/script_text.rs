//! The text of `perf script`: the output of the real perf for each real file, and real texts from other sources.

use std::path::Path;
use std::process::{Command, Stdio};

use testkit::Corpus;
use traceloom_formats::{ReadOptions, read_bytes};
use traceloom_trace::RepairKind;

use super::perf_script::{has_perf, parse};
use super::{real_files, tables};

/// Fields with which perf prints one line per function, without and with names.
const FIELDS: [(&str, &str); 2] = [
    (
        "pid,tid,cpu,time,event,ip",
        "comm,pid,tid,cpu,time,event,ip,sym,dso",
    ),
    (
        "pid,tid,time,event,ip",
        "comm,pid,tid,time,event,ip,sym,dso",
    ),
];

#[test]
fn text_has_the_samples_that_perf_prints() {
    if !has_perf() {
        return;
    }
    let (mut files, mut samples) = (0, 0);
    for file in real_files() {
        for (plain, named) in FIELDS {
            let expected = parse(&addresses(&script(&file.path, plain)));
            if expected.is_empty() {
                continue;
            }
            let text = script(&file.path, named);
            let trace = read_bytes(&text, ReadOptions::default()).unwrap();
            let found = tables::samples(&trace);
            assert_eq!(found.len(), expected.len(), "{}", file.name);
            // perf prints the samples of some recordings out of order.
            let ours = found
                .iter()
                .map(|one| (one.ts, one.tid, one.cpu, one.stack.len()));
            let perf = expected
                .iter()
                .map(|one| (one.ts, one.tid.max(0), one.cpu, one.stack.len()));
            let sorted = |mut all: Vec<_>| {
                all.sort_unstable();
                all
            };
            assert_eq!(
                sorted(ours.collect()),
                sorted(perf.collect()),
                "{}",
                file.name
            );
            files += 1;
            samples += found.len();
            break;
        }
    }
    println!("{files} files, {samples} samples");
}

/// In a text without times, the samples have the order of the file.
#[test]
fn text_without_times_has_the_same_samples() {
    const LARGE: u64 = 500_000;
    if !has_perf() {
        return;
    }
    let (mut files, mut samples) = (0, 0);
    for file in real_files() {
        let size = std::fs::metadata(&file.path).map_or(0, |data| data.len());
        let expected = parse(&addresses(&script(&file.path, FIELDS[1].0)));
        if size > LARGE || expected.is_empty() {
            continue;
        }
        let text = script(&file.path, "comm,pid,tid,event,ip,sym,dso");
        let trace = read_bytes(&text, ReadOptions::default()).unwrap();
        let found = tables::samples(&trace);
        let ours: Vec<_> = found.iter().map(|one| (one.tid, one.stack.len())).collect();
        let perf: Vec<_> = expected
            .iter()
            .map(|one| (one.tid.max(0), one.stack.len()))
            .collect();
        assert_eq!(ours, perf, "{}", file.name);
        let rebuilt = trace.repairs.count(RepairKind::RebuiltTime);
        assert_eq!(rebuilt, found.len() as u64, "{}", file.name);
        files += 1;
        samples += found.len();
    }
    println!("{files} files, {samples} samples");
}

fn script(path: &Path, fields: &str) -> Vec<u8> {
    let script = [
        "script",
        "--ns",
        "--no-inline",
        "--no-itrace",
        "-F",
        fields,
        "-i",
    ];
    let output = Command::new("perf")
        .args(script)
        .arg(path)
        .stderr(Stdio::null())
        .output();
    output.unwrap().stdout
}

/// The text with only the address of each function. For some recordings, perf prints names even if they are not
/// requested.
fn addresses(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let lines = text.lines().map(|line| match line.strip_prefix('\t') {
        Some(function) => function.split_ascii_whitespace().next().unwrap_or_default(),
        None => line,
    });
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// Functions and samples are counted by their lines: only functions are indented by a tab or many spaces.
#[test]
fn real_texts_have_a_sample_and_a_frame_for_each_line() {
    let corpus = Corpus::find();
    let files = corpus
        .iter()
        .flat_map(|corpus| corpus.files(&["perf-data", "simpleperf"]));
    let mut found = 0;
    for file in files {
        let bytes = file.read();
        let Ok(text) = std::str::from_utf8(&bytes) else {
            continue;
        };
        let is_frame = |line: &&str| line.starts_with('\t') || line.starts_with("      ");
        if !text.lines().any(|line| line.starts_with('\t')) || text.starts_with('{') {
            continue;
        }
        let frames = text.lines().filter(is_frame).count();
        let heads = text
            .lines()
            .filter(|line| !is_frame(line) && !line.is_empty() && !line.starts_with('#'));
        let trace = read_bytes(&bytes, ReadOptions::default()).unwrap();
        let samples = tables::samples(&trace);
        assert_eq!(samples.len(), heads.count(), "{}", file.name);
        let depth: usize = samples.iter().map(|sample| sample.stack.len()).sum();
        assert_eq!(depth, frames, "{}", file.name);
        let repairs = trace.repairs.rows().iter().map(|row| row.kind);
        let others = repairs.filter(|kind| *kind != RepairKind::RebuiltTime);
        assert_eq!(others.count(), 0, "{}", file.name);
        found += 1;
    }
    println!("{found} texts");
}

/// perf prints `:-1` for a thread that is about to end. Such a line looks like ftrace text.
#[test]
fn threads_that_are_about_to_end_have_no_number() {
    let text = "sh 7/7 [001] 1.000001: sched:sched_switch: prev_comm=sh prev_pid=7 prev_prio=120 prev_state=X ==> \
        next_comm=swapper/1 next_pid=0 next_prio=120\n\
        :-1 -1/-1 [001] 1.000002: 250 cycles:u:\n\t10 f (/bin/a)\n";
    let trace = read_bytes(text.as_bytes(), ReadOptions::default()).unwrap();
    let tids: Vec<_> = tables::samples(&trace).iter().map(|one| one.tid).collect();
    assert_eq!(tids, [7, 0]);
    assert_eq!(trace.repairs.count(RepairKind::UnparsedLine), 0);
}

/// A header, an inlined function, a tracepoint, a lost record and a cut stack.
const MADE: &str = "\
# ========
# captured on: Thu
# hostname : vm
# cmdline : /usr/bin/perf record true
#
#1 7/7 [000] 1.000001: 250 cycles:u:
\tffff f(int)+0x5 (inlined)
\t613 g+0x1 (/bin/a)

  sh 7/9 [001] 1.000002: sched:sched_switch: prev_comm=a
  sh 7/9 [001] 1.000003: PERF_RECORD_LOST lost 5
  sh 7/9 [000] 1.000004: 250 cycles:u:
\tffff h (inlined)";

/// Old versions of perf do not indent functions.
#[test]
fn samples_without_times_stand_one_after_another() {
    let text = "java 19983 cycles:\nffff8103d0ca f ([kernel.kallsyms])\n7f72432b4e9a g (/lib/x.so)\n\n\
        java 19984 cycles:\n7f72432b4e9a g (/lib/x.so)\n\nsomething else\n";
    let trace = read_bytes(text.as_bytes(), ReadOptions::default()).unwrap();
    let samples = tables::samples(&trace);
    let found: Vec<_> = samples
        .iter()
        .map(|one| (one.ts, one.tid, one.stack.len()))
        .collect();
    assert_eq!(found, [(0, 19983, 2), (1_000_000, 19984, 1)]);
    assert_eq!(trace.repairs.count(RepairKind::RebuiltTime), 2);
    assert_eq!(trace.repairs.count(RepairKind::UnparsedLine), 1);
}

#[test]
fn parts_of_a_text_are_read_or_counted() {
    let trace = read_bytes(MADE.as_bytes(), ReadOptions::default()).unwrap();
    assert_eq!(trace.metadata("hostname"), Some("vm"));
    assert_eq!(trace.metadata("cmdline"), Some("/usr/bin/perf record true"));
    let samples = tables::samples(&trace);
    let stack = |sample: &tables::Sample| {
        let frames = sample.stack.iter();
        frames
            .map(|frame| format!("{} ({})", frame.name, frame.file))
            .collect()
    };
    let stacks: Vec<Vec<_>> = samples.iter().map(stack).collect();
    assert_eq!(stacks[0], ["f(int) (/bin/a)", "g (/bin/a)"]);
    assert!(stacks[1].is_empty());
    assert_eq!(stacks[2], ["h ()"]);
    let counts: Vec<_> = samples.iter().map(|sample| &sample.counts).collect();
    let cycles = vec![("cycles:u".to_owned(), 250)];
    assert_eq!(counts, [&cycles, &vec![], &cycles]);
    let tasks: Vec<_> = samples
        .iter()
        .map(|one| (one.pid, one.tid, one.cpu))
        .collect();
    assert_eq!(tasks, [(7, 7, Some(0)), (7, 9, Some(1)), (7, 9, Some(0))]);
    let repairs = trace.repairs.rows().iter();
    let repairs: Vec<_> = repairs.map(|row| (row.kind.name(), row.count)).collect();
    assert_eq!(repairs, [("lost_events", 5), ("skipped_entry", 1)]);
}
