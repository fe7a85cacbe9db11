//! The tree and the ranked profile that a question is about.

use std::sync::{Arc, OnceLock};

use serde::Deserialize;
use traceloom_analyze::{GroupBy, Measure, TreeClocks};

use crate::ask::{Ask, no_such_row, unexpected};
use crate::engine::Engine;
use crate::error::{Answered, EngineError};
use crate::frame::Frame;
use crate::scope::Scope;
use crate::trees::{Ranking, ScopeTree};

/// The number of rows in a table if the question sets no limit.
pub(super) const DEFAULT_ROWS: u32 = 1_000;

#[derive(Deserialize)]
struct Grouping {
    by: Option<GroupBy>,
}

/// The grouping of the question's profile; methods by default.
pub(super) fn group_by(ask: &Ask) -> Answered<GroupBy> {
    let Grouping { by } = ask.read()?;
    Ok(by.unwrap_or_default())
}

#[derive(Deserialize)]
struct Clock {
    clock: Option<Measure>,
}

#[derive(Deserialize)]
struct Rank {
    rank: Option<u32>,
}

/// The tree and the profile for a question.
pub(super) struct Ranked {
    tree: Arc<OnceLock<ScopeTree>>,
    pub ranking: Arc<Ranking>,
    pub clock: Measure,
}

impl Ranked {
    /// The tree and the profile of the question's scope.
    pub fn new(engine: &Engine, ask: &Ask, by: GroupBy) -> Answered<Self> {
        Self::in_scope(engine, ask, &engine.scope(ask)?, by)
    }

    pub fn in_scope(engine: &Engine, ask: &Ask, scope: &Scope, by: GroupBy) -> Answered<Self> {
        ask.check()?;
        let tree = engine.tree_for_scope(scope);
        ask.check()?;
        let made = tree.get().ok_or(EngineError::Cancelled)?;
        let clock = clock(ask, made.tree.clocks)?;
        let ranking = made.ranking(engine.timeline(), by, clock);
        ask.check()?;
        Ok(Self {
            tree,
            ranking,
            clock,
        })
    }

    pub fn tree(&self) -> Answered<&ScopeTree> {
        Ok(self.tree.get().ok_or(EngineError::Cancelled)?)
    }

    /// The row of the profile selected by the question's `rank`, if it has one.
    pub fn row(&self, ask: &Ask) -> Answered<Option<usize>> {
        let Rank { rank } = ask.read()?;
        let Some(rank) = rank else {
            return Ok(None);
        };
        let count = self.ranking.profile.rows.len();
        match rank {
            1.. if rank as usize <= count => Ok(Some(rank as usize - 1)),
            _ => Err(no_such_row("rank", rank, count)),
        }
    }

    pub fn put_clock(&self, answer: &mut Frame) {
        answer.put("clock", self.clock);
    }
}

/// The question's clock, otherwise the default one.
///
/// # Errors
/// If the trace does not have the clock.
fn clock(ask: &Ask, clocks: TreeClocks) -> Answered<Measure> {
    let Clock { clock } = ask.read()?;
    match clock {
        None => Ok(clocks.usual()),
        // Rebuilt wall times are of little use, but a question may request them.
        Some(clock) if clocks.has(clock) || clock == Measure::Wall => Ok(clock),
        Some(clock) => Err(unexpected(
            "clock",
            "a clock that the trace has",
            format_args!("{clock:?}"),
        )),
    }
}
