//! Chrome's JSON with many parts of each kind.

use super::kind::{Kind, joined};

pub(super) const KINDS: &[Kind] = &[
    ("JSON slices of one thread", |n| {
        events(n, |i| {
            format!(r#"{{"ph":"X","pid":1,"tid":1,"ts":{i},"dur":1,"name":"a"}}"#)
        })
    }),
    ("JSON slices that cross", |n| {
        events(n, |i| {
            format!(r#"{{"ph":"X","pid":1,"tid":1,"ts":{i},"dur":{n},"name":"a"}}"#)
        })
    }),
    ("JSON threads", |n| {
        events(n, |i| {
            format!(r#"{{"ph":"X","pid":1,"tid":{i},"ts":1,"dur":1,"name":"a"}}"#)
        })
    }),
    ("JSON processes", |n| {
        events(n, |i| {
            format!(r#"{{"ph":"X","pid":{i},"tid":{i},"ts":1,"dur":1,"name":"a"}}"#)
        })
    }),
    ("JSON names of threads", |n| {
        events(n, |i| {
            format!(
                r#"{{"ph":"M","pid":1,"tid":{i},"ts":1,"name":"thread_name","args":{{"name":"n{i}"}}}}"#
            )
        })
    }),
    ("JSON counters", |n| {
        events(n, |i| {
            format!(r#"{{"ph":"C","pid":1,"tid":1,"ts":1,"name":"c{i}","args":{{"v":1}}}}"#)
        })
    }),
    ("JSON asyncs that never end", |n| {
        events(n, |i| {
            format!(r#"{{"ph":"b","pid":1,"tid":1,"ts":{i},"id":{i},"cat":"c","name":"a"}}"#)
        })
    }),
    ("JSON asyncs of one id", |n| {
        events(n, |i| {
            format!(r#"{{"ph":"b","pid":1,"tid":1,"ts":{i},"id":1,"cat":"c","name":"a"}}"#)
        })
    }),
    ("JSON flows", |n| {
        events(n, |i| {
            format!(r#"{{"ph":"s","pid":1,"tid":1,"ts":{i},"id":{i},"cat":"c","name":"a"}}"#)
        })
    }),
    ("JSON begins", |n| {
        events(n, |i| {
            format!(r#"{{"ph":"B","pid":1,"tid":1,"ts":{i},"name":"a"}}"#)
        })
    }),
    ("JSON ends", |n| {
        events(n, |i| format!(r#"{{"ph":"E","pid":1,"tid":1,"ts":{i}}}"#))
    }),
    ("JSON clock markers", |n| {
        events(n, |i| {
            format!(
                r#"{{"ph":"c","pid":1,"tid":1,"ts":{i},"name":"clock_sync","args":{{"sync_id":"m{i}"}}}}"#
            )
        })
    }),
    ("JSON arguments", |n| {
        events(1, |_| {
            let args: Vec<String> = (0..n).map(|i| format!("\"k{i}\":{i}")).collect();
            format!(
                r#"{{"ph":"X","pid":1,"tid":1,"ts":1,"dur":1,"name":"a","args":{{{}}}}}"#,
                args.join(",")
            )
        })
    }),
    ("JSON names", |n| {
        events(n, |i| {
            format!(r#"{{"ph":"X","pid":1,"tid":1,"ts":{i},"dur":1,"name":"name {i}"}}"#)
        })
    }),
    ("JSON elements that are no events", |n| {
        events(n, |_| "7".to_owned())
    }),
    ("JSON members", |n| {
        members(n, |i| format!(r#","key{i}":{i}"#))
    }),
    ("JSON facts", |n| {
        let facts = joined(n, |i| format!(r#""fact{i}":"{i}","#));
        members(1, |_| format!(r#","otherData":{{{facts}"last":1}}"#))
    }),
    ("JSON inner traces", |n| {
        members(n, |i| {
            format!(
                r#","systemTraceEvents":" app-{} [000] .... 1.000001: tracing_mark_write: C|7|n|1\n""#,
                i + 10
            )
        })
    }),
    ("JSON power traces", |n| {
        members(n, |_| {
            r##","powerTraceAsString":"# BattOr\n1 2 3\n""##.to_owned()
        })
    }),
];

fn events(count: usize, event: impl Fn(usize) -> String) -> Vec<u8> {
    let events: Vec<String> = (0..count).map(event).collect();
    format!(
        "[{{\"ph\":\"i\",\"pid\":1,\"tid\":1,\"ts\":1,\"name\":\"first\"}},{}]",
        events.join(",\n")
    )
    .into_bytes()
}

fn members(count: usize, member: impl Fn(usize) -> String) -> Vec<u8> {
    let first = r#"{"ph":"i","pid":1,"tid":1,"ts":1,"name":"first"}"#;
    format!("{{\"traceEvents\":[{first}]{}}}", joined(count, member)).into_bytes()
}
