//! A question of the page: a JSON object with an operation and its fields.

use crate::cancel::Cancel;
use crate::error::{Answered, EngineError};
use crate::parse::{Parser, Value};

/// A question, parsed.
#[derive(Debug)]
pub(crate) struct Ask<'a> {
    fields: Vec<Field<'a>>,
    /// Whether the answer is wanted still.
    pub cancel: &'a Cancel,
}

#[derive(Debug)]
struct Field<'a> {
    name: String,
    value: Value,
    /// The value as the question has it.
    text: &'a str,
}

impl<'a> Ask<'a> {
    pub fn parse(bytes: &'a [u8], cancel: &'a Cancel) -> Answered<Self> {
        let text = std::str::from_utf8(bytes)
            .map_err(|_| EngineError::NotJson("it is not UTF-8".to_owned()))?;
        let mut parser = Parser::new(text);
        let mut fields = Vec::new();
        let whole =
            parser.object(&mut |name, value, text| fields.push(Field { name, value, text }));
        match whole.and_then(|()| parser.end()) {
            Some(()) => Ok(Self { fields, cancel }),
            None => Err(EngineError::NotJson(format!("at byte {}", parser.place())).into()),
        }
    }

    /// An error once the answer is not wanted any more.
    pub fn check(&self) -> Answered {
        self.cancel.check()
    }

    fn field(&self, name: &str) -> Option<&Field<'a>> {
        self.fields.iter().rev().find(|field| field.name == name)
    }

    fn value(&self, name: &str) -> &Value {
        self.field(name).map_or(&Value::Null, |field| &field.value)
    }

    pub fn text(&self, field: &'static str) -> Answered<&str> {
        match self.value(field) {
            Value::Text(text) => Ok(text),
            _ => Err(self.other(field, "text")),
        }
    }

    pub fn f64(&self, field: &'static str) -> Answered<f64> {
        match self.value(field) {
            Value::Number(number) => Ok(number.value),
            _ => Err(self.other(field, "a number")),
        }
    }

    pub fn u32(&self, field: &'static str) -> Answered<u32> {
        let row = self.value(field).row();
        row.ok_or_else(|| self.other(field, "a row number"))
    }

    pub fn u32s(&self, field: &'static str) -> Answered<Vec<u32>> {
        let mut rows = Vec::new();
        if let Value::List(values) = self.value(field) {
            rows.extend(values.iter().map_while(Value::row));
            if rows.len() == values.len() {
                return Ok(rows);
            }
        }
        Err(self.other(field, "a list of row numbers"))
    }

    /// Whether a field is there, and not null.
    pub fn has(&self, field: &str) -> bool {
        !matches!(self.value(field), Value::Null)
    }

    /// A field that may be missing or null.
    pub fn maybe<T>(
        &self,
        field: &'static str,
        get: impl Fn(&Self, &'static str) -> Answered<T>,
    ) -> Answered<Option<T>> {
        if !self.has(field) {
            Ok(None)
        } else {
            get(self, field).map(Some)
        }
    }

    /// A text that may be missing.
    pub fn maybe_text(&self, field: &'static str) -> Answered<Option<&str>> {
        if !self.has(field) {
            Ok(None)
        } else {
            self.text(field).map(Some)
        }
    }

    /// A number that may be missing.
    pub fn f64_or(&self, field: &'static str, usual: f64) -> Answered<f64> {
        if !self.has(field) {
            Ok(usual)
        } else {
            self.f64(field)
        }
    }

    /// A count or row number that may be missing.
    pub fn u32_or(&self, field: &'static str, usual: u32) -> Answered<u32> {
        if !self.has(field) {
            Ok(usual)
        } else {
            self.u32(field)
        }
    }

    /// A row of a table that has `count`.
    pub fn row(&self, field: &'static str, count: usize) -> Answered<u32> {
        existing(field, self.u32(field)?, count)
    }

    pub fn flag(&self, field: &str) -> bool {
        matches!(self.value(field), Value::Bool(true))
    }

    /// Which of some names the field has; `None` where it is missing.
    pub fn choice(
        &self,
        field: &'static str,
        expected: &'static str,
        known: &[&str],
    ) -> Answered<Option<usize>> {
        let Some(text) = self.maybe_text(field)? else {
            return Ok(None);
        };
        let found = known.iter().position(|name| *name == text);
        found.map(Some).ok_or_else(|| self.other(field, expected))
    }

    /// The error of a field that is not what is expected.
    #[cold]
    #[inline(never)]
    pub fn other(&self, field: &'static str, expected: &'static str) -> Box<EngineError> {
        let found = self.field(field).map_or("nothing", |field| field.text);
        Box::new(EngineError::Field {
            field,
            expected,
            found: shortened(found),
        })
    }
}

/// The row, if the table that has `count` has it.
pub(crate) fn existing(field: &'static str, row: u32, count: usize) -> Answered<u32> {
    if (row as usize) < count {
        Ok(row)
    } else {
        Err(no_such_row(field, row, count))
    }
}

#[cold]
#[inline(never)]
pub(crate) fn no_such_row(field: &'static str, row: u32, count: usize) -> Box<EngineError> {
    Box::new(EngineError::NoSuchRow {
        field,
        id: row.into(),
        count: count as u64,
    })
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(80) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}
