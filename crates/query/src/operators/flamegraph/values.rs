//! The own and the cumulative value of each node.

use super::column::Column;
use super::config::View;
use super::halves::{Halves, Tree};
use super::none::NONE;
use super::number::Number;
use super::paths::Paths;
use super::source::Source;
use crate::operators::failure::Failure;
use crate::operators::meter::Meter;
use crate::operators::rows::Cell;

/// The values of the nodes: first those of the tree of callees, then those of the tree of callers.
#[derive(Debug)]
pub(super) struct Values {
    pub own: Vec<Cell>,
    pub cumulative: Vec<Cell>,
    /// The cumulative values as widths.
    pub widths: Vec<f64>,
}

/// The data that the values are computed from.
pub(super) struct Sums<'a> {
    pub source: &'a Source,
    pub paths: &'a Paths,
    pub halves: &'a Halves,
    pub view: View,
}

impl Sums<'_> {
    /// The values of a column.
    ///
    /// # Errors
    /// If the column has no numbers or negative ones, or a limit is reached.
    pub fn of(&self, name: &str, meter: &mut Meter) -> Result<Values, Failure> {
        let nodes = self.halves.down.len() + self.halves.up.len();
        meter.grow(nodes * (2 * size_of::<Cell>() + 8 * 3) + self.source.len() * 8)?;
        match self.source.column(name)? {
            Column::Integer(values) => self.sum(values, meter),
            Column::Real(values) => self.sum(values, meter),
            _ => Err(Failure::refused(format!(
                "the column {name} must have numbers"
            ))),
        }
    }

    fn sum<T: Number>(&self, values: &[Option<T>], meter: &mut Meter) -> Result<Values, Failure> {
        if values.iter().flatten().any(|value| value.is_negative()) {
            return Err(Failure::refused("a value of the flame graph is negative"));
        }
        let (mut own, mut all) = self.down(values, meter)?;
        let (own_up, all_up) = match self.view {
            View::BottomUp => self.up(&self.by_frame(values)?)?,
            View::Pivot => self.up(&self.by_pivot(values)?)?,
            _ => (Vec::new(), Vec::new()),
        };
        own.extend(own_up);
        all.extend(all_up);
        Ok(Values {
            own: own.iter().map(|value| value.cell()).collect(),
            cumulative: all.iter().map(|value| value.cell()).collect(),
            widths: all.iter().map(|value| value.width()).collect(),
        })
    }

    /// The rows whose values count, with their values.
    fn shown<'v, T: Number>(
        &self,
        values: &'v [Option<T>],
    ) -> impl Iterator<Item = (usize, T)> + use<'_, 'v, T> {
        let rows = values.iter().enumerate();
        let rows = rows.filter_map(|(row, value)| value.map(|value| (row, value)));
        rows.filter(|(row, _)| self.paths.is_shown(*row))
    }

    /// The values of the tree of callees.
    fn down<T: Number>(
        &self,
        values: &[Option<T>],
        meter: &mut Meter,
    ) -> Result<(Vec<T>, Vec<T>), Failure> {
        let mut own = vec![T::default(); self.halves.down.len()];
        for (row, value) in self.shown(values) {
            meter.tick()?;
            if let Some(own) = own.get_mut(self.halves.node_of_row[row] as usize) {
                own.add(value)?;
            }
        }
        let mut all = own.clone();
        add_to_parents(&self.halves.down, &mut all)?;
        Ok((own, all))
    }

    /// The values of the tree of callers, from the value of each frame.
    fn up<T: Number>(&self, of_frame: &[T]) -> Result<(Vec<T>, Vec<T>), Failure> {
        let mut own = vec![T::default(); self.halves.up.len()];
        let mut all = own.clone();
        for stack in &self.halves.stacks {
            let value = of_frame[stack.frame as usize];
            own[stack.first as usize].add(value)?;
            all[stack.last as usize].add(value)?;
        }
        add_to_parents(&self.halves.up, &mut all)?;
        Ok((own, all))
    }

    /// The values of each frame, including those of the rows that it replaces.
    fn by_frame<T: Number>(&self, values: &[Option<T>]) -> Result<Vec<T>, Failure> {
        let mut sums = vec![T::default(); values.len()];
        for (row, value) in self.shown(values) {
            if let Some(frame) = self.paths.frame(row) {
                sums[frame].add(value)?;
            }
        }
        Ok(sums)
    }

    /// The value of each frame that matches, with its descendants up to the next frame that matches.
    fn by_pivot<T: Number>(&self, values: &[Option<T>]) -> Result<Vec<T>, Failure> {
        let in_tree = |row: usize| self.halves.node_of_row[row] != NONE;
        let mut sums = vec![T::default(); self.source.len()];
        for (row, value) in self.shown(values).filter(|(row, _)| in_tree(*row)) {
            if let Some(frame) = self.paths.frame(row) {
                sums[frame].add(value)?;
            }
        }
        for row in (0..sums.len()).rev() {
            let is_below = self.paths.is_kept(row)
                && in_tree(row)
                && self.halves.down.parents[self.halves.node_of_row[row] as usize] != NONE;
            let above = self.source.parents[row];
            if is_below
                && above != NONE
                && let Some(frame) = self.paths.frame(above as usize)
            {
                let value = sums[row];
                sums[frame].add(value)?;
            }
        }
        Ok(sums)
    }
}

/// Adds the value of each node to its ancestors.
fn add_to_parents<T: Number>(tree: &Tree, values: &mut [T]) -> Result<(), Failure> {
    for node in (0..tree.len()).rev() {
        let value = values[node];
        if let Some(parent) = values.get_mut(tree.parents[node] as usize) {
            parent.add(value)?;
        }
    }
    Ok(())
}
