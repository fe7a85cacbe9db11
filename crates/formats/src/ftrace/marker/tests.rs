use super::*;

#[test]
fn every_payload() {
    let is = |text: &'static str, expected: Mark<'static>| {
        assert_eq!(mark(text.as_bytes()), expected, "{text}");
    };
    let (pid, track) = (7, None);
    is("B|7|a|b", Mark::Begin { pid, name: b"a|b" });
    is("B|7|", Mark::Begin { pid, name: b"" });
    is("B|7|a\n\0", Mark::Begin { pid, name: b"a" });
    is("E", Mark::End { pid: 0 });
    is("E|7", Mark::End { pid });
    is("E|7|name", Mark::End { pid });
    is("E|", Mark::End { pid: 0 });
    is(
        "C|7|n|x|-3",
        Mark::Counter {
            pid,
            name: b"n|x",
            value: CounterValue::Whole(-3),
            category: b"",
        },
    );
    is(
        "C|7|n|3|view",
        Mark::Counter {
            pid,
            name: b"n",
            value: CounterValue::Whole(3),
            category: b"view",
        },
    );
    is(
        "C|7|n|1.5",
        Mark::Counter {
            pid,
            name: b"n",
            value: CounterValue::Float(1.5),
            category: b"",
        },
    );
    is(
        "S|7|a|b|9",
        Mark::AsyncBegin {
            pid,
            track,
            name: b"a|b",
            cookie: Cookie::Number(9),
        },
    );
    is(
        "F|7|a|-9",
        Mark::AsyncEnd {
            pid,
            track,
            name: b"a",
            cookie: Cookie::Number(-9),
        },
    );
    is(
        "I|7|now",
        Mark::Instant {
            pid,
            track,
            name: b"now",
        },
    );
    let track = Some(&b"t"[..]);
    is(
        "N|7|t|now",
        Mark::Instant {
            pid,
            track,
            name: b"now",
        },
    );
    is(
        "G|7|t|a|9",
        Mark::AsyncBegin {
            pid,
            track,
            name: b"a",
            cookie: Cookie::Number(9),
        },
    );
    is(
        "H|7|t|9",
        Mark::AsyncEnd {
            pid,
            track,
            name: b"",
            cookie: Cookie::Number(9),
        },
    );
    is(
        "H|7|t|a|9",
        Mark::AsyncEnd {
            pid,
            track,
            name: b"a",
            cookie: Cookie::Number(9),
        },
    );
    is(
        "S|7|a|0x9 b",
        Mark::AsyncBegin {
            pid,
            track: None,
            name: b"a",
            cookie: Cookie::Text(b"0x9 b"),
        },
    );
    is(
        "S|7|H:a|9|M62|c|k=v",
        Mark::AsyncBegin {
            pid,
            track: None,
            name: b"H:a|9|M62|c|k=v",
            cookie: Cookie::Number(9),
        },
    );
    is(
        "C|7|H:queue size 5",
        Mark::Counter {
            pid,
            name: b"H:queue size",
            value: CounterValue::Whole(5),
            category: b"",
        },
    );
    is(
        "C|7|queue x",
        Mark::Text {
            text: b"C|7|queue x",
        },
    );
    is("hello", Mark::Text { text: b"hello" });
    is("C|7|n|x", Mark::Text { text: b"C|7|n|x" });
}

#[test]
fn clock_markers_know_how_coarse_they_are() {
    let parent = |text: &str| match mark(text.as_bytes()) {
        Mark::ParentTime {
            value_ns,
            precision_ns,
        } => (value_ns, precision_ns),
        other => panic!("{other:?}"),
    };
    let day = parent("trace_event_clock_sync: parent_ts=86400.500000\n");
    assert_eq!(day, (86_400_500_000_000, 7_812_500));
    let exact = parent("trace_event_clock_sync: parent_ts=86400.500123");
    assert_eq!(exact, (86_400_500_123_000, 1_000));
    assert_eq!(
        mark(b"trace_event_clock_sync: realtime_ts=1503658729660"),
        Mark::Realtime {
            value_ms: 1_503_658_729_660
        }
    );
    assert_eq!(
        mark(b"trace_event_clock_sync: name=ab-c"),
        Mark::SyncName { name: b"ab-c" }
    );
}
