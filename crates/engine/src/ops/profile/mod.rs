//! The profile: rows, one method in detail, the tree, flame graphs, ranks, the call graph, a diff.

mod diff;
mod flame;
mod graph;
mod json;
mod tree;

pub(super) use diff::diff;
pub(super) use flame::flame;
pub(super) use graph::graph;
pub(super) use json::put_clocks;
pub(super) use tree::tree;

use std::sync::{Arc, OnceLock};

use traceloom_analyze::{GroupBy, Measure};

use crate::ask::{Ask, no_such_row};
use crate::choice;
use crate::engine::Engine;
use crate::error::{Answered, EngineError};
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
    fn of(engine: &Engine, ask: &Ask, by: GroupBy) -> Answered<Self> {
        Self::of_scope(engine, ask, &Scope::of(engine, ask)?, by)
    }

    fn of_scope(engine: &Engine, ask: &Ask, scope: &Scope, by: GroupBy) -> Answered<Self> {
        ask.check()?;
        let tree = engine.trees.of(engine, scope);
        ask.check()?;
        let made = tree.get().ok_or(EngineError::Cancelled)?;
        let clock = choice::clock(ask, made.tree.clocks)?;
        let ranking = made.ranking(engine, by, clock);
        ask.check()?;
        Ok(Self {
            tree,
            ranking,
            clock,
        })
    }

    fn made(&self) -> Answered<&ScopeTree> {
        Ok(self.tree.get().ok_or(EngineError::Cancelled)?)
    }

    /// The row of the profile that `rank` names, if the question has one.
    fn rank(&self, ask: &Ask) -> Answered<Option<usize>> {
        let Some(rank) = ask.maybe("rank", Ask::u32)? else {
            return Ok(None);
        };
        let count = self.ranking.profile.rows.len();
        match rank {
            1.. if rank as usize <= count => Ok(Some(rank as usize - 1)),
            _ => Err(no_such_row("rank", rank, count)),
        }
    }

    fn put_clock(&self, answer: &mut Frame) {
        answer.put("clock", choice::clock_name(self.clock));
    }
}

/// The rows by rank: all, or those that `find` means.
pub(crate) fn profile(engine: &Engine, ask: &Ask, answer: &mut Frame) -> Answered {
    let asked = Asked::of(engine, ask, choice::by(ask)?)?;
    let (tree, ranking) = (&asked.made()?.tree, &asked.ranking);
    let profile = &ranking.profile;
    let found = match ask.maybe_text("find")? {
        None | Some("") => (0..profile.rows.len()).collect(),
        Some(text) => profile.find(text),
    };
    let shown = found.len().min(ask.u32_or("limit", ROWS)? as usize);
    let out = &mut answer.json;
    json::put_clocks(out, tree.clocks);
    out.put("clock", choice::clock_name(asked.clock))
        .put("by", choice::group_name(profile.by));
    json::put_times(out, "total", &profile.total);
    json::put_times(out, "outside", &profile.outside);
    out.put("calls", tree.calls_of_threads())
        .put("threads", tree.threads.len())
        .objects("rows", &found[..shown], |out, row| {
            json::put_row(out, ranking, *row);
        })
        .put("hidden", found.len() - shown);
    json::put_repairs(out, &profile.repairs);
    Ok(())
}

/// One row with those who call it and those it calls.
pub(crate) fn method(engine: &Engine, ask: &Ask, answer: &mut Frame) -> Answered {
    let asked = Asked::of(engine, ask, choice::by(ask)?)?;
    let (ranking, tree) = (&asked.ranking, &asked.made()?.tree);
    let row = asked.rank(ask)?;
    let row = row.ok_or_else(|| ask.other("rank", "a row number"))?;
    let report = ranking.profile.report(tree, row);
    ask.check()?;
    asked.put_clock(answer);
    let out = &mut answer.json;
    json::put_times(out, "total", &ranking.profile.total);
    out.object("row", |out| json::put_row(out, ranking, row));
    json::put_times(out, "own", &report.own);
    json::put_edges(out, "parents", ranking, &report.parents);
    json::put_edges(out, "children", ranking, &report.children);
    json::put_edges(out, "recursive_parents", ranking, &report.recursive_parents);
    json::put_edges(
        out,
        "recursive_children",
        ranking,
        &report.recursive_children,
    );
    Ok(())
}

/// The rank of each name over the whole trace.
pub(crate) fn ranks(engine: &Engine, ask: &Ask, answer: &mut Frame) -> Answered {
    let asked = Asked::of_scope(engine, ask, &Scope::default(), GroupBy::Method)?;
    let mut ranks = vec![u32::MAX; engine.timeline().names.len()];
    for (row, &name) in asked.ranking.names.iter().enumerate() {
        if let Some(rank) = ranks.get_mut(name as usize) {
            *rank = row as u32 + 1;
        }
    }
    asked.put_clock(answer);
    answer.u32("rank", &ranks, &|rank| *rank);
    Ok(())
}
