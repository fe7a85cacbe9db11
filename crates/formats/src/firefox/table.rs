//! The tables of a profile, in both of their forms: a list for each column, or a list for each row.
//!
//! ```text
//! {"stack": [0, 1], "time": [0.5, 1.5], "length": 2}
//! {"schema": {"stack": 0, "time": 1}, "data": [[0, 0.5], [1, 1.5]]}
//! ```

use std::borrow::Cow;

use crate::json::{Fields, Items, Value, int};
use crate::profile::NONE;

/// An object, whose fields are looked up by name.
#[derive(Clone, Default)]
pub(super) struct Object<'a> {
    fields: Vec<(Cow<'a, [u8]>, Value<'a>)>,
    /// Whether its text ends early or contains something invalid.
    pub is_broken: bool,
}

impl<'a> Object<'a> {
    /// Reads the object at the start of `text`. Anything else has no fields.
    pub fn new(text: &'a [u8]) -> Self {
        let mut walk = Fields::new(text);
        let fields = walk.by_ref().collect();
        Self {
            fields,
            is_broken: walk.is_broken(),
        }
    }

    /// The value of a field that is not null.
    pub fn get(&self, name: &str) -> Option<&Value<'a>> {
        let mut fields = self.fields.iter();
        let (_, value) = fields.find(|(key, _)| &**key == name.as_bytes())?;
        (*value != Value::Word(b"null")).then_some(value)
    }

    /// An object inside; empty if it is missing.
    pub fn object(&self, name: &str) -> Self {
        Self::new(self.text_of(name))
    }

    /// The values of a list inside; none if it is missing.
    pub fn list(&self, name: &str) -> Items<'a> {
        Items::new(self.text_of(name))
    }

    fn text_of(&self, name: &str) -> &'a [u8] {
        match self.get(name) {
            Some(Value::Nested(text)) => text,
            _ => b"",
        }
    }

    /// The text of a string or of a number.
    pub fn text(&self, name: &str) -> Option<&[u8]> {
        self.get(name)?.text()
    }

    /// A number.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.get(name)?.number()
    }

    /// Its fields in their order.
    pub fn fields(&self) -> impl Iterator<Item = &(Cow<'a, [u8]>, Value<'a>)> {
        self.fields.iter()
    }

    /// Whether it has a column.
    pub fn has_column(&self, name: &str) -> bool {
        self.get(name).is_some() || self.object("schema").get(name).is_some()
    }

    /// The cells of a column.
    pub fn column(&self, name: &str) -> Cells<'a> {
        let place = self.object("schema").get(name).and_then(index);
        match place {
            Some(place) => Cells {
                items: self.list("data"),
                place: Some(place as usize),
            },
            None => Cells {
                items: self.list(name),
                place: None,
            },
        }
    }

    /// The cells of a column of row numbers; [`NONE`] for a cell without one.
    pub fn indexes(&self, name: &str) -> Vec<u32> {
        let cells = self.column(name);
        cells.map(|cell| index(&cell).unwrap_or(NONE)).collect()
    }

    /// The cells of a column of numbers.
    pub fn numbers(&self, name: &str) -> Vec<Option<f64>> {
        self.column(name).map(|cell| cell.number()).collect()
    }
}

/// The cells of a column.
pub(super) struct Cells<'a> {
    items: Items<'a>,
    /// The place of the column in each row; `None` if the items are the cells.
    place: Option<usize>,
}

impl<'a> Iterator for Cells<'a> {
    type Item = Value<'a>;

    fn next(&mut self) -> Option<Value<'a>> {
        let item = self.items.next()?;
        let Some(place) = self.place else {
            return Some(item);
        };
        // Rows leave out the nulls at their end.
        let cell = match item {
            Value::Nested(row) => Items::new(row).nth(place),
            _ => None,
        };
        Some(cell.unwrap_or(Value::Word(b"null")))
    }
}

/// A row number. Null and -1 are none.
pub(super) fn index(cell: &Value<'_>) -> Option<u32> {
    let index = u32::try_from(int(cell.text()?)?).ok()?;
    (index != NONE).then_some(index)
}

/// The entry of a column in a row; `default` if there is none.
pub(super) fn at<T: Copy>(column: &[T], row: u32, default: T) -> T {
    column.get(row as usize).copied().unwrap_or(default)
}

/// The object that a value is.
pub(super) fn nested<'a>(value: &Value<'a>) -> Option<Object<'a>> {
    match value {
        Value::Nested(text @ [b'{', ..]) => Some(Object::new(text)),
        _ => None,
    }
}
