//! Writes JSON.

/// A text as a string of JSON, with its quotes.
pub(crate) fn string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
