//! Combines the values of columns where frames are merged.

use super::column::Column;
use super::config::Combine;
use super::number::Number;
use super::values::Sums;
use crate::operators::failure::Failure;
use crate::operators::meter::Meter;
use crate::operators::rows::Cell;
use crate::sqlite::real;

/// The rows that each node consists of.
pub(super) struct Parts {
    /// Where the frames of each node begin in `frames`.
    starts: Vec<usize>,
    frames: Vec<u32>,
    /// Where the rows of each frame begin in `rows`.
    row_starts: Vec<usize>,
    rows: Vec<u32>,
}

impl Parts {
    /// Lists the frames of each node, and the rows of each frame.
    ///
    /// # Errors
    /// If a limit is reached.
    pub fn new(sums: &Sums<'_>, meter: &mut Meter) -> Result<Self, Failure> {
        let (paths, halves) = (sums.paths, sums.halves);
        let rows = 0..sums.source.len();
        let down = halves.down.len();
        let is_part = |row: &usize| {
            let node = halves.node_of_row[*row] as usize;
            paths.is_kept(*row) && paths.is_shown(*row) && node < down
        };
        let below = rows.clone().filter(is_part);
        let below = below.map(|row| (halves.node_of_row[row] as usize, row as u32));
        let above = halves.parts.iter();
        let above = above.map(|part| (down + part.node as usize, part.frame));
        let pairs: Vec<(usize, u32)> = below.chain(above).collect();
        meter.grow(pairs.len() * 24 + rows.len() * 24)?;
        let (starts, frames) = group(&pairs, down + halves.up.len());
        let of_frame = rows.clone().filter(|row| !paths.is_hidden(*row));
        let of_frame = of_frame.filter_map(|row| Some((paths.frame(row)?, row as u32)));
        let (row_starts, rows) = group(&of_frame.collect::<Vec<_>>(), rows.len());
        Ok(Self {
            starts,
            frames,
            row_starts,
            rows,
        })
    }

    fn nodes(&self) -> usize {
        self.starts.len() - 1
    }

    fn frames(&self, node: usize) -> &[u32] {
        &self.frames[self.starts[node]..self.starts[node + 1]]
    }

    fn rows(&self, frame: u32) -> &[u32] {
        let frame = frame as usize;
        &self.rows[self.row_starts[frame]..self.row_starts[frame + 1]]
    }

    /// The rows of a node.
    fn all(&self, node: usize) -> impl Iterator<Item = usize> {
        let frames = self.frames(node).iter();
        let rows = frames.flat_map(|frame| self.rows(*frame));
        rows.map(|row| *row as usize)
    }
}

/// Sorts pairs by group, in their order within a group. Returns where each group begins, and the values.
fn group(pairs: &[(usize, u32)], groups: usize) -> (Vec<usize>, Vec<u32>) {
    let mut starts = vec![0; groups + 1];
    for (group, _) in pairs {
        starts[group + 1] += 1;
    }
    for at in 0..groups {
        starts[at + 1] += starts[at];
    }
    let (mut next, mut values) = (starts.clone(), vec![0; pairs.len()]);
    for (group, value) in pairs {
        values[next[*group]] = *value;
        next[*group] += 1;
    }
    (starts, values)
}

/// The combined values of a column, one for each node.
///
/// # Errors
///
/// If the values cannot be combined, or a limit is reached.
pub(super) fn aggregate(
    (combine, name): &(Combine, String),
    sums: &Sums<'_>,
    parts: &Parts,
    meter: &mut Meter,
) -> Result<Vec<Cell>, Failure> {
    let column = sums.source.column(name)?;
    let nodes = 0..parts.nodes();
    meter.grow(nodes.len() * size_of::<Cell>())?;
    match (combine, column) {
        (_, Column::Null) => Ok(nodes.map(|_| Cell::Null).collect()),
        (Combine::Sum, Column::Integer(values)) => sum(values, parts, meter),
        (Combine::Sum, Column::Real(values)) => sum(values, parts, meter),
        (Combine::Sum, Column::Text(_)) => Err(Failure::refused(format!(
            "the column {name} must have numbers"
        ))),
        (Combine::OneOrSummary, _) => nodes
            .map(|node| summary(column, node, sums, parts, meter))
            .collect(),
        (Combine::Concat, _) => nodes
            .map(|node| concat(column, node, sums, parts, meter))
            .collect(),
    }
}

/// The sum of the values of each node; NULL if there is none.
fn sum<T: Number>(
    values: &[Option<T>],
    parts: &Parts,
    meter: &mut Meter,
) -> Result<Vec<Cell>, Failure> {
    let add = |sum: &mut Option<T>, value: Option<T>| match value {
        Some(value) => sum.get_or_insert_default().add(value),
        None => Ok(()),
    };
    let mut of_frame = vec![None; values.len()];
    for (frame, sum) in (0..).zip(&mut of_frame) {
        for row in parts.rows(frame) {
            add(sum, values[*row as usize])?;
        }
    }
    let node = |node| {
        let mut sum = None;
        for frame in parts.frames(node) {
            meter.tick()?;
            add(&mut sum, of_frame[*frame as usize])?;
        }
        Ok(sum.map_or(Cell::Null, Number::cell))
    };
    (0..parts.nodes()).map(node).collect()
}

/// The first value, and the number of different values.
fn summary(
    column: &Column,
    node: usize,
    sums: &Sums<'_>,
    parts: &Parts,
    meter: &mut Meter,
) -> Result<Cell, Failure> {
    let mut keys = Vec::new();
    let mut first = None;
    for row in parts.all(node) {
        meter.tick()?;
        if let Some(key) = column.key(row) {
            first = first.or(Some(row));
            keys.push(key);
        }
    }
    keys.sort_unstable();
    keys.dedup();
    let text = first.and_then(|row| column.text(row, &sums.source.texts, real::text));
    let Some(mut text) = text else {
        return Ok(Cell::Null);
    };
    if keys.len() > 1 {
        text += &format!(" and {} others", keys.len());
    }
    text_cell(text, meter)
}

/// All values, separated by commas.
fn concat(
    column: &Column,
    node: usize,
    sums: &Sums<'_>,
    parts: &Parts,
    meter: &mut Meter,
) -> Result<Cell, Failure> {
    let mut all = String::new();
    let texts = parts
        .all(node)
        .filter_map(|row| column.text(row, &sums.source.texts, real::text));
    for text in texts {
        meter.grow(text.len() + 1)?;
        if !all.is_empty() {
            all.push(',');
        }
        all.push_str(&text);
    }
    if all.is_empty() {
        return Ok(Cell::Null);
    }
    text_cell(all, meter)
}

fn text_cell(text: String, meter: &mut Meter) -> Result<Cell, Failure> {
    meter.grow(text.len())?;
    Ok(Cell::Text(text.into_bytes().into()))
}
