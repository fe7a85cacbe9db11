//! Trees as values: a table with the names and the values `id`, `parent_id` and others. Parents come first.

use rusqlite::types::ValueRef;
use rustc_hash::FxHashMap;

use super::names::{of_row, values};
use super::table::Table;
use crate::operators::failure::Failure;
use crate::operators::groups::Groups;
use crate::operators::meter::Meter;
use crate::operators::operator::Cells;
use crate::operators::rows::{Cell, Rows, cell, integer};

const SUMMARY: &[&str] = &[
    "id",
    "idom_id",
    "dominated_obj_count",
    "dominated_size_bytes",
    "dominated_native_size_bytes",
    "depth",
];

/// A tree in which each row comes after its parent.
#[derive(Default)]
struct Tree<'a> {
    names: Vec<&'a str>,
    /// The values of each row, `id` and `parent_id` among them.
    rows: Vec<Vec<&'a [u8]>>,
    /// The parent of each row.
    parents: Vec<Option<usize>>,
}

impl<'a> Tree<'a> {
    fn read(table: Option<&ValueRef<'a>>, meter: &mut Meter) -> Result<Self, Failure> {
        let mut rows = Rows::of(table.copied().unwrap_or(ValueRef::Null))?;
        let mut row = Vec::new();
        let mut tree = Self::default();
        let mut ids = Vec::new();
        while rows.next_row(&mut row)? {
            if tree.names.is_empty() {
                tree.names = of_row(&row)?;
            }
            meter.grow(96 + row.len() * 8)?;
            let values: Vec<&[u8]> = values(&row).collect();
            let id = values.first().and_then(|id| integer(id));
            ids.push(id.ok_or_else(|| Failure::refused("id of a tree must be a whole number"))?);
            tree.rows.push(values);
        }
        let parents = tree.parents_of(&ids)?;
        tree.sort(&parents)
    }

    /// The row of each row's parent.
    fn parents_of(&self, ids: &[i64]) -> Result<Vec<Option<usize>>, Failure> {
        let mut numbers = FxHashMap::default();
        for (row, id) in ids.iter().enumerate() {
            if numbers.insert(*id, row).is_some() {
                return Err(Failure::refused("two nodes of the tree have the same id"));
            }
        }
        let parent = |row: &Vec<&[u8]>| match row.get(1).and_then(|cell| integer(cell)) {
            None => Ok(None),
            Some(id) => match numbers.get(&id) {
                Some(parent) => Ok(Some(*parent)),
                None => Err(Failure::refused(format!(
                    "the tree has no node {id}, which is a parent_id"
                ))),
            },
        };
        self.rows.iter().map(parent).collect()
    }

    /// Moves parents before their children. Otherwise, the order stays the same.
    fn sort(mut self, parents: &[Option<usize>]) -> Result<Self, Failure> {
        let of = parents.iter().zip(0..);
        let of = of.filter_map(|(parent, row)| Some(((*parent)?, row)));
        let children = Groups::new(self.rows.len(), of);
        let roots = (0..).zip(parents);
        let mut order: Vec<usize> = roots
            .filter(|(_, parent)| parent.is_none())
            .map(|(row, _)| row)
            .collect();
        let is_in_order = parents.iter().enumerate();
        if is_in_order
            .clone()
            .all(|(row, parent)| parent.is_none_or(|parent| parent < row))
        {
            self.parents = parents.to_vec();
            return Ok(self);
        }
        let mut next = 0;
        while let Some(&row) = order.get(next) {
            next += 1;
            order.extend(children.of(row).iter().map(|child| *child as usize));
        }
        if order.len() < self.rows.len() {
            return Err(Failure::refused("a node of the tree is its own ancestor"));
        }
        let mut places = vec![0; order.len()];
        for (place, row) in order.iter().enumerate() {
            places[*row] = place;
        }
        let place = |row: &usize| parents[*row].map(|parent| places[parent]);
        self.parents = order.iter().map(place).collect();
        self.rows = order
            .iter()
            .map(|row| std::mem::take(&mut self.rows[*row]))
            .collect();
        Ok(self)
    }

    fn number(&self, row: usize, column: usize) -> i64 {
        let cell = self.rows.get(row).and_then(|row| row.get(column));
        cell.and_then(|cell| integer(cell)).unwrap_or(0)
    }
}

/// `__intrinsic_tree_to_table(tree)`: the rows, each with its own number and the number of its parent.
pub(super) fn to_table(arguments: &[ValueRef<'_>], meter: &mut Meter) -> Result<Table, Failure> {
    let tree = Tree::read(arguments.first(), meter)?;
    let mut cells = Cells::new();
    for (row, (parent, values)) in tree.parents.iter().zip(&tree.rows).enumerate() {
        let number = |row: usize| Cell::Integer(row as i64);
        cells.push(number(row));
        cells.push(parent.map_or(Cell::Null, number));
        for value in values {
            let cell = cell(value);
            meter.grow(cell.bytes())?;
            cells.push(cell);
        }
    }
    let names = ["_tree_id", "_tree_parent_id"]
        .into_iter()
        .chain(tree.names);
    let names = names.map(|name| name.to_owned().into()).collect();
    Ok(Table { names, cells })
}

/// `__intrinsic_tree_dominator_summary(tree)`: sums over the nodes below each node. The tree has the columns `id`,
/// `parent_id`, `self_size`, `native_size` and `self_count`.
pub(super) fn summary(arguments: &[ValueRef<'_>], meter: &mut Meter) -> Result<Table, Failure> {
    let tree = Tree::read(arguments.first(), meter)?;
    if !tree.rows.is_empty() && tree.names.len() != 5 {
        return Err(Failure::refused("the tree must have 5 columns here"));
    }
    let own = |row: usize| [4, 2, 3].map(|column| tree.number(row, column));
    let mut sums: Vec<[i64; 3]> = (0..tree.rows.len()).map(own).collect();
    let mut depths = vec![1_i64; tree.rows.len()];
    for (row, parent) in tree.parents.iter().enumerate() {
        meter.grow(size_of::<[i64; 3]>() + SUMMARY.len() * size_of::<Cell>())?;
        depths[row] += parent.map_or(0, |parent| depths[parent]);
    }
    for (row, parent) in tree.parents.iter().enumerate().rev() {
        let own = sums[row];
        if let Some(parent) = parent {
            for (sum, own) in sums[*parent].iter_mut().zip(own) {
                *sum = sum.saturating_add(own);
            }
        }
    }
    let mut cells = Cells::new();
    for (row, parent) in tree.parents.iter().enumerate() {
        cells.push(Cell::Integer(tree.number(row, 0)));
        cells.push(parent.map_or(Cell::Null, |parent| Cell::Integer(tree.number(parent, 0))));
        cells.extend(sums[row].map(Cell::Integer));
        cells.push(Cell::Integer(depths[row]));
    }
    Ok(Table::new(SUMMARY, cells))
}
