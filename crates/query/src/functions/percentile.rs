//! Percentiles, as in SQLite's own extension (<https://sqlite.org/percentile.html>), and `value_at_max_ts`.

use rusqlite::functions::{Aggregate, Context};
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, Result};

use super::arguments::refused;
use super::flags::PURE;
use crate::operators::{Meter, Pool};

/// A kind of percentile.
#[derive(Clone, Copy)]
struct Percentile {
    name: &'static str,
    /// The argument that means the highest value: 100 or 1. `None` for the median, which has no such argument.
    whole: Option<f64>,
    /// Whether the result is always one of the values. Otherwise, it may be between two of them.
    is_discrete: bool,
}

const PERCENTILES: &[Percentile] = &[
    Percentile {
        name: "median",
        whole: None,
        is_discrete: false,
    },
    Percentile {
        name: "percentile",
        whole: Some(100.0),
        is_discrete: false,
    },
    Percentile {
        name: "percentile_cont",
        whole: Some(1.0),
        is_discrete: false,
    },
    Percentile {
        name: "percentile_disc",
        whole: Some(1.0),
        is_discrete: true,
    },
];

/// Registers the functions with a connection.
pub(super) fn register(connection: &Connection, pool: &Pool) -> Result<()> {
    for &kind in PERCENTILES {
        let arguments = 1 + i32::from(kind.whole.is_some());
        let aggregate = PercentileAggregate(kind, pool.clone());
        connection.create_aggregate_function(kind.name, arguments, PURE, aggregate)?;
    }
    connection.create_aggregate_function("value_at_max_ts", 2, PURE, Last)
}

struct PercentileAggregate(Percentile, Pool);

/// The values so far.
struct Values {
    /// Between 0 and 1.
    part: Option<f64>,
    numbers: Vec<f64>,
    meter: Meter,
}

impl Aggregate<Values, Option<f64>> for PercentileAggregate {
    fn init(&self, _: &mut Context<'_>) -> Result<Values> {
        Ok(Values {
            part: self.0.whole.is_none().then_some(0.5),
            numbers: Vec::new(),
            meter: self.1.meter(),
        })
    }

    fn step(&self, context: &mut Context<'_>, values: &mut Values) -> Result<()> {
        let Percentile { name, whole, .. } = self.0;
        if let Some(whole) = whole {
            let part = number(context.get_raw(1)).map(|part| part / whole);
            let part = part.filter(|part| (0.0..=1.0).contains(part));
            let message = || {
                refused(format!(
                    "the percentage of {name} must be from 0 to {whole}"
                ))
            };
            let part = part.ok_or_else(message)?;
            if values
                .part
                .is_some_and(|known| (known - part).abs() > 0.000_01)
            {
                return Err(refused(format!(
                    "{name} takes the same percentage in all rows"
                )));
            }
            values.part = Some(part);
        }
        if context.get_raw(0) == ValueRef::Null {
            return Ok(());
        }
        let value = number(context.get_raw(0)).filter(|value| value.is_finite());
        let value = value.ok_or_else(|| refused(format!("{name} takes numbers")))?;
        values.meter.grow(size_of::<f64>())?;
        values.numbers.push(value);
        Ok(())
    }

    fn finalize(&self, _: &mut Context<'_>, values: Option<Values>) -> Result<Option<f64>> {
        let Some(Values {
            part, mut numbers, ..
        }) = values
        else {
            return Ok(None);
        };
        numbers.sort_unstable_by(f64::total_cmp);
        let place = part.unwrap_or(0.5) * numbers.len().saturating_sub(1) as f64;
        let below = numbers.get(place.floor() as usize).copied();
        let above = numbers.get(place.ceil() as usize).copied();
        Ok(match (below, above) {
            (Some(below), Some(above)) if !self.0.is_discrete => {
                Some(below + (above - below) * place.fract())
            }
            _ => below,
        })
    }
}

fn number(value: ValueRef<'_>) -> Option<f64> {
    match value {
        ValueRef::Integer(value) => Some(value as f64),
        ValueRef::Real(value) => Some(value),
        _ => None,
    }
}

/// `value_at_max_ts(ts, value)`: the value of the last time; of equal times, that of the last row.
struct Last;

impl Aggregate<Option<(i64, Value)>, Value> for Last {
    fn init(&self, _: &mut Context<'_>) -> Result<Option<(i64, Value)>> {
        Ok(None)
    }

    fn step(&self, context: &mut Context<'_>, last: &mut Option<(i64, Value)>) -> Result<()> {
        let ValueRef::Integer(ts) = context.get_raw(0) else {
            return Err(refused("ts of value_at_max_ts must be a whole number"));
        };
        if last.as_ref().is_none_or(|(known, _)| *known <= ts) {
            *last = Some((ts, context.get(1)?));
        }
        Ok(())
    }

    fn finalize(&self, _: &mut Context<'_>, last: Option<Option<(i64, Value)>>) -> Result<Value> {
        Ok(last.flatten().map_or(Value::Null, |(_, value)| value))
    }
}
