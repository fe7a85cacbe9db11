//! A line is parsed the same way whatever lines are around it, so the caches of the fast path
//! change nothing.

use proptest::prelude::*;

use super::*;
use crate::ftrace::event::FieldList;

/// Lines with similar starts, the same threads and the same events.
const LINES: &[&str] = &[
    "          <idle>-0     (-----) [003] d..2  1000.000004: irq_handler_entry: irq=27 name=arch_timer",
    "          <idle>-0     (-----) [003] d..2  1000.000009: irq_handler_exit: irq=27 ret=handled",
    " com.example.app-1412  ( 1412) [001] ....  1000.000013: sched_waking: comm=app pid=12 prio=120 target_cpu=000",
    " com.example.app-1412  ( 1412) [001] ....  1000.000013: sched_wakeup: comm=app pid=120 prio=120 target_cpu=000",
    " com.example.app-1412  ( 1412) [001] ....  1000.000014: sched_switch: prev_comm=app pid=12 prev_pid=1412 prev_prio=120 prev_state=R+ ==> next_comm=app next_pid=12 next_prio=120",
    " com.example.app-1412  ( 1412) [001] ....  1000.000015: sched_switch: prev_comm=app prev_pid=12 prev_prio=12 prev_state=S ==> next_comm=app pid=12 next_pid=1412 next_prio=98",
    // Names that are longer than the key of the cache.
    "               a-1     [001] ....  1000.000015: sched_waking: comm=a name of 24 characters. pid=12 prio=120 target_cpu=000",
    "               a-1     [001] ....  1000.000015: sched_waking: comm=a name of 24 characters. pid=123 prio=120 target_cpu=000",
    "               a-1     [001] ....  1000.000015: sched_switch: prev_comm=a name of 24 characters. pid=12 prev_pid=5 prev_prio=120 prev_state=S ==> next_comm=a name of 24 characters. pid=12 next_pid=6 next_prio=120",
    " com.example.app-1412  ( 1412) [001] ....  1000.000016: tracing_mark_write: B|1412|draw",
    " com.example.app-1412  ( 1412) [001] ....  1000.000017: tracing_mark_write: C|1412|frames|3",
    " com.example.app-1412  ( 1412) [001] ....  1000.000018: tracing_mark_write: E|1412",
    "              sh-77    [003] 12.000344: (+1)     cpu_idle: state=4294967295 cpu_id=3",
    "              sh-77    [003] 12.000344: tracing_mark_write <ffffffff81498b1a>: E|77",
    "              sh-77    [003] 12.000344: tracing_mark_write+0x8a/0x170: E|77",
    "              sh-77    [003] 12.000345: cpu_idle: state=4294967295 cpu_id=3",
    "# tracer: nop",
    "##### CPU 2 buffer started ####",
];

/// Lines in which some bytes are replaced, removed or doubled.
fn text() -> impl Strategy<Value = Vec<Vec<u8>>> {
    const BYTES: &[u8] = b" \t-()[].:=0129adNp_\xff";
    let change = (0..140_usize, 0..3_u8, proptest::sample::select(BYTES));
    let changes = proptest::option::weighted(0.4, proptest::collection::vec(change, 1..3));
    let line = (proptest::sample::select(LINES), changes).prop_map(|(line, changes)| {
        let mut line = line.as_bytes().to_vec();
        for (at, kind, byte) in changes.unwrap_or_default() {
            let at = at % line.len();
            match kind {
                0 => line[at] = byte,
                1 => drop(line.remove(at)),
                _ => line.insert(at, byte),
            }
        }
        line
    });
    proptest::collection::vec(line, 1..30)
}

/// The events of a text, without line numbers and shapes, which depend on the other lines.
fn events(text: &[u8]) -> Vec<String> {
    let (mut batch, mut scratch) = (EventBatch::default(), Scratch::default());
    tokenize(text, &mut scratch, &mut batch);
    let mut records = batch.records();
    let mut events = Vec::new();
    while let Some(mut record) = records.next() {
        record.line = 0;
        let mut fields = FieldList::default();
        if let Event::Fields(event) = &mut record.event {
            event.shape = NO_SHAPE;
            fields = records.fields();
        }
        events.push(format!("{record:?} {fields:?}"));
    }
    events
}

proptest! {
    #[test]
    fn caches_of_other_lines_change_nothing(lines in text()) {
        let alone: Vec<String> = lines.iter().flat_map(|line| events(line)).collect();
        prop_assert_eq!(events(&lines.join(&b'\n')), alone);
    }
}

#[test]
fn the_same_text_says_something_else_elsewhere() {
    let alone: Vec<String> = LINES
        .iter()
        .flat_map(|line| events(line.as_bytes()))
        .collect();
    assert_eq!(events(LINES.join("\n").as_bytes()), alone);
    let mut backwards = LINES.to_vec();
    backwards.reverse();
    let found = events(backwards.join("\n").as_bytes());
    assert!(found.iter().rev().eq(&alone), "{found:#?}");
}

#[test]
fn numbers_end_where_they_end() {
    let wake = |pid: &str| {
        format!(
            " a-1 [000] .... 1.000000: sched_waking: comm=a name of 24 characters. pid={pid} prio=120 target_cpu=000"
        )
    };
    let texts = ["12", "120", "1", "12", "1200"].map(wake);
    let found = events(texts.join("\n").as_bytes());
    let tids = ["tid: 12,", "tid: 120,", "tid: 1,", "tid: 12,", "tid: 1200,"];
    for (event, tid) in found.iter().zip(tids) {
        assert!(event.contains(tid), "{event} {tid}");
    }
}
