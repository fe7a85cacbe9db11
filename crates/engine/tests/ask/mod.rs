//! Asks an engine questions in tests, and reads its answers in the same way as the page.

mod packed;

use std::collections::BTreeMap;

use serde_json::Value;
use traceloom_engine::{Cancel, Engine};
use traceloom_formats::{ReadOptions, read_bytes};
use traceloom_trace::Trace;

use packed::stretches;

/// A parsed answer: its JSON, and its columns as numbers.
pub struct Answer {
    pub json: Value,
    pub columns: BTreeMap<String, Vec<f64>>,
}

/// An example trace of the repository.
pub fn example(name: &str) -> Trace {
    let path = testkit::workspace_root().join("examples").join(name);
    let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    read_bytes(&bytes, ReadOptions::default()).unwrap()
}

/// Asks a question, and parses the answer.
pub fn ask(engine: &Engine, question: &Value) -> Answer {
    let bytes = engine.answer(question.to_string().as_bytes(), &Cancel::default());
    let length = u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
    let json: Value = serde_json::from_slice(&bytes[4..4 + length]).unwrap();
    let mut at = (4 + length).next_multiple_of(8);
    let mut columns = BTreeMap::new();
    for column in json["columns"].as_array().unwrap() {
        let (kind, count) = (column[1].as_str().unwrap(), column[2].as_u64().unwrap());
        let (values, end) = read(&bytes[at..], kind, count as usize);
        columns.insert(column[0].as_str().unwrap().to_owned(), values);
        at = (at + end).next_multiple_of(8);
    }
    assert_eq!(at, bytes.len(), "{question}");
    for (letter, has_ids) in [("s", true), ("t", false)] {
        if let Some(packed) = columns.remove(&format!("{letter}_times")) {
            let packed: Vec<u8> = packed.iter().map(|byte| *byte as u8).collect();
            let [ts, end, id] = stretches(&packed, has_ids);
            columns.insert(format!("{letter}_ts"), ts);
            columns.insert(format!("{letter}_end"), end);
            if has_ids {
                columns.insert("s_id".to_owned(), id);
            }
        }
    }
    Answer { json, columns }
}

fn read(bytes: &[u8], kind: &str, count: usize) -> (Vec<f64>, usize) {
    let width = match kind {
        "f64" => 8,
        "u32" | "f32" => 4,
        "u16" => 2,
        _ => 1,
    };
    let values = bytes[..count * width].chunks(width);
    let value = |bytes: &[u8]| match kind {
        "f64" => f64::from_le_bytes(bytes.try_into().unwrap()),
        "f32" => f32::from_le_bytes(bytes.try_into().unwrap()).into(),
        "u32" => u32::from_le_bytes(bytes.try_into().unwrap()).into(),
        "u16" => u16::from_le_bytes(bytes.try_into().unwrap()).into(),
        _ => bytes[0].into(),
    };
    (values.map(value).collect(), count * width)
}
