//! Annotations with JSON. Each value inside an object or a list becomes an argument.
//!
//! ```text
//! view: {"id": 7, "size": [3, 4]}        debug.view.id = 7, debug.view.size[0] = 3, debug.view.size[1] = 4
//! ```

use serde_json::Value;
use traceloom_trace::ArgValue;

use super::super::wire::MOST_LEVELS;
use super::writer::{Writer, unsigned};

/// The maximum length of a text that is parsed, bytes. The parsed values take more memory than the text.
const LONGEST: usize = 1 << 20;

impl Writer<'_, '_> {
    /// Adds a JSON text. A text that cannot be parsed is stored as it is.
    pub fn json(&mut self, key: &str, text: &[u8]) {
        let short = (text.len() <= LONGEST).then_some(text);
        match short.and_then(|text| serde_json::from_slice(text).ok()) {
            Some(value) => self.json_value(key, &value, 0),
            None => {
                let text = self.out.intern(text);
                self.push(key, ArgValue::Json(text));
            }
        }
    }

    fn json_value(&mut self, key: &str, value: &Value, level: u32) {
        match value {
            Value::Null => {}
            Value::Bool(is_true) => self.push(key, ArgValue::Bool(*is_true)),
            Value::Number(number) => match (number.as_i64(), number.as_u64()) {
                (Some(int), _) => self.push(key, ArgValue::Int(int)),
                (_, Some(bits)) => self.push(key, unsigned(bits)),
                _ => self.push(key, ArgValue::Float(number.as_f64().unwrap_or_default())),
            },
            Value::String(text) => self.text(key, text.as_bytes()),
            Value::Array(items) if level < MOST_LEVELS => {
                let before = self.items.get(key).copied().unwrap_or(0);
                for (item, value) in items.iter().enumerate() {
                    self.json_value(&format!("{key}[{}]", before + item), value, level + 1);
                }
            }
            Value::Object(fields) if level < MOST_LEVELS => {
                for (name, value) in fields {
                    if let Some(key) = self.inner(key, name) {
                        self.json_value(&key, value, level + 1);
                    }
                }
            }
            Value::Array(_) | Value::Object(_) => self.limits.refused += 1,
        }
    }
}
