//! Switches are read back as they were recorded.

use testkit::{DatEvent, Machine};

/// Switches of arbitrary threads are read back as they were recorded.
#[test]
fn switches_come_back() {
    let switch = |ts, prev: i64, next: i64, state: i64| DatEvent {
        ts,
        cpu: 0,
        tid: prev as u32,
        name: "sched_switch",
        values: vec![
            "a name of 15 by".into(),
            prev.into(),
            120.into(),
            state.into(),
            "".into(),
            next.into(),
            (-1).into(),
        ],
    };
    let events = [
        switch(10, 0, 7, 0),
        switch(20, 7, 9, 2),
        switch(35, 9, 0, 256),
    ];
    let pages = testkit::DatBytes::pages(&events, Machine::USUAL, 4096);
    let trace = crate::story::open(&testkit::DatBytes::of(6, Machine::USUAL, pages).to_bytes());
    let story = crate::story::Story::of(&trace);
    assert_eq!(
        story.sched,
        [
            "10 +10 cpu 0 thread 7 D -1",
            "20 +15 cpu 0 thread 9 R+ -1",
            "35 +-1 cpu 0 thread 0  -1"
        ]
    );
}
