//! Columns of values of one type.

use rusqlite::types::ValueRef;
use rustc_hash::FxHashMap;

use crate::operators::failure::Failure;
use crate::operators::meter::Meter;
use crate::operators::rows::Cell;

/// A column. NULLs are `None`.
#[derive(Clone, Debug)]
pub(super) enum Column {
    /// Only NULLs.
    Null,
    Integer(Vec<Option<i64>>),
    Real(Vec<Option<f64>>),
    /// Numbers of texts in [`Texts`].
    Text(Vec<Option<u32>>),
}

impl Column {
    pub fn is_number(&self) -> bool {
        matches!(self, Self::Integer(_) | Self::Real(_))
    }

    /// A key that is the same for equal values of the column; `None` for NULL.
    pub fn key(&self, row: usize) -> Option<u64> {
        match self {
            Self::Null => None,
            Self::Integer(values) => values[row].map(|value| value as u64),
            // Zero has two representations.
            Self::Real(values) => values[row].map(|value| (value + 0.0).to_bits()),
            Self::Text(values) => values[row].map(u64::from),
        }
    }

    /// A value as text; `None` for NULL. `real` formats real numbers.
    pub fn text(&self, row: usize, texts: &Texts, real: fn(f64) -> String) -> Option<String> {
        match self {
            Self::Null => None,
            Self::Integer(values) => values[row].map(|value| value.to_string()),
            Self::Real(values) => values[row].map(real),
            Self::Text(values) => values[row].map(|text| texts.get(text).to_owned()),
        }
    }

    /// A value of the column.
    pub fn cell(&self, row: usize, texts: &Texts) -> Cell {
        match self {
            Self::Null => Cell::Null,
            Self::Integer(values) => values[row].map_or(Cell::Null, Cell::Integer),
            Self::Real(values) => values[row].map_or(Cell::Null, Cell::Real),
            Self::Text(values) => {
                let text = values[row].map(|text| texts.get(text).as_bytes().into());
                text.map_or(Cell::Null, Cell::Text)
            }
        }
    }

    /// Appends a value. `rows` is the number of values so far.
    ///
    /// # Errors
    ///
    /// If the type of the value differs from the previous ones.
    pub fn push(
        &mut self,
        value: ValueRef<'_>,
        rows: usize,
        texts: &mut Texts,
        meter: &mut Meter,
    ) -> Result<(), Failure> {
        if let Self::Null = self {
            *self = match value {
                ValueRef::Null => return Ok(()),
                ValueRef::Integer(_) => Self::Integer(vec![None; rows]),
                ValueRef::Real(_) => Self::Real(vec![None; rows]),
                ValueRef::Text(_) => Self::Text(vec![None; rows]),
                ValueRef::Blob(_) => return Err(mixed()),
            };
        }
        if let (Self::Integer(values), ValueRef::Real(_)) = (&*self, value) {
            let values = values.iter().map(|value| value.map(|value| value as f64));
            *self = Self::Real(values.collect());
        }
        match (self, value) {
            (Self::Integer(values), ValueRef::Integer(value)) => values.push(Some(value)),
            (Self::Integer(values), ValueRef::Null) => values.push(None),
            (Self::Real(values), ValueRef::Integer(value)) => values.push(Some(value as f64)),
            (Self::Real(values), ValueRef::Real(value)) => values.push(Some(value)),
            (Self::Real(values), ValueRef::Null) => values.push(None),
            (Self::Text(values), ValueRef::Text(text)) => {
                let text = String::from_utf8_lossy(text);
                values.push(Some(texts.intern(&text, meter)?));
            }
            (Self::Text(values), ValueRef::Null) => values.push(None),
            _ => return Err(mixed()),
        }
        Ok(())
    }

    /// The same values in another order.
    pub fn in_order(&self, order: &[usize]) -> Self {
        fn pick<T: Copy>(values: &[T], order: &[usize]) -> Vec<T> {
            order.iter().map(|row| values[*row]).collect()
        }
        match self {
            Self::Null => Self::Null,
            Self::Integer(values) => Self::Integer(pick(values, order)),
            Self::Real(values) => Self::Real(pick(values, order)),
            Self::Text(values) => Self::Text(pick(values, order)),
        }
    }
}

fn mixed() -> Failure {
    Failure::refused("has values of different types; only numbers or only texts fit")
}

/// Distinct texts.
#[derive(Debug, Default)]
pub(super) struct Texts {
    texts: Vec<Box<str>>,
    numbers: FxHashMap<Box<str>, u32>,
}

impl Texts {
    pub fn get(&self, number: u32) -> &str {
        self.texts.get(number as usize).map_or("", |text| &**text)
    }

    fn intern(&mut self, text: &str, meter: &mut Meter) -> Result<u32, Failure> {
        if let Some(number) = self.numbers.get(text) {
            return Ok(*number);
        }
        meter.grow(2 * text.len() + 64)?;
        let number = u32::try_from(self.texts.len()).map_err(|_| Failure::Memory)?;
        self.texts.push(text.into());
        self.numbers.insert(text.into(), number);
        Ok(number)
    }
}
