//! The rows of a profile, one of them in detail, and the rank of each name.

use serde::Deserialize;
use traceloom_analyze::GroupBy;

use super::ranked::{DEFAULT_ROWS, Ranked, group_by};
use super::texts::{RowAnswer, edges};
use crate::ask::{Ask, unexpected};
use crate::engine::Engine;
use crate::error::Answered;
use crate::frame::Frame;
use crate::scope::Scope;

#[derive(Deserialize)]
struct ProfileQuestion {
    find: Option<String>,
    limit: Option<u32>,
}

/// The rows by rank: all rows, or those that match `find`.
pub(crate) fn profile(engine: &Engine, ask: &Ask, answer: &mut Frame) -> Answered {
    let question: ProfileQuestion = ask.read()?;
    let ranked = Ranked::new(engine, ask, group_by(ask)?)?;
    let (tree, ranking) = (&ranked.tree()?.tree, &ranked.ranking);
    let profile = &ranking.profile;
    let found = match question.find.as_deref() {
        None | Some("") => (0..profile.rows.len()).collect(),
        Some(text) => profile.find(text),
    };
    let limit = question.limit.unwrap_or(DEFAULT_ROWS) as usize;
    let shown = &found[..found.len().min(limit)];
    let rows = shown.iter().map(|&row| RowAnswer::new(ranking, row));
    ranked.put_clock(answer);
    if let Some(unfinished) = &profile.unfinished {
        answer.put("unfinished", unfinished);
    }
    answer
        .put("clocks", tree.clocks)
        .put("by", profile.by)
        .put("total", profile.total)
        .put("outside", profile.outside)
        .put("calls", tree.calls_of_threads())
        .put("threads", tree.threads.len())
        .put("rows", rows.collect::<Vec<_>>())
        .put("hidden", found.len() - shown.len())
        .put("repairs", &profile.repairs);
    Ok(())
}

/// One row with its callers and callees.
pub(crate) fn method(engine: &Engine, ask: &Ask, answer: &mut Frame) -> Answered {
    let ranked = Ranked::new(engine, ask, group_by(ask)?)?;
    let (ranking, tree) = (&ranked.ranking, &ranked.tree()?.tree);
    let row = ranked.row(ask)?;
    let row = row.ok_or_else(|| unexpected("rank", "a row number", "nothing"))?;
    let report = ranking.profile.report(tree, row);
    ask.check()?;
    ranked.put_clock(answer);
    answer
        .put("total", ranking.profile.total)
        .put("row", RowAnswer::new(ranking, row))
        .put("own", report.own);
    for (key, list) in [
        ("parents", &report.parents),
        ("children", &report.children),
        ("recursive_parents", &report.recursive_parents),
        ("recursive_children", &report.recursive_children),
    ] {
        answer.put(key, edges(ranking, list));
    }
    Ok(())
}

/// The rank of each name over the whole trace.
pub(crate) fn ranks(engine: &Engine, ask: &Ask, answer: &mut Frame) -> Answered {
    let ranked = Ranked::in_scope(engine, ask, &Scope::default(), GroupBy::Method)?;
    let mut ranks = vec![u32::MAX; engine.timeline().names.len()];
    for (row, &name) in ranked.ranking.names.iter().enumerate() {
        if let Some(rank) = ranks.get_mut(name as usize) {
            *rank = row as u32 + 1;
        }
    }
    ranked.put_clock(answer);
    answer.u32("rank", &ranks, |rank| *rank);
    Ok(())
}
