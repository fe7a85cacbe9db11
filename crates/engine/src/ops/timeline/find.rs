//! Finds slices by name, and all slices of one name.

use std::collections::BTreeMap;

use serde::Deserialize;
use traceloom_analyze::TimeRange;
use traceloom_analyze::timeline::{FindMode, Finder, Hits, NameId, RangeScope, SliceQuery};
use traceloom_trace::{RowId, SliceId, TrackId};

use super::locate::existing_slice;
use super::statistics::NameTimes;
use crate::ask::{Ask, existing, unexpected};
use crate::engine::Engine;
use crate::error::{Answered, EngineError};
use crate::frame::Frame;
use crate::scope::Scope;

/// The number of slices in the answer if the question sets no limit.
const DEFAULT_LIMIT: u32 = 10_000;

#[derive(Deserialize)]
struct FindQuestion {
    names: Option<Vec<u32>>,
    text: Option<String>,
    mode: Option<FindMode>,
    limit: Option<u32>,
}

pub(crate) fn find(engine: &Engine, ask: &Ask, answer: &mut Frame) -> Answered {
    let question: FindQuestion = ask.read()?;
    let (trace, timeline) = (&engine.trace, engine.timeline());
    // The question has names that the page has already found, or a text to search for.
    let mut finder = None;
    let names = match (question.names, &question.text) {
        (Some(names), _) => existing_names(names, timeline.names.len()),
        (None, Some(text)) => {
            let mode = question.mode.unwrap_or(FindMode::Part);
            timeline.find_names(trace, finder.insert(Finder::new(text, mode)))
        }
        (None, None) => return Err(unexpected("text", "text", "nothing")),
    };
    let limit = question.limit.unwrap_or(DEFAULT_LIMIT) as usize;
    let hits = hits(engine, ask, &engine.scope(ask)?, &names, limit)?;
    let rows = &timeline.rows.all;
    let mut found_rows = Vec::new();
    if let Some(finder) = &finder {
        for (at, row) in rows.iter().enumerate() {
            if finder.finds(&row.name) || finder.finds(&row.note) {
                found_rows.push(at as u32);
            }
        }
    }
    let mut per_row: BTreeMap<u32, u64> = BTreeMap::new();
    for (track, &count) in hits.per_track.iter().enumerate() {
        let row = timeline.rows.place(TrackId::from_row(track)).row;
        if count > 0 && (row as usize) < rows.len() {
            *per_row.entry(row).or_default() += count;
        }
    }
    answer.put("total", hits.total()).put("per_row", per_row);
    put_columns(engine, answer, &hits.first);
    answer
        .u32("names", &names, |name| name.0)
        .u32("rows", &found_rows, |row| *row);
    Ok(())
}

/// Removes names that the trace does not have.
fn existing_names(names: Vec<u32>, count: usize) -> Vec<NameId> {
    let names = names.into_iter().map(NameId);
    names.filter(|name| name.row() < count).collect()
}

fn hits(
    engine: &Engine,
    ask: &Ask,
    scope: &Scope,
    names: &[NameId],
    limit: usize,
) -> Answered<Hits> {
    let (trace, cancelled) = (&engine.trace, || ask.cancel.is_raised());
    let tracks = scope.tracks(trace);
    let query = SliceQuery {
        names,
        range: scope.range.unwrap_or(TimeRange::ALL),
        tracks: tracks.as_deref(),
        limit,
    };
    let found = engine.timeline().slices_of(trace, &query, &cancelled);
    found.ok_or_else(|| EngineError::Cancelled.into())
}

fn put_columns(engine: &Engine, answer: &mut Frame, slices: &[SliceId]) {
    let (trace, timeline) = (&engine.trace, engine.timeline());
    let place = |id: &SliceId| timeline.place_of(trace, *id);
    let places: Vec<(u32, u32)> = slices.iter().map(place).collect();
    answer
        .u32("slice", slices, |id| id.0)
        .u32("row", &places, |place| place.0)
        .f64("ts", slices, |id| {
            engine.relative(trace.slices.ts.get(id.row()))
        })
        .f64("dur", slices, |id| {
            engine.duration(trace.slices.dur.get(id.row()))
        })
        .u32("level", &places, |place| place.1)
        .u32("name", slices, |id| timeline.names.of_slice(id.row()).0);
}

#[derive(Deserialize)]
struct SameQuestion {
    id: Option<u32>,
    name: Option<u32>,
    limit: Option<u32>,
}

pub(crate) fn same(engine: &Engine, ask: &Ask, answer: &mut Frame) -> Answered {
    let question: SameQuestion = ask.read()?;
    let (trace, timeline) = (&engine.trace, engine.timeline());
    let name = match (question.name, question.id) {
        (Some(name), _) => name,
        (None, Some(id)) => {
            let slice = existing_slice(engine, "id", id)?;
            timeline.names.of_slice(slice.row()).0
        }
        (None, None) => return Err(unexpected("id", "a row number", "nothing")),
    };
    let name = NameId(existing("name", name, timeline.names.len())?);
    let scope = engine.scope(ask)?;
    let limit = question.limit.unwrap_or(DEFAULT_LIMIT) as usize;
    let is_whole = scope == Scope::default();
    // For a part of the trace, the statistics are computed from all its slices.
    let most = if is_whole { limit } else { usize::MAX };
    let mut hits = hits(engine, ask, &scope, &[name], most)?;
    let stats = if is_whole {
        timeline.totals(trace).stats(name).copied()
    } else {
        let tracks = scope.tracks(trace);
        let slices = RangeScope {
            range: scope.range,
            tracks: tracks.as_deref(),
            all_tracks: true,
        };
        let cancelled = || ask.cancel.is_raised();
        timeline.stats_of(trace, &slices, (name, &hits.first), &cancelled)
    };
    ask.check()?;
    hits.first.truncate(limit);
    answer.put("name", name.0).put("count", hits.total());
    if let Some(stats) = stats {
        answer.put_fields(NameTimes::new(&stats));
    }
    put_columns(engine, answer, &hits.first);
    Ok(())
}
