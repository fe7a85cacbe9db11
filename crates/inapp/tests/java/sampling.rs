//! Sampled stacks: the trace must agree with the output of `Sampled.java`.

use std::path::Path;
use std::process::Command;

use traceloom_trace::{RepairKind, RowId, SliceId, Trace};

use crate::{read, run};

/// Tolerance for clocks that are read one after the other, and for times in whole µs.
const SLACK_NS: i64 = 20_000;

/// A slice: its thread, its depth among slices of the same name, its start and its duration.
struct Found {
    thread: String,
    nesting: usize,
    ts: i64,
    dur: i64,
}

/// The slices with a name.
fn found(trace: &Trace, name: &str) -> Vec<Found> {
    let rows = trace.slices.rows().enumerate();
    let rows = rows.filter(|(row, _)| trace.slice_name(SliceId::from_row(*row)) == name);
    let slices = rows.map(|(row, slice)| {
        let parents = std::iter::successors(Some(SliceId::from_row(row)), |slice| {
            trace.slices.parent_id.get(slice.row()).some()
        });
        let same = parents.filter(|slice| trace.slice_name(*slice) == name);
        Found {
            thread: trace.thread_name(trace.tracks.row(slice.track_id.row()).utid),
            nesting: same.count(),
            ts: slice.ts,
            dur: slice.dur,
        }
    });
    slices.collect()
}

/// The program's line for a method: it was called once, with this many levels, and took a time within these bounds.
struct Expected<'p> {
    name: &'p str,
    levels: usize,
    least_ns: i64,
    most_ns: i64,
}

impl<'p> Expected<'p> {
    fn parse(line: &'p str) -> Option<Self> {
        let mut words = line.split(' ');
        let name = words.next().filter(|name| name.starts_with("Sampled."))?;
        Some(Self {
            name,
            levels: if name == "Sampled.down" { 5 } else { 1 },
            least_ns: words.next()?.parse::<i64>().ok()? - SLACK_NS,
            most_ns: words.next()?.parse::<i64>().ok()? + SLACK_NS,
        })
    }

    fn check(&self, ns: i64) {
        let (name, bounds) = (self.name, self.least_ns..=self.most_ns);
        assert!(bounds.contains(&ns), "{name}: {ns}, expected {bounds:?}");
    }
}

/// Compares the trace with each method that the program has printed. Returns the number of slices with an end.
fn check_durations(trace: &Trace, printed: &str) -> usize {
    let mut ended = 0;
    for expected in printed.lines().filter_map(Expected::parse) {
        let slices = found(trace, expected.name);
        let nesting: Vec<usize> = slices.iter().map(|slice| slice.nesting).collect();
        let levels: Vec<usize> = (1..=expected.levels).collect();
        assert_eq!(nesting, levels, "{}", expected.name);
        for slice in slices.iter().filter(|slice| slice.dur >= 0) {
            expected.check(slice.dur);
            ended += 1;
        }
    }
    ended
}

/// The repairs: for example, an exit without an entry, or a call without an exit.
fn repairs(trace: &Trace) -> Vec<RepairKind> {
    trace.repairs.rows().iter().map(|row| row.kind).collect()
}

#[test]
fn known_stacks() {
    let Some((folder, printed)) = run("Sampled", &["known"]) else {
        return;
    };
    let trace = read(folder.path(), "known.trace");
    assert_eq!(repairs(&trace), []);
    assert!(trace.slices.dur.iter().all(|dur| dur >= 0));
    assert_eq!(check_durations(&trace, &printed), 10);
    check_nesting(&trace);
    check_threads(&trace, &printed);
    check_facts(&trace);

    // The ring file was saved while `sleeper` was sleeping.
    let ring = read(folder.path(), "live.ring");
    assert_eq!(repairs(&ring), [RepairKind::NeverClosed]);
    assert_eq!(check_durations(&ring, &printed), 9);
    check_nesting(&ring);
    check_threads(&ring, &printed);
    check_facts(&ring);
    let unnamed = |id| ring.strings.get(id).is_empty();
    assert!(
        !ring.methods.class.iter().any(unnamed),
        "names are written before the samples"
    );
    let (section, c) = (found(&ring, "within c"), found(&ring, "Sampled.c"));
    let (section, c) = (&section[0], &c[0]);
    assert!(c.ts < section.ts && section.ts + section.dur < c.ts + c.dur);
    let woven = ring.slices.rows().enumerate();
    let mut woven = woven.map(|(row, _)| ring.slice_name(SliceId::from_row(row)));
    assert!(
        !woven.any(|name| name == "1"),
        "woven methods are not recorded"
    );
    dmtracedump(&folder.path().join("known.trace"), &printed);
}

/// Checks that `run` calls a, which calls b, and so on.
fn check_nesting(trace: &Trace) {
    let c = trace.slices.rows().enumerate();
    let c = c.map(|(row, _)| SliceId::from_row(row));
    let c: Vec<SliceId> = c
        .filter(|slice| trace.slice_name(*slice) == "Sampled.c")
        .collect();
    let parents = std::iter::successors(c.first().copied(), |slice| {
        trace.slices.parent_id.get(slice.row()).some()
    });
    let names: Vec<String> = parents.map(|slice| trace.slice_name(slice)).collect();
    assert_eq!(names[..3], ["Sampled.c", "Sampled.b", "Sampled.a"]);
    assert_eq!(
        names.last().map(String::as_str),
        Some("java.lang.Thread.run")
    );
    for (method, thread) in [
        ("Sampled.a", "spinner"),
        ("Sampled.d", "the sleeper, of a long name"),
        ("Sampled.e", "ends"),
        ("Sampled.known", "main"),
    ] {
        assert_eq!(found(trace, method)[0].thread, thread);
    }
}

/// Checks that thread numbers equal `Thread.getId`.
fn check_threads(trace: &Trace, printed: &str) {
    let threads = printed
        .lines()
        .filter_map(|line| line.strip_prefix("thread "));
    for line in threads {
        let (number, name) = line.split_once(' ').expect("number and name");
        let mut threads = trace.threads.rows();
        let number = number.parse::<i64>().expect("a number");
        let found = |tid, id| tid == number && trace.strings.get(id) == name;
        assert!(threads.any(|row| found(row.tid, row.name)), "{line}");
    }
    let sampler =
        |row: traceloom_trace::ThreadRow| trace.strings.get(row.name).starts_with("traceloom");
    assert!(
        !trace.threads.rows().any(sampler),
        "the sampler itself is not sampled"
    );
}

/// Checks the metadata of the trace and the location of a method.
fn check_facts(trace: &Trace) {
    assert_eq!(trace.metadata("sampling-interval-usec"), Some("1000"));
    let samples = trace.metadata("num-samples").expect("a number of samples");
    assert!(samples.parse::<u64>().expect("a number") > 60, "{samples}");
    let text = |id| trace.strings.get(id);
    let mut methods = trace.methods.rows();
    let c = methods.find(|row| text(row.name) == "c").expect("c");
    assert_eq!((text(c.class), text(c.signature)), ("Sampled", "(...)"));
    assert_eq!(text(c.file), "Sampled.java");
    let source = include_str!("Sampled.java").lines();
    let first = 1 + source
        .take_while(|line| !line.contains("long[] c()"))
        .count() as i32;
    assert!((first..first + 9).contains(&c.line), "line {}", c.line);
}

/// Debian's dmtracedump reads all six columns, so the file name is not part of the signature, and it finds the same times.
fn dmtracedump(trace: &Path, printed: &str) {
    let Ok(output) = Command::new("dmtracedump").arg(trace).output() else {
        println!("skipped: no dmtracedump");
        return;
    };
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8_lossy(&output.stdout);
    for expected in printed.lines().filter_map(Expected::parse) {
        // [25]    11.9%    1+0    471087 Sampled.c (...)
        let is_its_own = |line: &&str| line.starts_with('[');
        let suffix = format!(" {} (...)", expected.name);
        let mut lines = text.lines().filter(is_its_own);
        let line = lines.find(|line| line.ends_with(&suffix)).expect(&suffix);
        let columns: Vec<&str> = line.split_whitespace().collect();
        let calls = if expected.levels == 1 { "1+0" } else { "1+4" };
        assert_eq!(columns[2], calls, "{line}");
        expected.check(columns[3].parse::<i64>().expect(line) * 1_000);
    }
}

#[test]
fn a_full_buffer() {
    let Some((folder, _)) = run("Sampled", &["full"]) else {
        return;
    };
    let trace = read(folder.path(), "full.trace");
    assert_eq!(trace.metadata("data-file-overflow"), Some("true"));
    assert!(found(&trace, "Sampled.deep").len() >= 100);
}

#[test]
fn one_thread() {
    let Some((folder, _)) = run("Sampled", &["only"]) else {
        return;
    };
    let trace = read(folder.path(), "only.trace");
    assert_eq!(repairs(&trace), []);
    let names: Vec<String> = trace
        .real_threads()
        .map(|utid| trace.thread_name(utid))
        .collect();
    assert_eq!(names, ["main"]);
}

#[test]
fn a_process_that_dies() {
    let Some((folder, _)) = run("Sampled", &["killed"]) else {
        return;
    };
    let trace = read(folder.path(), "killed.trace.ring");
    let kinds = [RepairKind::MissingSummary, RepairKind::NeverClosed];
    assert_eq!(repairs(&trace), kinds);
    assert_eq!(found(&trace, "Sampled.e").len(), 1);
}
