//! A question from the page: a JSON object with an operation and its fields.

use serde::Deserialize;
use serde_json::error::Category;

use crate::cancel::Cancel;
use crate::error::{Answered, EngineError};
use crate::field::{before, field_at};
use crate::text::{LIST_CHARS, cut};

/// A question, and whether its answer is still wanted. Each operation reads the fields it needs.
#[derive(Debug)]
pub(crate) struct Ask<'a> {
    json: &'a str,
    pub cancel: &'a Cancel,
}

impl<'a> Ask<'a> {
    /// # Errors
    /// If the question is not UTF-8 or does not start like a JSON object.
    pub fn new(bytes: &'a [u8], cancel: &'a Cancel) -> Answered<Self> {
        let not_json = |why: &str| EngineError::NotJson(why.to_owned());
        let json = std::str::from_utf8(bytes).map_err(|_| not_json("it is not UTF-8"))?;
        if !json.trim_ascii_start().starts_with('{') {
            return Err(not_json("it does not start with {").into());
        }
        Ok(Self { json, cancel })
    }

    /// The fields of `T`. Other fields are ignored.
    ///
    /// # Errors
    /// If the question is not JSON, or if a field is missing or of another type.
    pub fn read<T: Deserialize<'a>>(&self) -> Answered<T> {
        let mut json = serde_json::Deserializer::from_str(self.json);
        let read = T::deserialize(&mut json).map_err(|error| self.why_not(&error))?;
        json.end().map_err(|error| self.why_not(&error))?;
        Ok(read)
    }

    /// The error for an invalid question, derived from serde's error.
    #[cold]
    fn why_not(&self, error: &serde_json::Error) -> Box<EngineError> {
        let problem = cut(&error.to_string(), LIST_CHARS).into_owned();
        if error.classify() != Category::Data {
            return Box::new(EngineError::NotJson(problem));
        }
        let field = field_at(before(self.json, error.line(), error.column()));
        Box::new(match field.as_str() {
            "" => EngineError::Fields(problem),
            _ => EngineError::Field { field, problem },
        })
    }

    /// # Errors
    /// If the answer is no longer wanted.
    pub fn check(&self) -> Answered {
        self.cancel.check()
    }
}

/// The error for a field whose value has the right type but is not an allowed value.
#[cold]
pub(crate) fn unexpected(
    field: &'static str,
    expected: &str,
    found: impl std::fmt::Display,
) -> Box<EngineError> {
    let problem = format!("expected {expected}, found {found}");
    Box::new(EngineError::Field {
        field: field.to_owned(),
        problem: cut(&problem, LIST_CHARS).into_owned(),
    })
}

/// Checks that a table of `count` rows has `row`.
pub(crate) fn existing(field: &'static str, row: u32, count: usize) -> Answered<u32> {
    if (row as usize) < count {
        Ok(row)
    } else {
        Err(no_such_row(field, row, count))
    }
}

#[cold]
pub(crate) fn no_such_row(field: &'static str, row: u32, count: usize) -> Box<EngineError> {
    Box::new(EngineError::NoSuchRow {
        field,
        id: row.into(),
        count: count as u64,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize, Debug)]
    struct Question {
        row: u32,
        ts: Option<f64>,
        rows: Option<Vec<u32>>,
    }

    fn read(question: &[u8]) -> Result<Question, String> {
        let cancel = Cancel::default();
        let read = Ask::new(question, &cancel).and_then(|ask| ask.read());
        read.map_err(|error| error.to_string())
    }

    #[test]
    fn fields_are_read_and_others_are_ignored() {
        let question = read(br#" {"row":4294967295,"ts":1,"rows":null,"more":[{}]} "#).unwrap();
        assert_eq!((question.row, question.ts), (u32::MAX, Some(1.0)));
        assert_eq!(question.rows, None);
    }

    #[test]
    fn errors_name_the_field_the_expected_and_the_found() {
        for (question, parts) in [
            (
                r#"{"row":1,"ts":"late"}"#,
                ["field \"ts\"", "f64", "\"late\""],
            ),
            (r#"{"row":-1}"#, ["field \"row\"", "u32", "-1"]),
            (
                r#"{"row":4294967296}"#,
                ["field \"row\"", "u32", "4294967296"],
            ),
            (r#"{"row":1.0}"#, ["field \"row\"", "u32", "1.0"]),
            (
                r#"{"row":1,"rows":[1,[]]}"#,
                ["field \"rows[1]\"", "u32", "sequence"],
            ),
            ("{\"row\":1,\n \"ts\" : {}}", ["field \"ts\"", "f64", "map"]),
            (r#"{"ts":1}"#, ["the question", "missing field", "row"]),
        ] {
            let error = read(question.as_bytes()).unwrap_err();
            assert!(parts.iter().all(|part| error.contains(part)), "{error}");
        }
        let long = format!("{{\"row\":\"{}\"}}", "x".repeat(1 << 20));
        assert!(read(long.as_bytes()).unwrap_err().len() < 1000);
    }

    #[test]
    fn hostile_questions_are_errors() {
        let deep = [
            "{\"row\":".repeat(100_000),
            format!("{{\"row\":{}", "[".repeat(100_000)),
            format!("{{\"row\":1,\"other\":{}", "[".repeat(100_000)),
            format!("{{\"row\":1,\"rows\":{}", "[".repeat(100_000)),
        ];
        for question in &deep {
            assert!(read(question.as_bytes()).is_err());
        }
        for question in [
            &b"{\"row\":1,\"x\":\"\xff\"}"[..],
            b"",
            b"[1]",
            b"{}",
            b"{\"row\":1} 2",
            b"{\"row\":01}",
            b"{\"row\":1,\"ts\":1e400}",
            b"{\"row\":1,}",
            b"{row:1}",
            b"{\"row\":1,\"ts\":\"\\ud83d\"}",
        ] {
            assert!(read(question).is_err(), "{question:?}");
        }
    }
}
