//! Partitions a tree by group: the parent of a node becomes its nearest ancestor of the same group.

use rusqlite::types::ValueRef;
use rustc_hash::FxHashMap;

use super::table::{cell, numbers};
use crate::operators::failure::Failure;
use crate::operators::groups::Groups;
use crate::operators::meter::Meter;
use crate::operators::operator::Cells;
use crate::operators::rows::Cell;

/// A step of the walk through the tree.
enum Step {
    Enter(u32),
    /// The end of a subtree: this row becomes the innermost one of its group again.
    Leave(Option<i64>, Option<u32>),
}

/// `__intrinsic_structural_tree_partition(tree)`, with the columns `id`, `parent_id` and `group_key`.
pub(crate) fn run(tables: &[ValueRef<'_>], meter: &mut Meter) -> Result<Cells, Failure> {
    let mut rows: Vec<[Option<i64>; 3]> = Vec::new();
    numbers(tables.first(), |row| {
        meter.grow(size_of_val(&row) * 2 + 64 + 3 * size_of::<Cell>())?;
        rows.push(row);
        Ok(())
    })?;
    let mut numbers = FxHashMap::default();
    for (row, [id, ..]) in (0..).zip(&rows) {
        if id.is_some_and(|id| numbers.insert(id, row).is_some()) {
            return Err(Failure::refused("two nodes of the tree have the same id"));
        }
    }
    let parent = |row: &[Option<i64>; 3]| match row[1] {
        None => Ok(None),
        Some(id) => match numbers.get(&id) {
            Some(parent) => Ok(Some(*parent)),
            None => Err(Failure::refused(format!(
                "the tree has no node {id}, which is a parent_id"
            ))),
        },
    };
    let parents: Vec<Option<u32>> = rows.iter().map(parent).collect::<Result<_, _>>()?;
    let near = nearest(&rows, &parents, meter)?;
    let row = |([id, _, group], near): (&[Option<i64>; 3], &Option<u32>)| {
        let parent = near.and_then(|near| rows[near as usize][0]);
        [cell(*id), cell(parent), cell(*group)]
    };
    Ok(rows.iter().zip(&near).flat_map(row).collect())
}

/// The nearest ancestor of the same group of each row.
fn nearest(
    rows: &[[Option<i64>; 3]],
    parents: &[Option<u32>],
    meter: &mut Meter,
) -> Result<Vec<Option<u32>>, Failure> {
    let pairs = parents.iter().zip(0..);
    let pairs = pairs.filter_map(|(parent, row)| Some(((*parent)? as usize, row)));
    let children = Groups::new(rows.len(), pairs);
    // The innermost row of each group on the path from the root.
    let mut of_group: FxHashMap<Option<i64>, Option<u32>> = FxHashMap::default();
    let mut near = vec![None; rows.len()];
    let roots = (0..).zip(parents).filter(|(_, parent)| parent.is_none());
    let mut steps: Vec<Step> = roots.map(|(row, _)| Step::Enter(row)).collect();
    let mut entered = 0;
    while let Some(step) = steps.pop() {
        meter.tick()?;
        match step {
            Step::Leave(group, before) => {
                of_group.insert(group, before);
            }
            Step::Enter(row) => {
                entered += 1;
                let group = rows[row as usize][2];
                let before = of_group.insert(group, Some(row)).flatten();
                near[row as usize] = before;
                steps.push(Step::Leave(group, before));
                let children = children.of(row as usize).iter();
                steps.extend(children.map(|child| Step::Enter(*child)));
            }
        }
    }
    if entered < rows.len() {
        return Err(Failure::refused("a node of the tree is its own ancestor"));
    }
    Ok(near)
}
