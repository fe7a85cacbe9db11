//! The frames of a flame graph: a table with `id, parent_id, name, value` and further columns.

use rusqlite::types::ValueRef;
use rustc_hash::FxHashMap;

use super::column::{Column, Texts};
use super::none::NONE;
use crate::operators::failure::Failure;
use crate::operators::meter::Meter;

/// The first columns.
const FIRST: [&str; 4] = ["id", "parent_id", "name", "value"];

/// Column names of the result.
const RESULT: [&str; 10] = [
    "in_config",
    "_tree_id",
    "_tree_parent_id",
    "depth",
    "name",
    "self_value",
    "cumulative_value",
    "parent_cumulative_value",
    "x_start",
    "x_end",
];

/// The frames. Each comes after its parent.
#[derive(Debug)]
pub(crate) struct Source {
    names: Vec<String>,
    columns: Vec<Column>,
    /// The row of the parent, or [`NONE`].
    pub(super) parents: Vec<u32>,
    pub(super) texts: Texts,
    /// Counts the memory of the frames for as long as the table exists.
    _meter: Meter,
}

/// Collects the rows.
pub(crate) struct Builder {
    names: Vec<String>,
    columns: Vec<Column>,
    texts: Texts,
    rows: usize,
    meter: Meter,
}

impl Builder {
    /// Begins with the names of the columns.
    ///
    /// # Errors
    /// If columns are missing or have names of the result.
    pub fn new(names: Vec<String>, meter: Meter) -> Result<Self, Failure> {
        if !names.iter().take(4).eq(FIRST.iter()) {
            let message = "the first columns must be id, parent_id, name and value";
            return Err(Failure::refused(message));
        }
        let more = names.iter().skip(4);
        if let Some(name) = more.clone().find(|name| RESULT.contains(&name.as_str())) {
            let message = format!("the column {name} has a name that the result uses");
            return Err(Failure::refused(message));
        }
        let columns = vec![Column::Null; names.len()];
        Ok(Self {
            names,
            columns,
            texts: Texts::default(),
            rows: 0,
            meter,
        })
    }

    /// Appends a row.
    ///
    /// # Errors
    /// If a value does not fit its column, or a limit is reached.
    pub fn row(&mut self, row: &[ValueRef<'_>]) -> Result<(), Failure> {
        // The memory of the value and the parent, and of the state that each query keeps for the frame.
        self.meter.grow(16 * row.len() + 8)?;
        for (at, value) in row.iter().enumerate() {
            let done = match self.columns.get_mut(at) {
                Some(column) => column.push(*value, self.rows, &mut self.texts, &mut self.meter),
                None => Ok(()),
            };
            done.map_err(|failure| match failure {
                Failure::Refused(why) => {
                    Failure::Refused(format!("the column {} {why}", self.names[at]))
                }
                other => other,
            })?;
        }
        self.rows += 1;
        if self.rows >= NONE as usize {
            return Err(Failure::Memory);
        }
        Ok(())
    }

    /// The frames, in an order in which parents come first.
    ///
    /// # Errors
    /// If ids are missing or repeated, or frames are their own ancestors.
    pub fn finish(mut self) -> Result<Source, Failure> {
        let ids = self.ids(0)?;
        let mut rows = FxHashMap::default();
        for (row, id) in (0..).zip(&ids) {
            let id = id.ok_or_else(|| Failure::refused("an id is NULL"))?;
            if rows.insert(id, row).is_some() {
                return Err(Failure::refused(format!("two rows have the id {id}")));
            }
        }
        let parent = |id: Option<i64>| match id {
            None => Ok(NONE),
            Some(id) => rows.get(&id).copied().ok_or_else(|| {
                Failure::refused(format!("no row has the id {id}, which is a parent_id"))
            }),
        };
        let parents: Result<Vec<u32>, Failure> = self.ids(1)?.into_iter().map(parent).collect();
        let mut parents = parents?;
        if parents
            .iter()
            .zip(0..)
            .any(|(parent, row)| *parent != NONE && *parent >= row)
        {
            let order = parents_first(&parents)?;
            self.reorder(&order, &mut parents);
        }
        let value = self.columns.get(3);
        if self.rows > 0 && !value.is_some_and(Column::is_number) {
            return Err(Failure::refused("the column value must have numbers"));
        }
        if matches!(
            self.columns.get(2),
            Some(Column::Integer(_) | Column::Real(_))
        ) {
            return Err(Failure::refused("the column name must have texts"));
        }
        Ok(Source {
            names: self.names,
            columns: self.columns,
            parents,
            texts: self.texts,
            _meter: self.meter,
        })
    }

    fn ids(&self, column: usize) -> Result<Vec<Option<i64>>, Failure> {
        match self.columns.get(column) {
            Some(Column::Integer(ids)) => Ok(ids.clone()),
            Some(Column::Null) | None => Ok(vec![None; self.rows]),
            _ => Err(Failure::refused("id and parent_id must be whole numbers")),
        }
    }

    fn reorder(&mut self, order: &[usize], parents: &mut [u32]) {
        let mut place = vec![NONE; order.len()];
        for (at, row) in (0..).zip(order) {
            place[*row] = at;
        }
        let moved = order.iter().map(|row| match parents[*row] {
            NONE => NONE,
            parent => place[parent as usize],
        });
        let moved: Vec<u32> = moved.collect();
        parents.copy_from_slice(&moved);
        for column in &mut self.columns {
            *column = column.in_order(order);
        }
    }
}

/// The rows in an order in which parents come first.
fn parents_first(parents: &[u32]) -> Result<Vec<usize>, Failure> {
    let mut order = Vec::with_capacity(parents.len());
    let (mut is_seen, mut is_placed) = (vec![false; parents.len()], vec![false; parents.len()]);
    let mut path = Vec::new();
    for start in 0..parents.len() {
        let mut row = start;
        while !is_seen[row] {
            is_seen[row] = true;
            path.push(row);
            match parents[row] {
                NONE => break,
                parent => row = parent as usize,
            }
        }
        // The path ended at a root, or at a row that was already seen, either in an earlier path or in this one.
        let is_cycle = path
            .last()
            .is_some_and(|last| parents[*last] != NONE && !is_placed[parents[*last] as usize]);
        if is_cycle {
            let message = "a frame is its own ancestor: the parent_ids form a cycle";
            return Err(Failure::refused(message));
        }
        while let Some(row) = path.pop() {
            is_placed[row] = true;
            order.push(row);
        }
    }
    Ok(order)
}

impl Source {
    /// The number of frames.
    pub(super) fn len(&self) -> usize {
        self.parents.len()
    }

    /// The column of that name.
    pub(super) fn column(&self, name: &str) -> Result<&Column, Failure> {
        let at = self.names.iter().position(|known| known == name);
        let column = at.and_then(|at| self.columns.get(at));
        column.ok_or_else(|| Failure::refused(format!("there is no column {name}")))
    }

    /// The columns after `id`, `parent_id`, `name` and `value`.
    pub(super) fn more(&self) -> impl Iterator<Item = (&String, &Column)> {
        self.names.iter().zip(&self.columns).skip(4)
    }

    /// The names of the columns of a result.
    pub fn result_columns(&self) -> Vec<String> {
        let mut names: Vec<String> = RESULT
            .iter()
            .skip(1)
            .map(|name| (*name).to_owned())
            .collect();
        names.extend(self.more().map(|(name, _)| name.clone()));
        for (name, _) in self.more().filter(|(_, column)| column.is_number()) {
            names.extend([format!("self_{name}"), format!("cumulative_{name}")]);
        }
        names
    }

    /// The sum of the column `value`.
    pub(super) fn sum(&self) -> f64 {
        match self.columns.get(3) {
            Some(Column::Integer(values)) => {
                values.iter().flatten().map(|value| *value as f64).sum()
            }
            Some(Column::Real(values)) => values.iter().flatten().sum(),
            _ => 0.0,
        }
    }
}
