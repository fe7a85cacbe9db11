//! Compares real ftrace texts with known facts about them.

mod common;

use std::sync::Arc;

use common::{corpus, counts, fingerprint, open, text};
use traceloom_formats::{ReadOptions, read_bytes};
use traceloom_trace::{ArgValue, RepairKind, RowId, Trace};

/// The number after `name=` in a remark of the index.
fn number_after(remark: &str, name: &str) -> Option<usize> {
    let rest = &remark[remark.find(name)? + name.len()..];
    let end = rest
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(rest.len());
    rest[..end].parse().ok()
}

/// `{'B|': 2, 'E|': 2}` after `name=`: the sum of all numbers, or of those with wanted keys.
fn sum_after(remark: &str, name: &str, wanted: impl Fn(&str) -> bool) -> Option<usize> {
    let rest = &remark[remark.find(name)? + name.len()..];
    let inner = rest.strip_prefix('{')?.split('}').next()?;
    let pairs = inner.split(", ").filter_map(|pair| pair.rsplit_once(": "));
    let wanted = pairs.filter(|(key, _)| wanted(key.trim_matches('\'')));
    Some(
        wanted
            .filter_map(|(_, count)| count.parse::<usize>().ok())
            .sum(),
    )
}

fn event_lines(trace: &Trace) -> usize {
    trace
        .metadata("event-lines")
        .and_then(|lines| lines.parse().ok())
        .unwrap_or(0)
}

/// The number of begins of slices that were open already.
fn repeated_begins(trace: &Trace) -> usize {
    let Some(key) = trace.strings.lookup("legacy_unnestable_begin_count") else {
        return 0;
    };
    let sets = trace.slices.arg_set_id.iter();
    let begins = sets.filter_map(|set| match trace.args.value(set, key)? {
        ArgValue::Int(begins) => usize::try_from(begins - 1).ok(),
        _ => None,
    });
    begins.sum()
}

#[test]
fn every_real_trace_opens_with_the_counts_of_the_index() {
    let Some(corpus) = corpus() else { return };
    let mut checked = 0;
    for (path, row) in corpus.files("ftrace-text/") {
        let bytes = corpus.read(path);
        let trace = open(&bytes, ReadOptions::default());
        let lines = sum_after(&row, "flagw=", |_| true)
            .or_else(|| number_after(&row, "lines="))
            .unwrap_or_else(|| panic!("{path}: the index has no count of lines"));
        assert_eq!(event_lines(&trace), lines, "{path}: lines of events");
        let only_marks = row.contains("top=['tracing_mark_write']");
        if let (true, Some(begins)) = (
            only_marks,
            sum_after(&row, "marks=", |key| ["B|", "S|"].contains(&key)),
        ) {
            // A second begin of an open slice is an argument.
            let slices = trace.slices.span_count() + repeated_begins(&trace);
            assert_eq!(slices, begins, "{path}: slices");
            let counters = sum_after(&row, "marks=", |key| key == "C|").unwrap_or(0);
            assert_eq!(trace.counters.len(), counters, "{path}: counters");
        }
        // The lines that the index did not match: headers of trace-cmd, and text that is not a
        // trace.
        let unparsed = trace.repairs.count(RepairKind::UnparsedLine) as usize;
        let unmatched = number_after(&row, "unmatched=").unwrap_or(0);
        assert!(unparsed <= unmatched, "{path}: {unparsed} unparsed");
        checked += 1;
    }
    assert!(checked >= 30, "the corpus lost files: {checked}");
    eprintln!("{checked} real traces checked");
}

#[test]
fn stripped_and_raw_captures_are_the_same() {
    let Some(corpus) = corpus() else { return };
    let read = |name: &str| open(&corpus.read(name), ReadOptions::default());
    let raw = read("ftrace-text/catapult__atrace_data_raw");
    let stripped = read("ftrace-text/catapult__atrace_data_stripped");
    assert_eq!(counts(&raw), counts(&stripped));
    let tables = |trace: &Trace| {
        fingerprint(trace)
            .split("# repairs")
            .next()
            .unwrap_or_default()
            .to_owned()
    };
    assert_eq!(tables(&raw), tables(&stripped));
    assert_eq!(event_lines(&raw), 116);
}

/// The process of every thread that has one.
fn tgids(trace: &Trace) -> Vec<(i64, i64)> {
    let threads = trace
        .threads
        .rows()
        .filter_map(|row| Some((row.tid, row.upid.some()?)));
    let mut tgids: Vec<_> = threads
        .map(|(tid, upid)| (tid, trace.processes.pid.get(upid.row())))
        .collect();
    tgids.sort_unstable();
    tgids
}

#[test]
fn a_process_dump_gives_back_missing_tgids() {
    let Some(corpus) = corpus() else { return };
    let fixed = open(
        &corpus.read("ftrace-text/catapult__atrace_fixed_tgids"),
        ReadOptions::default(),
    );
    let dump = corpus.read("ps-dump/catapult__atrace_procfs_dump");
    let options = ReadOptions {
        process_dump: Some(Arc::new(dump)),
        ..ReadOptions::default()
    };
    let missing = corpus.read("ftrace-text/catapult__atrace_missing_tgids");
    let mended = open(&missing, options);
    let (known, found) = (tgids(&fixed), tgids(&mended));
    assert_eq!(known.len(), 8);
    for pair in &known {
        assert!(found.contains(pair), "{pair:?} is missing");
    }
    assert!(mended.repairs.count(RepairKind::MissingTgid) >= known.len() as u64);
    assert_eq!(tgids(&open(&missing, ReadOptions::default())), []);
}

#[test]
fn a_process_dump_opens_alone_with_the_tgids_catapult_found() {
    let Some(corpus) = corpus() else { return };
    let found = tgids(&open(
        &corpus.read("ps-dump/catapult__atrace_procfs_dump"),
        ReadOptions::default(),
    ));
    let expected = corpus.read("ps-dump/catapult__atrace_extracted_tgids");
    let expected = String::from_utf8(expected).unwrap();
    let pair = |pair: &str| {
        let mut numbers = pair
            .split(|c: char| !c.is_ascii_digit())
            .filter(|n| !n.is_empty());
        Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
    };
    let mut expected: Vec<(i64, i64)> = expected.split(',').filter_map(pair).collect();
    // The first path of the file lacks its slash, and catapult skipped it.
    expected.push((1, 1));
    expected.sort_unstable();
    assert_eq!(found, expected);
}

/// toolbox's `ps -t` after the events: every row is a process, or a thread of the previous process.
#[test]
fn a_table_behind_the_events_names_threads() {
    let Some(corpus) = corpus() else { return };
    let bytes = corpus.read("ftrace-text/catapult__atrace_data_with_thread_list");
    let trace = open(&bytes, ReadOptions::default());
    let rows: Vec<&[u8]> = bytes
        .split(|&byte| byte == b'\n')
        .skip_while(|line| !line.starts_with(b"USER "))
        .skip(1)
        .filter(|line| !line.is_empty())
        .collect();
    let tids: std::collections::HashSet<i64> = trace.threads.tid.iter().collect();
    for row in &rows {
        let tid = String::from_utf8_lossy(row);
        let tid = tid.split_whitespace().nth(1).unwrap().parse().unwrap();
        assert!(tids.contains(&tid), "{tid}");
    }
    let process = |pid| trace.processes.rows().find(|row| row.pid == pid).unwrap();
    assert_eq!(text(&trace, process(764).name), "system_server");
    let found = tgids(&trace);
    // A thread, a process that was forked from the previous one, and the last line.
    for pair in [(782, 764), (5285, 5285), (14_448, 14_448)] {
        assert!(found.contains(&pair), "{pair:?}");
    }
}

#[test]
fn ps_tables_name_processes() {
    let Some(corpus) = corpus() else { return };
    for name in [
        "ps-dump/SystraceAnalysis__PROCESS_DUMP.txt",
        "ps-dump/SystraceAnalysis__PROCESS_DUMP_2.txt",
    ] {
        let bytes = corpus.read(name);
        let trace = open(&bytes, ReadOptions::default());
        let rows = bytes
            .split(|&byte| byte == b'\n')
            .filter(|line| !line.is_empty())
            .count();
        assert_eq!(trace.real_processes().count(), rows - 1, "{name}");
        let init = trace.processes.rows().find(|row| row.pid == 1).unwrap();
        assert_eq!(
            (text(&trace, init.name), init.ppid, init.uid),
            ("init", 0, 0)
        );
        let kernel = trace.processes.rows().find(|row| row.pid == 2).unwrap();
        assert_eq!(text(&trace, kernel.name), "kthreadd");
    }
    let cgroups = open(
        &corpus.read("ps-dump/catapult__cgroup_dump"),
        ReadOptions::default(),
    );
    assert_eq!(
        cgroups.metadata("cgroup.cpuset"),
        Some("hierarchy 4, 7 groups, enabled 1")
    );
    assert!(
        cgroups
            .metadata("cgroup.tasks./top-app (root=4)")
            .is_some_and(|tasks| tasks.starts_with("466 "))
    );
}

/// The values that Perfetto's tests expect for these files.
#[test]
fn what_perfetto_expects() {
    let Some(corpus) = corpus() else { return };
    let read = |name: &str| {
        open(
            &corpus.read(&format!("ftrace-text/perfetto__{name}")),
            ReadOptions::default(),
        )
    };

    let blocked = read("sched_blocked_systrace.systrace");
    let waits: Vec<_> = blocked
        .thread_states
        .rows()
        .filter(|row| row.io_wait >= 0)
        .map(|row| (row.ts, blocked.threads.tid.get(row.utid.row()), row.io_wait))
        .collect();
    assert_eq!(waits, [(20_258_854_000, 269, 0), (21_123_838_000, 2172, 1)]);

    let named = read("unknown_thread_name.systrace");
    let thread = named.threads.rows().find(|row| row.tid == 19_999).unwrap();
    assert_eq!(text(&named, thread.name), "real_name");

    let print = read("bad_print.systrace");
    let slice = print.slices.row(0);
    assert_eq!(
        (slice.ts, slice.dur, text(&print, slice.name)),
        (10_852_771_242_000, 3_000, "some event")
    );

    let limits = read("cpu_frequency_limits.systrace");
    assert_eq!(limits.counters.len(), 24);
    let max = limits
        .tracks
        .rows()
        .position(|row| text(&limits, row.name) == "Cpu 6 Max Freq Limit")
        .unwrap();
    let values: Vec<_> = limits
        .counters
        .rows()
        .filter(|row| row.track_id.row() == max)
        .map(|row| row.value)
        .collect();
    assert_eq!(
        &values[..4],
        [2_800_000.0, 1_700_000.0, 2_800_000.0, 1_500_000.0]
    );

    let killed = read("print_systrace_lmk_userspace.out");
    let values: Vec<_> = killed.counters.value.iter().collect();
    assert_eq!(&values[..4], [17_924.0, 0.0, 21_090.0, 0.0]);
}

/// All files concatenated: every layout, times that step back, and enough text for many segments.
fn everything(corpus: &common::Corpus) -> Vec<u8> {
    let mut all = Vec::new();
    for (path, _) in corpus.files("ftrace-text/") {
        all.extend_from_slice(&corpus.read(path));
        all.push(b'\n');
    }
    all
}

#[test]
fn the_result_depends_neither_on_threads_nor_on_chunks() {
    let Some(corpus) = corpus() else { return };
    let all = everything(&corpus);
    let expected = fingerprint(&open(&all, ReadOptions::default()));
    for threads in [2, 4] {
        let options = ReadOptions {
            threads,
            ..ReadOptions::default()
        };
        assert!(
            fingerprint(&open(&all, options)) == expected,
            "{threads} threads differ"
        );
    }
    for seed in 1..4 {
        let chunked = common::open_in_chunks(&all, seed, 3000);
        assert!(
            fingerprint(&chunked) == expected,
            "chunks of seed {seed} differ"
        );
    }
    let small = corpus.read("ftrace-text/catapult__atrace_fixed_tgids");
    let expected = fingerprint(&open(&small, ReadOptions::default()));
    assert!(
        fingerprint(&common::open_in_chunks(&small, 1, 1)) == expected,
        "single bytes differ"
    );
}

#[test]
fn cut_and_flipped_traces_still_open() {
    let Some(corpus) = corpus() else { return };
    let mut random = testkit::Rng::new(7);
    let mut checked = 0;
    for (path, _) in corpus.files("ftrace-text/").chain(corpus.files("ps-dump/")) {
        let bytes = corpus.read(path);
        for _ in 0..40 {
            let mut bytes = bytes[..bytes.len().min(20_000)].to_vec();
            for _ in 0..20 {
                let at = random.index(bytes.len());
                bytes[at] = random.below(256) as u8;
            }
            bytes.truncate(random.index(bytes.len()) + 1);
            // Without its start it may not be a trace at all, but it must not panic.
            let _ = read_bytes(&bytes, ReadOptions::default());
            checked += 1;
        }
    }
    eprintln!("{checked} damaged traces checked");
}
