//! Compares real traces with the remarks in the corpus index.

use std::collections::HashMap;
use std::path::Path;

use traceloom_formats::{ReadError, ReadOptions, read_bytes};
use traceloom_trace::{MethodAction, RepairKind, RowId, SliceId, Trace};

use crate::support::{corpus, read_bytewise, read_events};

/// One row of the index: its path and the numbers in its remarks.
struct Listed {
    path: String,
    facts: HashMap<String, String>,
}

impl Listed {
    fn number(&self, key: &str) -> Option<u64> {
        self.facts.get(key)?.parse().ok()
    }

    /// `actions={0: 5, 1: 5}`: the number of records with each action.
    fn actions(&self) -> [u64; 3] {
        let mut counts = [0; 3];
        let text = self.facts.get("actions").map_or("", String::as_str);
        for pair in text.split(',').filter(|pair| pair.contains(':')) {
            let (action, count) = pair.split_once(':').unwrap();
            counts[action.trim().parse::<usize>().unwrap()] = count.trim().parse().unwrap();
        }
        counts
    }
}

fn listed(folder: &Path) -> Vec<Listed> {
    let index = std::fs::read_to_string(folder.join("INDEX.tsv")).unwrap();
    let rows = index.lines().filter(|row| row.starts_with("traceview-"));
    rows.map(|row| {
        let columns: Vec<&str> = row.split('\t').collect();
        let mut facts = HashMap::new();
        for word in columns[7..].join(" ").split(' ') {
            if let Some((key, value)) = word.split_once('=') {
                facts.insert(key.to_owned(), value.to_owned());
            }
        }
        let remarks = columns[8];
        if let Some((_, rest)) = remarks.split_once("actions={") {
            let (inside, _) = rest.split_once('}').unwrap();
            facts.insert("actions".to_owned(), inside.to_owned());
        }
        Listed {
            path: columns[0].to_owned(),
            facts,
        }
    })
    .collect()
}

#[test]
fn every_real_trace_has_what_the_index_says() {
    let Some(folder) = corpus() else { return };
    let mut checked = 0;
    for row in listed(&folder) {
        let bytes = std::fs::read(folder.join(&row.path)).unwrap();
        if row.path.ends_with("header.trace") {
            let error = read_events(&bytes).unwrap_err();
            assert!(
                matches!(
                    error,
                    ReadError::Field {
                        field: "version",
                        ..
                    }
                ),
                "{error}"
            );
            assert!(error.to_string().contains("at byte"), "{error}");
            continue;
        }
        check_events(&row, &bytes);
        check_tables(&row, &bytes);
        checked += 1;
    }
    assert!(checked > 30);
    eprintln!("{checked} real traces checked");
}

fn check_events(row: &Listed, bytes: &[u8]) {
    let told = read_events(bytes).unwrap();
    let path = &row.path;
    assert_eq!(
        Some(told.events.len() as u64),
        row.number("records"),
        "{path}"
    );
    assert_eq!(
        Some(told.threads.len() as u64),
        row.number("threads"),
        "{path}"
    );
    assert_eq!(
        Some(told.methods.len() as u64),
        row.number("methods"),
        "{path}"
    );
    if let Some(calls) = told.key("num-method-calls") {
        assert_eq!(calls, told.events.len().to_string(), "{path}");
    }
    let mut actions = [0; 3];
    for event in &told.events {
        actions[event.action() as usize] += 1;
    }
    assert_eq!(actions, row.actions(), "{path}");
    assert_eq!(
        Some(told.count(RepairKind::UnknownMethod)),
        row.number("unknown-methods")
    );
    assert_eq!(told.count(RepairKind::UnknownThread), 0, "{path}");
    assert_eq!(
        told.start.unwrap().clocks.name(),
        row.facts["clock"],
        "{path}"
    );
    assert_eq!(
        told.start.unwrap().version.to_string(),
        row.facts["ver"],
        "{path}"
    );
}

fn check_tables(row: &Listed, bytes: &[u8]) {
    let trace = read_bytes(bytes, ReadOptions::default()).unwrap();
    let path = &row.path;
    assert_eq!(trace.slices.len() as u64, row.actions()[0], "{path}");
    let unmatched = trace.repairs.count(RepairKind::UnmatchedExit);
    assert_eq!(Some(unmatched), row.number("underflow"), "{path}");
    let open = trace.repairs.count(RepairKind::NeverClosed);
    assert_eq!(Some(open), row.number("open"), "{path}");
    assert_eq!(trace.sources.bytes.get(0), bytes.len() as u64);
    check_nesting(&trace);
    let bytewise = read_bytewise(bytes).unwrap();
    assert_eq!(
        trace.slices.rows().collect::<Vec<_>>(),
        bytewise.slices.rows().collect::<Vec<_>>(),
        "{path}"
    );
    assert_eq!(trace.repairs.rows(), bytewise.repairs.rows(), "{path}");
}

/// Every slice lies inside its parent, one level deeper on the same track.
fn check_nesting(trace: &Trace) {
    for row in trace.slices.rows() {
        let Some(parent) = row.parent_id.some() else {
            assert_eq!(row.depth, 0);
            continue;
        };
        let outer = trace.slices.row(parent.row());
        assert_eq!((outer.track_id, outer.depth + 1), (row.track_id, row.depth));
        assert!(outer.ts <= row.ts);
        assert!(trace.slice_end(parent) >= row.ts.saturating_add(row.dur.max(0)));
    }
}

fn calls(trace: &Trace) -> Vec<String> {
    let name = |row| {
        let id = SliceId::from_row(row);
        let depth = trace.slices.depth.get(row) as usize;
        format!("{}{}", " ".repeat(depth), trace.slice_name(id))
    };
    (0..trace.slices.len()).map(name).collect()
}

fn real(path: &str) -> Option<Vec<u8>> {
    corpus().map(|folder| std::fs::read(folder.join(path)).unwrap())
}

/// The values that perflib's own tests expect for these files.
#[test]
fn call_sequences_of_perflib() {
    let Some(basic) = real("traceview-v3/adt-tools-base__basic.trace") else {
        return;
    };
    let trace = read_bytes(&basic, ReadOptions::default()).unwrap();
    let package = "com.test.android.traceview.Basic";
    assert_eq!(
        calls(&trace),
        [
            format!("{package}.foo"),
            format!(" {package}.bar"),
            "android.os.Debug.stopMethodTracing".to_owned(),
            " dalvik.system.VMDebug.stopMethodTracing".to_owned(),
        ]
    );
    // foo: CPU 0x10 to 0x17, wall 0xf2 to 0xf9 microseconds.
    let foo = trace.slices.row(0);
    assert_eq!(
        (foo.dur, foo.thread_ts, foo.thread_dur),
        (7_000, 16_000, 7_000)
    );
    assert_eq!(foo.ts - trace.clocks[0].value_ns, 0xf2 * 1000);
    assert_eq!(trace.clocks[0].clock, traceloom_trace::ClockKind::Realtime);
    let method = trace.methods.row(foo.method_id.row());
    assert_eq!((method.raw_id, method.line), (0x62ae_8a48, 14));
    let thread = trace.track_thread(foo.track_id).unwrap();
    assert_eq!(trace.thread_name(thread), "AsyncTask #1");
    eprintln!("1 real trace checked");
}

#[test]
fn exceptions_unwind_calls() {
    let Some(bytes) = real("traceview-v3/adt-tools-base__exception.trace") else {
        return;
    };
    let told = read_events(&bytes).unwrap();
    let unwound = told
        .events
        .iter()
        .filter(|event| event.action() == MethodAction::Unwind);
    assert_eq!(unwound.count(), 3);
    let trace = read_bytes(&bytes, ReadOptions::default()).unwrap();
    assert_eq!(trace.repairs.count(RepairKind::MissingExit), 0);
    eprintln!("1 real trace checked");
}

#[test]
fn processes_and_main_threads() {
    let Some(bytes) = real("traceview-v3/yamp__legacy.trace") else {
        return;
    };
    let trace = read_bytes(&bytes, ReadOptions::default()).unwrap();
    assert_eq!(trace.processes.pid.iter().collect::<Vec<_>>(), [0, 3142]);
    let main: Vec<_> = trace
        .threads
        .rows()
        .filter(|row| row.is_main_thread)
        .collect();
    assert_eq!(main.len(), 1);
    assert_eq!(
        (main[0].tid, trace.strings.get(main[0].name)),
        (3142, "main")
    );
    assert_eq!(trace.metadata("clock-call-overhead-nsec"), Some("144"));
    assert_eq!(trace.metadata("vm"), Some("art"));
    assert_eq!(trace.clocks[0].clock, traceloom_trace::ClockKind::Monotonic);
    eprintln!("1 real trace checked");
}
