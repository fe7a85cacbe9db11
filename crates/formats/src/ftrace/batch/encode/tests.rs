//! Decoding returns what was encoded.

use proptest::prelude::*;
use traceloom_trace::{NO_FLAG, TaskState};

use super::*;
use crate::ftrace::event::{CpuValue, FieldList, Header, NO_TGID, Record, Value};

const NAMES: &[&[u8]] = &[
    b"",
    b"a",
    b"swapper/1",
    b"RenderThread",
    b"Binder:1234_1",
    b"\xff|x",
];

/// One line: nothing, or an event with its fields.
type Line = Option<(Record<'static>, Vec<Field<'static>>)>;

fn name() -> impl Strategy<Value = &'static [u8]> {
    proptest::sample::select(NAMES)
}

/// Numbers around the limits of their encodings.
fn number() -> impl Strategy<Value = i64> {
    const EDGES: &[i64] = &[
        0,
        1,
        1 << 29,
        (1 << 29) - 1,
        1 << 31,
        i64::MAX,
        1_000_000_000,
    ];
    let near = (proptest::sample::select(EDGES), -2..3_i64, any::<bool>());
    near.prop_map(|(edge, off, negative)| {
        let near = edge.wrapping_add(off);
        if negative { near.wrapping_neg() } else { near }
    })
}

fn value() -> impl Strategy<Value = Value<'static>> {
    prop_oneof![
        number().prop_map(Value::Int),
        number().prop_map(|value| Value::Hex(value as u64)),
        name().prop_map(Value::Text),
    ]
}

fn mark() -> impl Strategy<Value = Mark<'static>> {
    (any::<i32>(), name(), number(), name()).prop_flat_map(|(pid, name, number, category)| {
        let value = match number % 2 {
            0 => CounterValue::Whole(number),
            _ => CounterValue::Float(number as f64 / 3.0),
        };
        prop_oneof![
            Just(Mark::Begin { pid, name }),
            Just(Mark::End { pid }),
            Just(Mark::Counter {
                pid,
                name,
                value,
                category,
            }),
            Just(Mark::Text { text: name }),
        ]
    })
}

fn event() -> impl Strategy<Value = Event<'static>> {
    let idle = (0..9_u32, number(), any::<bool>()).prop_map(|(cpu, value, is_idle)| {
        let kind = if is_idle {
            CpuValueKind::Idle
        } else {
            CpuValueKind::Frequency
        };
        Event::CpuValue(CpuValue { kind, cpu, value })
    });
    prop_oneof![
        idle,
        mark().prop_map(Event::Mark),
        name().prop_map(Event::Unparsed),
        Just(Event::Header(Header::CpuEmpty(3))),
        name().prop_map(|name| Event::Fields(FieldsEvent {
            name,
            shape: NO_SHAPE
        })),
    ]
}

fn line() -> impl Strategy<Value = Line> {
    let front = (number(), any::<i32>(), -1..3_i32, 0..70_000_u32, name());
    let fields = proptest::collection::vec((name(), value()), 0..5);
    let line = (front, event(), fields).prop_map(|((ts, tid, tgid, cpu, comm), event, fields)| {
        let is_event = matches!(event, Event::Fields(_));
        let fields = fields.into_iter().filter(|_| is_event);
        let fields = fields.map(|(key, value)| Field { key, value }).collect();
        let record = Record {
            ts,
            tid,
            tgid,
            cpu,
            line: 0,
            comm,
            event,
        };
        (record, fields)
    });
    proptest::option::weighted(0.7, line)
}

/// Encodes these lines, each after this many lines without an event.
fn encode<'a>(lines: &[(usize, &(Record<'a>, Vec<Field<'a>>))], batch: &mut EventBatch<'a>) {
    let mut interned = Interned::default();
    let mut encoder = Encoder::new(batch, &mut interned);
    for (skipped, (record, fields)) in lines {
        (0..*skipped).for_each(|_| encoder.skip_line());
        let Record { ts, cpu, .. } = *record;
        let task = encoder.task(record.comm, record.tid, record.tgid);
        encoder.push(EventHead { task, cpu, ts }, record.event, fields);
    }
}

fn shown(record: &Record<'_>, fields: &[Field<'_>]) -> String {
    let (keys, values): (Vec<_>, Vec<_>) =
        fields.iter().map(|field| (field.key, field.value)).unzip();
    format!("{record:?} {keys:?} {values:?}")
}

proptest! {
    #[test]
    fn events_come_out_as_they_went_in(lines in proptest::collection::vec(line(), 0..40), often in 1..400_usize) {
        let mut skipped = 0;
        let mut packed = Vec::new();
        for line in &lines {
            match line {
                None => skipped += often,
                Some(line) => packed.push((std::mem::take(&mut skipped), line)),
            }
        }
        let mut batch = EventBatch::default();
        encode(&packed, &mut batch);
        let (mut records, mut nth) = (batch.records(), 0);
        for (skipped, (record, fields)) in packed {
            let out = records.next().unwrap();
            nth += skipped as u32;
            prop_assert_eq!(out.line, nth);
            nth += 1;
            let had_fields = matches!(record.event, Event::Fields(_));
            let FieldList { keys, values } = if had_fields { records.fields() } else { FieldList::default() };
            let out = Record { line: 0, ..out };
            prop_assert_eq!(format!("{out:?} {keys:?} {values:?}"), shown(record, fields));
        }
        prop_assert!(records.next().is_none());
        prop_assert_eq!(batch.lines, nth);
    }
}

#[test]
fn switches_and_wakes_name_tasks() {
    let mut batch = EventBatch::default();
    let mut interned = Interned::default();
    let mut encoder = Encoder::new(&mut batch, &mut interned);
    let [waker, idle, woken] =
        [(b"a", 1), (b"b", 0), (b"c", 7)].map(|(comm, tid)| encoder.task(comm, tid, NO_TGID));
    let front = |ts| EventHead {
        task: waker,
        cpu: 2,
        ts,
    };
    let woken_task = WokenTask {
        task: woken,
        prio: 97,
        target_cpu: 3,
    };
    encoder.wake(front(5), WakeKind::New, woken_task, NO_FLAG);
    encoder.wake(front(6), WakeKind::Waking, woken_task, 1);
    let switch = SwitchTasks {
        prev: idle,
        next: woken,
        prev_prio: -1,
        next_prio: -2,
        prev_state: TaskState::PREEMPTED,
    };
    encoder.switch(front(9), switch);
    let mut records = batch.records();
    let Some(Event::Wake(wake)) = records.next().map(|record| record.event) else {
        panic!("no wake-up");
    };
    assert_eq!(
        (wake.kind, wake.comm, wake.tid),
        (WakeKind::New, &b"c"[..], 7)
    );
    assert_eq!((wake.prio, wake.target_cpu), (97, 3));
    assert_eq!(wake.irq_context, NO_FLAG);
    let Some(Event::Wake(wake)) = records.next().map(|record| record.event) else {
        panic!("no wake-up");
    };
    assert_eq!((wake.tid, wake.irq_context), (7, 1));
    let record = records.next().unwrap();
    let Event::Switch(switch) = record.event else {
        panic!("no switch");
    };
    assert_eq!((record.ts, record.cpu, record.comm), (9, 2, &b"a"[..]));
    assert_eq!((switch.prev_comm, switch.prev_tid), (&b"b"[..], 0));
    assert_eq!((switch.next_comm, switch.next_tid), (&b"c"[..], 7));
    assert_eq!(
        (switch.prev_prio, switch.next_prio, switch.prev_state),
        (-1, -2, TaskState::PREEMPTED)
    );
}

#[test]
fn more_texts_than_short_numbers_have_room_for() {
    let names: Vec<String> = (0..70_000).map(|nth| format!("name {nth}")).collect();
    let mut batch = EventBatch::default();
    let mut interned = Interned::default();
    let mut encoder = Encoder::new(&mut batch, &mut interned);
    for (nth, name) in names.iter().enumerate() {
        let (pid, name) = (1, name.as_bytes());
        let task = encoder.task(name, nth as i32, NO_TGID);
        let front = EventHead {
            task,
            cpu: 0,
            ts: 0,
        };
        encoder.push(front, Event::Mark(Mark::Begin { pid, name }), &[]);
    }
    let mut records = batch.records();
    for (nth, expected) in names.iter().enumerate() {
        let record = records.next().unwrap();
        assert!(
            matches!(record.event, Event::Mark(Mark::Begin { name, .. }) if name == expected.as_bytes())
        );
        assert_eq!((record.tid, record.comm), (nth as i32, expected.as_bytes()));
    }
}
