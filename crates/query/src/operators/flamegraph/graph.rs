//! The rows of the result.

use super::config::Config;
use super::halves::Halves;
use super::layout::{Placed, Shown, layout};
use super::none::NONE;
use super::source::Source;
use super::values::Values;
use crate::operators::failure::Failure;
use crate::operators::meter::Meter;
use crate::operators::operator::Cells;
use crate::operators::rows::Cell;

/// Everything that is known about the nodes.
pub(super) struct Graph<'a> {
    pub source: &'a Source,
    pub config: &'a Config,
    pub halves: &'a Halves,
    /// The values of each value column.
    pub values: Vec<Values>,
    /// The values of each aggregate.
    pub aggregates: Vec<Vec<Cell>>,
}

impl Graph<'_> {
    /// The cells of the result, in the order of [`Source::result_columns`].
    ///
    /// # Errors
    /// If a limit is reached.
    pub fn cells(&self, meter: &mut Meter) -> Result<Cells, Failure> {
        let nodes = self.nodes();
        meter.grow(nodes.len() * (size_of::<Shown>() + size_of::<Placed>() + 40))?;
        let rows = layout(&nodes);
        let mut cells = Cells::new();
        let mut depths: Vec<i64> = Vec::with_capacity(rows.len());
        for (id, row) in (0..).zip(&rows) {
            let step = if nodes[row.node].is_up { -1 } else { 1 };
            let above = row.parent_row.map_or(0, |parent| depths[parent]);
            depths.push(above + step);
            let before = cells.len();
            self.first_cells(id, above + step, row, &rows, &mut cells);
            self.more_cells(row.node, &mut cells);
            let added = cells.get(before..).unwrap_or_default();
            meter.grow(added.iter().map(Cell::bytes).sum())?;
        }
        Ok(cells)
    }

    /// The nodes of both trees.
    fn nodes(&self) -> Vec<Shown> {
        let down = self.halves.down.len();
        let parents = self.halves.down.parents.iter().copied();
        let callers = self.halves.up.parents.iter().map(|parent| match *parent {
            NONE => NONE,
            parent => parent + down as u32,
        });
        let shown = |(node, parent)| Shown {
            parent,
            width: self.values[0].widths[node],
            is_up: node >= down,
            has_value: self
                .values
                .iter()
                .any(|values| !is_zero(&values.cumulative[node])),
        };
        parents.chain(callers).enumerate().map(shown).collect()
    }

    /// The columns that every flame graph has.
    fn first_cells(&self, id: i64, depth: i64, row: &Placed, rows: &[Placed], out: &mut Cells) {
        let first = &self.values[0];
        let parent = row.parent_row;
        let parent_node = parent
            .and_then(|parent| rows.get(parent))
            .map(|parent| parent.node);
        let is_whole = matches!(first.cumulative[row.node], Cell::Integer(_));
        let place = |x: f64| {
            if is_whole {
                Cell::Integer(x as i64)
            } else {
                Cell::Real(x)
            }
        };
        out.extend([
            Cell::Integer(id),
            parent.map_or(Cell::Null, |parent| Cell::Integer(parent as i64)),
            Cell::Integer(depth),
            self.cell("name", row.node),
            first.own[row.node].clone(),
            first.cumulative[row.node].clone(),
            parent_node.map_or(Cell::Null, |node| first.cumulative[node].clone()),
            place(row.x),
            place(row.x + first.widths[row.node]),
        ]);
    }

    /// The columns of the source: grouping and aggregated columns, and the sums of numeric columns.
    fn more_cells(&self, node: usize, out: &mut Cells) {
        for (name, _) in self.source.more() {
            let aggregate = self
                .config
                .aggregates
                .iter()
                .position(|(_, known)| known == name);
            out.push(match aggregate {
                Some(at) => self.aggregates[at][node].clone(),
                None if self.config.grouping.contains(name) => self.cell(name, node),
                None => Cell::Null,
            });
        }
        for (name, _) in self.source.more().filter(|(_, column)| column.is_number()) {
            let at = self.config.values.iter().position(|known| known == name);
            let values = at.map(|at| &self.values[at]);
            let cell =
                |cells: Option<&Vec<Cell>>| cells.map_or(Cell::Null, |cells| cells[node].clone());
            out.push(cell(values.map(|values| &values.own)));
            out.push(cell(values.map(|values| &values.cumulative)));
        }
    }

    /// A value of the first row of a node.
    fn cell(&self, column: &str, node: usize) -> Cell {
        let (down, up) = (&self.halves.down.rows, &self.halves.up.rows);
        let row = down.get(node).or_else(|| up.get(node - down.len()));
        match (self.source.column(column), row) {
            (Ok(column), Some(row)) => column.cell(*row as usize, &self.source.texts),
            _ => Cell::Null,
        }
    }
}

fn is_zero(cell: &Cell) -> bool {
    match cell {
        Cell::Integer(value) => *value == 0,
        Cell::Real(value) => *value == 0.0,
        _ => true,
    }
}
