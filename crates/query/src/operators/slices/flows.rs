//! Flows that lead from a slice, or to it.
//!
//! The flows that follow a slice start at it or at a slice within it, then at the slices they lead to, and so
//! on. The flows that precede it end at it or at a slice around it, and so on.

use std::collections::VecDeque;

use rustc_hash::FxHashSet;
use traceloom_trace::{RowId, Trace};

use super::family::Family;
use crate::operators::failure::Failure;
use crate::operators::groups::Groups;
use crate::operators::meter::Meter;
use crate::operators::operator::Cells;
use crate::operators::rows::Cell;

/// The flows to search for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    /// Both directions, but only along flows, without the slices around or inside a slice.
    Both,
    Following,
    Preceding,
}

/// How the search reached a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Via {
    Start,
    /// Against a flow.
    Incoming,
    /// Along a flow.
    Outgoing,
    /// As a slice around or inside another slice.
    Relative,
}

/// The flows of a trace.
#[derive(Debug)]
pub(super) struct Flows {
    /// The slices that each flow connects.
    slices: Vec<(u32, u32)>,
    outgoing: Groups,
    incoming: Groups,
}

/// A search.
struct Search<'a> {
    flows: &'a Flows,
    family: &'a Family,
    waiting: VecDeque<(u32, Via)>,
    known: FxHashSet<u32>,
    /// Slices whose relatives have all been visited.
    is_done: FxHashSet<u32>,
    found: Vec<u32>,
}

impl Flows {
    pub fn new(trace: &Trace) -> Self {
        let flows = &trace.flows;
        let rows = 0..flows.len();
        let slices = rows.map(|at| {
            (
                flows.slice_out.get(at).row() as u32,
                flows.slice_in.get(at).row() as u32,
            )
        });
        let slices: Vec<(u32, u32)> = slices.collect();
        let count = trace.slices.len();
        let from = slices.iter().zip(0..);
        let to = from.clone().map(|((_, to), flow)| (*to as usize, flow));
        let from = from.map(|((from, _), flow)| (*from as usize, flow));
        let (outgoing, incoming) = (Groups::new(count, from), Groups::new(count, to));
        Self {
            slices,
            outgoing,
            incoming,
        }
    }

    /// The flows that a search from a slice finds: `id, slice_out, slice_in, trace_id, arg_set_id`.
    ///
    /// # Errors
    /// If a limit is reached.
    pub fn search(
        &self,
        family: &Family,
        start: u32,
        direction: Direction,
        meter: &mut Meter,
    ) -> Result<Cells, Failure> {
        let mut search = Search {
            flows: self,
            family,
            waiting: VecDeque::from([(start, Via::Start)]),
            known: FxHashSet::from_iter([start]),
            is_done: FxHashSet::default(),
            found: Vec::new(),
        };
        while let Some((slice, via)) = search.waiting.pop_front() {
            if via != Via::Relative {
                search.relatives(slice, direction, meter)?;
            }
            if direction != Direction::Following && via != Via::Outgoing {
                search.follow(slice, Via::Incoming, meter)?;
            }
            if direction != Direction::Preceding && via != Via::Incoming {
                search.follow(slice, Via::Outgoing, meter)?;
            }
        }
        let row = |(id, flow): (i64, &u32)| {
            let (from, to) = self.slices[*flow as usize];
            let numbers = [id, from.into(), to.into()].map(Cell::Integer);
            numbers.into_iter().chain([Cell::Null, Cell::Null])
        };
        meter.grow(search.found.len() * 5 * size_of::<Cell>())?;
        Ok((0..).zip(&search.found).flat_map(row).collect())
    }
}

impl Search<'_> {
    /// Adds the slices within a slice, or those around it. Each family is visited once.
    fn relatives(
        &mut self,
        slice: u32,
        direction: Direction,
        meter: &mut Meter,
    ) -> Result<(), Failure> {
        let (known, is_done) = (&mut self.known, &mut self.is_done);
        let mut new = Vec::new();
        let visit = |relative: u32| {
            if known.insert(relative) {
                new.push(relative);
            }
            is_done.insert(relative)
        };
        match direction {
            Direction::Both => {}
            Direction::Following => self.family.visit_descendants(slice, meter, visit)?,
            Direction::Preceding => self.family.visit_ancestors(slice, meter, visit)?,
        }
        new.sort_unstable();
        meter.grow(new.len() * 64)?;
        self.waiting
            .extend(new.into_iter().map(|slice| (slice, Via::Relative)));
        Ok(())
    }

    /// Follows the flows of a slice, forwards or backwards.
    fn follow(&mut self, slice: u32, via: Via, meter: &mut Meter) -> Result<(), Failure> {
        let is_outgoing = via == Via::Outgoing;
        let flows = if is_outgoing {
            &self.flows.outgoing
        } else {
            &self.flows.incoming
        };
        for &flow in flows.of(slice as usize) {
            meter.grow(64)?;
            self.found.push(flow);
            let (from, to) = self.flows.slices[flow as usize];
            let next = if is_outgoing { to } else { from };
            if self.known.insert(next) {
                self.waiting.push_back((next, via));
            }
        }
        Ok(())
    }
}
