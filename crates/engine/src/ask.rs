//! A question of the page: a JSON object with an operation and its fields.

use crate::error::EngineError;
use crate::parse::{Parser, Value};

/// A question, parsed.
#[derive(Debug)]
pub(crate) struct Ask<'a> {
    fields: Vec<Field<'a>>,
}

#[derive(Debug)]
struct Field<'a> {
    name: String,
    value: Value,
    /// The value as the question has it.
    text: &'a str,
}

impl<'a> Ask<'a> {
    pub fn parse(bytes: &'a [u8]) -> Result<Self, EngineError> {
        let text = std::str::from_utf8(bytes)
            .map_err(|_| EngineError::NotJson("it is not UTF-8".to_owned()))?;
        let mut parser = Parser::new(text);
        let mut fields = Vec::new();
        let whole =
            parser.object(&mut |name, value, text| fields.push(Field { name, value, text }));
        match whole.and_then(|()| parser.end()) {
            Some(()) => Ok(Self { fields }),
            None => Err(EngineError::NotJson(format!("at byte {}", parser.place()))),
        }
    }

    pub fn op(&self) -> Result<&str, EngineError> {
        self.text("op")
    }

    fn field(&self, name: &str) -> Option<&Field<'a>> {
        self.fields.iter().rev().find(|field| field.name == name)
    }

    pub fn text(&self, field: &'static str) -> Result<&str, EngineError> {
        match self.field(field).map(|field| &field.value) {
            Some(Value::Text(text)) => Ok(text),
            _ => Err(self.other(field, "text")),
        }
    }

    pub fn f64(&self, field: &'static str) -> Result<f64, EngineError> {
        match self.field(field).map(|field| &field.value) {
            Some(Value::Number(number)) => Ok(number.value),
            _ => Err(self.other(field, "a number")),
        }
    }

    pub fn u32(&self, field: &'static str) -> Result<u32, EngineError> {
        let value = self.field(field).and_then(|field| field.value.row());
        value.ok_or_else(|| self.other(field, "a row number"))
    }

    pub fn u32s(&self, field: &'static str) -> Result<Vec<u32>, EngineError> {
        let all = match self.field(field).map(|field| &field.value) {
            Some(Value::List(values)) => values.iter().map(Value::row).collect(),
            _ => None,
        };
        all.ok_or_else(|| self.other(field, "a list of row numbers"))
    }

    /// A field that may be missing or null.
    pub fn maybe<T>(
        &self,
        field: &'static str,
        get: impl Fn(&Self, &'static str) -> Result<T, EngineError>,
    ) -> Result<Option<T>, EngineError> {
        match self.has(field) {
            false => Ok(None),
            true => get(self, field).map(Some),
        }
    }

    fn has(&self, field: &str) -> bool {
        !matches!(
            self.field(field).map(|field| &field.value),
            None | Some(Value::Null)
        )
    }

    pub fn flag(&self, field: &str) -> bool {
        let value = self.field(field).map(|field| &field.value);
        matches!(value, Some(Value::Bool(true)))
    }

    #[cold]
    #[inline(never)]
    fn other(&self, field: &'static str, expected: &'static str) -> EngineError {
        let found = self.field(field).map_or("nothing", |field| field.text);
        EngineError::Field {
            field,
            expected,
            found: shortened(found),
        }
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(80) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}
