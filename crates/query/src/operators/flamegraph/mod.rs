//! Flame graphs: frames with parents and values. Equal frames are merged, then filtered and laid out.

mod aggregate;
mod column;
mod config;
mod graph;
mod halves;
mod layout;
mod none;
mod number;
mod paths;
mod source;
mod values;

use std::sync::Arc;

use rusqlite::types::ValueRef;

use super::failure::Failure;
use super::meter::Meter;
use super::operator::{Cells, EXPECTED, Operator};
use super::rows::{Cell, Rows};
use aggregate::{Parts, aggregate};
use config::Config;
use graph::Graph;
use halves::Halves;
use paths::Paths;
pub(crate) use source::{Builder, Source};
use values::{Sums, Values};

/// The operator of a flame graph: it takes a configuration, and returns the nodes.
pub(crate) fn operator(name: &str, source: Source) -> Operator {
    let columns = source.result_columns();
    let super_root = super_root(&columns, source.sum());
    Operator {
        name: name.to_owned().into(),
        columns: columns.into_iter().map(Into::into).collect(),
        least: 1,
        most: 1,
        run: Arc::new(move |arguments, meter| run(&source, arguments, meter)),
        rows: EXPECTED,
        find: Some(Arc::new(move |name| match name {
            "SUPER_ROOT" => Ok(super_root.clone()),
            other => Err(Failure::refused(format!(
                "a flame graph has no row {other:?}"
            ))),
        })),
    }
}

/// The row of the common parent of all roots: the sum of the column `value`.
fn super_root(columns: &[String], sum: f64) -> Cells {
    let cell = |name: &String| match name.as_str() {
        "_tree_id" | "depth" => Cell::Integer(0),
        "cumulative_value" => Cell::Real(sum),
        _ => Cell::Null,
    };
    columns.iter().map(cell).collect()
}

fn run(source: &Source, arguments: &[ValueRef<'_>], meter: &mut Meter) -> Result<Cells, Failure> {
    let config = Config::parse(Rows::of(
        arguments.first().copied().unwrap_or(ValueRef::Null),
    )?)?;
    if source.len() == 0 {
        return Ok(Cells::new());
    }
    let paths = Paths::new(source, &config, meter)?;
    let halves = Halves::new(source, &config, &paths, meter)?;
    let sums = Sums {
        source,
        paths: &paths,
        halves: &halves,
        view: config.view,
    };
    let values = config.values.iter().map(|name| sums.of(name, meter));
    let values: Vec<Values> = values.collect::<Result<_, _>>()?;
    let aggregates = aggregates(&config, &sums, meter)?;
    let graph = Graph {
        source,
        config: &config,
        halves: &halves,
        values,
        aggregates,
    };
    graph.cells(meter)
}

/// The combined values, column by column.
fn aggregates(
    config: &Config,
    sums: &Sums<'_>,
    meter: &mut Meter,
) -> Result<Vec<Vec<Cell>>, Failure> {
    if config.aggregates.is_empty() {
        return Ok(Vec::new());
    }
    let parts = Parts::new(sums, meter)?;
    let columns = config.aggregates.iter();
    columns
        .map(|column| aggregate(column, sums, &parts, meter))
        .collect()
}
