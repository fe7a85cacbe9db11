//! The profile: rows, one method in detail, the tree, flame graphs, ranks, the call graph, a diff.

mod diff;
mod flame;
mod graph;
mod json;
mod tree;

pub(super) use diff::diff;
pub(super) use flame::flame;
pub(super) use graph::graph;
pub(super) use json::clocks;
pub(super) use tree::tree;

use std::sync::{Arc, OnceLock};

use crate::json::Value;
use traceloom_analyze::{GroupBy, Measure};

use crate::ask::Ask;
use crate::cancel::Cancel;
use crate::choice;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::frame::Frame;
use crate::scope::Scope;
use crate::trees::{Ranking, ScopeTree};

/// Rows of a table where the question sets no limit.
const ROWS: u32 = 1_000;

/// The tree and the profile that a question is about.
struct Asked {
    tree: Arc<OnceLock<ScopeTree>>,
    ranking: Arc<Ranking>,
    clock: Measure,
}

impl Asked {
    fn of(engine: &Engine, ask: &Ask, by: GroupBy, cancel: &Cancel) -> Result<Self, EngineError> {
        Self::of_scope(engine, ask, &Scope::of(engine, ask)?, by, cancel)
    }

    fn of_scope(
        engine: &Engine,
        ask: &Ask,
        scope: &Scope,
        by: GroupBy,
        cancel: &Cancel,
    ) -> Result<Self, EngineError> {
        cancel.check()?;
        let tree = engine.trees.of(engine, scope);
        cancel.check()?;
        let made = tree.get().ok_or(EngineError::Cancelled)?;
        let clock = choice::clock(ask, made.tree.clocks)?;
        let ranking = made.ranking(engine, by, clock);
        cancel.check()?;
        Ok(Self {
            tree,
            ranking,
            clock,
        })
    }

    fn made(&self) -> Result<&ScopeTree, EngineError> {
        self.tree.get().ok_or(EngineError::Cancelled)
    }

    /// The row of the profile that `rank` names, if the question has one.
    fn rank(&self, ask: &Ask) -> Result<Option<usize>, EngineError> {
        let Some(rank) = ask.maybe("rank", Ask::u32)? else {
            return Ok(None);
        };
        let count = self.ranking.profile.rows.len();
        match rank {
            1.. if rank as usize <= count => Ok(Some(rank as usize - 1)),
            _ => Err(EngineError::NoSuchRow {
                field: "rank",
                id: rank.into(),
                count: count as u64,
            }),
        }
    }
}

/// The rows by rank: all, or those that `find` means.
pub(crate) fn profile(engine: &Engine, ask: &Ask, cancel: &Cancel) -> Result<Frame, EngineError> {
    let asked = Asked::of(engine, ask, choice::by(ask)?, cancel)?;
    let (tree, ranking) = (&asked.made()?.tree, &asked.ranking);
    let profile = &ranking.profile;
    let find = ask.maybe("find", |ask, field| ask.text(field).map(str::to_owned))?;
    let found: Vec<usize> = match find.as_deref() {
        None | Some("") => (0..profile.rows.len()).collect(),
        Some(text) => profile.find(text),
    };
    let shown = found.len().min(choice::limit(ask, "limit", ROWS)?);
    let rows = found[..shown].iter().map(|&row| json::row(ranking, row));
    let rows: Vec<Value> = rows.collect();
    Ok(Frame::new()
        .with("clocks", json::clocks(tree.clocks))
        .with("clock", choice::clock_name(asked.clock))
        .with("by", choice::group_name(profile.by))
        .with("total", json::times(&profile.total))
        .with("outside", json::times(&profile.outside))
        .with("calls", tree.calls_of_threads())
        .with("threads", tree.threads.len())
        .with("rows", rows)
        .with("hidden", found.len() - shown)
        .with("repairs", json::repairs(&profile.repairs)))
}

/// One row with those who call it and those it calls.
pub(crate) fn method(engine: &Engine, ask: &Ask, cancel: &Cancel) -> Result<Frame, EngineError> {
    let asked = Asked::of(engine, ask, choice::by(ask)?, cancel)?;
    let (ranking, tree) = (&asked.ranking, &asked.made()?.tree);
    let row = asked.rank(ask)?.ok_or_else(|| EngineError::Field {
        field: "rank",
        expected: "a row number",
        found: "nothing".to_owned(),
    })?;
    let report = ranking.profile.report(tree, row);
    cancel.check()?;
    let section = |edges| json::edges(ranking, edges);
    Ok(Frame::new()
        .with("clock", choice::clock_name(asked.clock))
        .with("total", json::times(&ranking.profile.total))
        .with("row", json::row(ranking, row))
        .with("own", json::times(&report.own))
        .with("parents", section(&report.parents))
        .with("children", section(&report.children))
        .with("recursive_parents", section(&report.recursive_parents))
        .with("recursive_children", section(&report.recursive_children)))
}

/// The rank of each name over the whole trace.
pub(crate) fn ranks(engine: &Engine, ask: &Ask, cancel: &Cancel) -> Result<Frame, EngineError> {
    let asked = Asked::of_scope(engine, ask, &Scope::default(), GroupBy::Method, cancel)?;
    let mut ranks = vec![u32::MAX; engine.timeline().names.len()];
    for (row, &name) in asked.ranking.names.iter().enumerate() {
        if let Some(rank) = ranks.get_mut(name as usize) {
            *rank = row as u32 + 1;
        }
    }
    Ok(Frame::new()
        .with("clock", choice::clock_name(asked.clock))
        .u32("rank", ranks))
}
