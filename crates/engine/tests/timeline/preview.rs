//! The preview of a report: the answers to the questions of the page's first picture.
//! Tests of the page check in a browser that it suffices for the picture.

use std::collections::HashSet;

use serde_json::Value;
use traceloom_engine::Engine;
use traceloom_trace::{Trace, TraceBuilder};

use crate::frame::{Answer, ask};
use crate::made::app;

/// The questions of a preview, each with its answer.
fn kept(engine: &Engine) -> Vec<(Value, Answer)> {
    let preview = Answer::of(engine.preview());
    let questions = preview.json["questions"].as_array().unwrap();
    let answer = |at: usize| Answer::of(preview.bytes(&at.to_string()));
    let answers = (0..questions.len()).map(answer);
    questions.iter().cloned().zip(answers).collect()
}

/// Checks that hold for the preview of every trace: no question fails, and every slice's name has a
/// text.
pub fn check(engine: &Engine) {
    let kept = kept(engine);
    let ops: Vec<_> = kept.iter().map(|(question, _)| &question["op"]).collect();
    assert_eq!(ops, ["meta", "rows", "window", "names"]);
    assert!(
        kept.iter()
            .all(|(_, answer)| !answer.json.contains_key("error"))
    );
    let [(_, meta), (_, rows), (window, shown), (names, texts)] = &kept[..] else {
        panic!("{ops:?}");
    };
    assert_eq!(
        window["to"].as_f64().unwrap(),
        meta.number("duration_ns").max(1000.0)
    );
    let count = rows.texts("names").len() as u64;
    let asked = window["rows"].as_array().unwrap();
    assert!(asked.iter().all(|row| row.as_u64().unwrap() < count));
    let ids: Vec<u32> = serde_json::from_value(names["ids"].clone()).unwrap();
    assert_eq!(texts.texts("names").len(), ids.len());
    let ids: HashSet<u32> = ids.into_iter().collect();
    let named = ["s_name", "i_name", "e_name"].map(|column| shown.ints(column));
    assert!(ids.len() == 4096 || named.iter().flatten().all(|name| ids.contains(name)));
}

#[test]
fn the_answers_are_those_of_the_engine() {
    let engine = Engine::new(app(7_000_000));
    for (question, answer) in kept(&engine) {
        let again = ask(&engine, question);
        assert_eq!(again.json, answer.json);
        assert_eq!(again.bytes_of_all(), answer.bytes_of_all());
    }
}

#[test]
fn a_trace_without_events_has_a_preview() {
    check(&Engine::new(Trace::default()));
}

/// A preview is for one screen, however large the trace is.
#[test]
fn rows_below_the_screen_and_in_folded_rows_are_left_out() {
    let mut out = TraceBuilder::new();
    let name = out.intern(b"work");
    for tid in 1..=500 {
        let thread = out.thread(tid);
        out.put_in_process(thread, 1);
        let track = out.thread_track(thread);
        out.instant(track, tid, name, Default::default());
    }
    let engine = Engine::new(out.finish());
    let (window, _) = &kept(&engine)[2];
    let rows = window["rows"].as_array().unwrap().len();
    assert!((40..100).contains(&rows), "{rows}");
    assert!(
        engine.preview().len() < 60_000,
        "{}",
        engine.preview().len()
    );
}
