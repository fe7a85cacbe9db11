//! The traces in examples/: facts that follow from how they were made.

use traceloom_formats::{ReadOptions, read_bytes};
use traceloom_trace::{RepairKind, RowId, SliceId, ThreadId, Trace};

const MS: i64 = 1_000_000;

fn read(name: &str) -> Trace {
    let path = testkit::workspace_root().join("examples").join(name);
    let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    read_bytes(&bytes, ReadOptions::default()).unwrap()
}

/// Lengths of the slices called `name`, ns.
fn durations(trace: &Trace, name: &str) -> Vec<i64> {
    let rows = 0..trace.slices.len();
    let named = rows.filter(|&row| trace.slice_name(SliceId::from_row(row)) == name);
    named.map(|row| trace.slices.dur.get(row)).collect()
}

fn thread(trace: &Trace, name: &str) -> ThreadId {
    let mut rows = 0..trace.threads.len();
    let named = |&row: &usize| trace.thread_name(ThreadId::from_row(row)) == name;
    ThreadId::from_row(
        rows.find(named)
            .unwrap_or_else(|| panic!("no thread {name}")),
    )
}

/// Time a thread spent on a CPU, ns.
fn running(trace: &Trace, utid: ThreadId) -> i64 {
    let rows = 0..trace.sched_slices.len();
    let own = rows.filter(|&row| trace.sched_slices.utid.get(row) == utid);
    own.map(|row| trace.sched_slices.dur.get(row)).sum()
}

#[test]
fn the_app_has_one_slow_call() {
    let trace = read("app.trace");
    let calls = testkit::app_trace()
        .records
        .into_iter()
        .filter(|record| record.action == 0);
    assert_eq!(trace.slices.len(), calls.count());
    assert_eq!(trace.repairs.count(RepairKind::UnmatchedExit), 4);
    let parse = durations(&trace, "com.example.news.ArticleParser.parse");
    assert!(parse.len() == 1 && parse[0] > 150 * MS, "{parse:?}");
    let frames = durations(&trace, "android.view.Choreographer.doFrame");
    assert_eq!(frames.len(), 48);
    assert_eq!(
        frames.iter().filter(|&&dur| dur > 16 * MS).count(),
        1,
        "{frames:?}"
    );
}

/// The recorder slept and computed for known times, and the kernel cannot have been faster.
#[test]
fn the_recorded_workload_is_found_again() {
    let trace = read("linux.ftrace");
    let sleeps = durations(&trace, "sleep 10 ms");
    assert_eq!(sleeps.len(), 150);
    assert!(sleeps.iter().all(|&dur| dur >= 10 * MS), "{sleeps:?}");
    assert!(
        durations(&trace, "compute")
            .iter()
            .all(|&dur| dur >= 300_000)
    );
    assert_eq!(durations(&trace, "save").len(), 10);
    assert_eq!(durations(&trace, "write and sync").len(), 10);
    assert_eq!(
        trace
            .counters
            .value
            .iter()
            .filter(|&value| value == 49.0)
            .count(),
        1
    );
    let computed = running(&trace, thread(&trace, "loom-demo"));
    assert!(
        (15 * MS..30 * MS).contains(&computed),
        "50 times 0.3 ms took {computed} ns of CPU"
    );
    let slept = running(&trace, thread(&trace, "sleeper-1"));
    assert!(slept < 5 * MS, "a thread that sleeps ran for {slept} ns");
}

#[test]
fn the_page_holds_the_same_trace() {
    let (text, page) = (read("linux.ftrace"), read("linux.html"));
    for name in ["sleep 10 ms", "compute", "save", "write and sync"] {
        assert_eq!(durations(&text, name), durations(&page, name), "{name}");
    }
    assert_eq!(text.sched_slices.len(), page.sched_slices.len());
    assert_eq!(text.counters.len(), page.counters.len());
}
