//! Reads answers in the same way as the page.

use serde_json::{Map, Value};
use traceloom_engine::{Cancel, Engine};

use crate::packed::stretches;

/// A parsed answer.
pub struct Answer {
    pub json: Map<String, Value>,
    bytes: Vec<u8>,
    start: usize,
}

/// Asks a question; fails if there is no answer.
pub fn ask(engine: &Engine, question: Value) -> Answer {
    let answer = ask_any(engine, &question);
    assert!(
        !answer.json.contains_key("error"),
        "{question}: {}",
        answer.json["error"]
    );
    answer
}

/// Asks a question.
pub fn ask_any(engine: &Engine, question: &Value) -> Answer {
    Answer::of(engine.answer(question.to_string().as_bytes(), &Cancel::default()))
}

impl Answer {
    /// Reads a frame.
    pub fn of(bytes: Vec<u8>) -> Self {
        let length = u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
        let json = serde_json::from_slice(&bytes[4..4 + length]).unwrap();
        let start = (4 + length).next_multiple_of(8);
        Self { json, bytes, start }
    }

    /// All columns, as they are sent.
    pub fn bytes_of_all(&self) -> &[u8] {
        &self.bytes[self.start..]
    }

    /// A column of bytes.
    pub fn bytes(&self, name: &str) -> Vec<u8> {
        let (kind, bytes) = self.column(name);
        assert_eq!(kind, "u8", "{name}");
        bytes.to_vec()
    }

    fn column(&self, name: &str) -> (&str, &[u8]) {
        let mut at = self.start;
        for column in self.json["columns"].as_array().unwrap() {
            let (this, kind) = (column[0].as_str().unwrap(), column[1].as_str().unwrap());
            let width = match kind {
                "f64" => 8,
                "u32" | "f32" => 4,
                "u16" => 2,
                _ => 1,
            };
            let length = column[2].as_u64().unwrap() as usize * width;
            if this == name {
                return (kind, &self.bytes[at..at + length]);
            }
            at = (at + length).next_multiple_of(8);
        }
        panic!("no column {name}");
    }

    /// A column of integers.
    pub fn ints(&self, name: &str) -> Vec<u32> {
        let (kind, bytes) = self.column(name);
        match kind {
            "u8" => bytes.iter().map(|byte| u32::from(*byte)).collect(),
            "u16" => {
                let chunks = bytes.chunks(2);
                chunks
                    .map(|two| u16::from_le_bytes(two.try_into().unwrap()).into())
                    .collect()
            }
            "u32" => {
                let chunks = bytes.chunks(4);
                chunks
                    .map(|four| u32::from_le_bytes(four.try_into().unwrap()))
                    .collect()
            }
            other => panic!("column {name} is {other}"),
        }
    }

    /// A column of floats.
    pub fn floats(&self, name: &str) -> Vec<f64> {
        match name {
            "s_ts" | "s_end" | "s_id" | "t_ts" | "t_end" => return self.packed(name),
            _ => {}
        }
        let (kind, bytes) = self.column(name);
        assert_eq!(kind, "f64", "column {name}");
        let chunks = bytes.chunks(8);
        chunks
            .map(|eight| f64::from_le_bytes(eight.try_into().unwrap()))
            .collect()
    }

    /// The contents of `s_times` or `t_times`.
    fn packed(&self, name: &str) -> Vec<f64> {
        let (letter, part) = name.split_once('_').unwrap();
        let (_, bytes) = self.column(&format!("{letter}_times"));
        let [ts, end, id] = stretches(bytes, letter == "s");
        match part {
            "ts" => ts,
            "end" => end,
            _ => id,
        }
    }

    /// A value of the JSON part as a number.
    pub fn number(&self, key: &str) -> f64 {
        self.json[key]
            .as_f64()
            .unwrap_or_else(|| panic!("{key}: {:?}", self.json.get(key)))
    }

    /// A list of texts.
    pub fn texts(&self, key: &str) -> Vec<String> {
        let list = self.json[key].as_array().unwrap();
        list.iter()
            .map(|text| text.as_str().unwrap().to_owned())
            .collect()
    }
}
