//! Puts the slices of several tracks into common rows: `experimental_slice_layout(track_ids)`.
//!
//! An outermost slice and those within it are a box. A box keeps its place in time and gets the first rows that are
//! free:
//!
//! ```text
//! track 0   aaaaa      c          row 0   aaaaaddddddc
//!            aa                   row 1    aa   bb
//! track 1         bb
//! track 2        dddddd
//! ```

use std::cmp::Reverse;
use std::collections::BTreeMap;

use rustc_hash::FxHashSet;
use traceloom_trace::{RowId, Trace};

use crate::operators::failure::Failure;
use crate::operators::meter::Meter;
use crate::operators::operator::Cells;
use crate::operators::rows::Cell;

/// A box: an outermost slice and those within it.
struct Block {
    /// The row of the outermost slice.
    root: u32,
    start: i64,
    end: i64,
    /// How many rows it needs.
    height: u32,
    /// The first of its rows.
    top: u32,
}

/// The occupied times of a row: a map from start to end.
type Taken = BTreeMap<i64, i64>;

/// The rows of all slices on these tracks. `tracks` is a list of numbers, separated by commas.
///
/// # Errors
///
/// If a limit is reached.
pub(super) fn layout(trace: &Trace, tracks: &str, meter: &mut Meter) -> Result<Cells, Failure> {
    let tracks: FxHashSet<u32> = tracks
        .split(',')
        .filter_map(|id| id.trim().parse().ok())
        .collect();
    let slices = &trace.slices;
    let rows: Vec<u32> = (0..slices.len() as u32)
        .filter(|&row| tracks.contains(&(slices.track_id.get(row as usize).row() as u32)))
        .collect();
    meter.grow(rows.len() * (size_of::<Block>() + 4 * size_of::<u32>()))?;
    let (mut blocks, block_of) = blocks(trace, &rows);
    place(&mut blocks, meter)?;
    let cell = |(row, block): (&u32, &u32)| {
        let depth = slices.depth.get(*row as usize) + blocks[*block as usize].top;
        [Cell::Integer((*row).into()), Cell::Integer(depth.into())]
    };
    Ok(rows.iter().zip(&block_of).flat_map(cell).collect())
}

/// The boxes, and the box of each slice. A slice comes after the slice around it.
fn blocks(trace: &Trace, rows: &[u32]) -> (Vec<Block>, Vec<u32>) {
    let slices = &trace.slices;
    let mut blocks: Vec<Block> = Vec::new();
    let mut block_of: Vec<u32> = Vec::with_capacity(rows.len());
    for &row in rows {
        let at = row as usize;
        let (start, dur) = (slices.ts.get(at), slices.dur.get(at));
        let end = if dur < 0 {
            i64::MAX
        } else {
            start.saturating_add(dur)
        };
        let parent = slices.parent_id.get(at).some();
        let around = parent.and_then(|parent| rows.binary_search(&(parent.row() as u32)).ok());
        let block = match around {
            Some(place) => block_of[place],
            None => {
                let height = 1;
                blocks.push(Block {
                    root: row,
                    start,
                    end,
                    height,
                    top: 0,
                });
                blocks.len() as u32 - 1
            }
        };
        let it = &mut blocks[block as usize];
        it.end = it.end.max(end);
        it.height = it
            .height
            .max(slices.depth.get(at) - slices.depth.get(it.root as usize) + 1);
        block_of.push(block);
    }
    (blocks, block_of)
}

/// Finds rows for all boxes. The tallest boxes are placed first, because low boxes in their way would push them down.
fn place(blocks: &mut [Block], meter: &mut Meter) -> Result<(), Failure> {
    let mut order: Vec<u32> = (0..blocks.len() as u32).collect();
    order.sort_by_key(|&at| {
        (
            Reverse(blocks[at as usize].height),
            blocks[at as usize].start,
            at,
        )
    });
    let mut taken: Vec<Taken> = Vec::new();
    for at in order {
        let block = &mut blocks[at as usize];
        block.top = first_free(&taken, block, meter)?;
        let bottom = (block.top + block.height) as usize;
        if taken.len() < bottom {
            taken.resize_with(bottom, Taken::new);
        }
        for row in &mut taken[block.top as usize..bottom] {
            meter.grow(2 * size_of::<i64>())?;
            let end = row.entry(block.start).or_insert(block.end);
            *end = block.end.max(*end);
        }
    }
    Ok(())
}

/// The first of enough adjacent rows that are free for the box.
fn first_free(taken: &[Taken], block: &Block, meter: &mut Meter) -> Result<u32, Failure> {
    let (mut top, mut free) = (0, 0);
    while free < block.height {
        meter.tick()?;
        let row = taken.get((top + free) as usize);
        if row.is_none_or(|row| is_free(row, block)) {
            free += 1;
        } else {
            (top, free) = (top + free + 1, 0);
        }
    }
    Ok(top)
}

/// Whether a box overlaps nothing in a row. An instant takes no time.
fn is_free(row: &Taken, block: &Block) -> bool {
    let before = row.range(..block.start).next_back();
    let within = row.range(block.start..block.end).next();
    within.is_none() && before.is_none_or(|(_, end)| *end <= block.start)
}
