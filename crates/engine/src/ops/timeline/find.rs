//! Finding slices, and all slices of one name.

use traceloom_analyze::TimeRange;
use traceloom_analyze::timeline::{FindMode, Finder, Hits, NameId, NameStats, RangeScope};
use traceloom_trace::{RowId, SliceId, TrackId};

use super::locate::slice_of;
use crate::ask::{Ask, existing};
use crate::engine::Engine;
use crate::error::{Answered, EngineError};
use crate::frame::Frame;
use crate::json::Json;
use crate::scope::Scope;

/// Slices that are listed unless the page wants another number.
const USUAL_LIMIT: u32 = 10_000;

pub(crate) fn find(engine: &Engine, ask: &Ask, answer: &mut Frame) -> Answered {
    let (trace, timeline) = (&engine.trace, engine.timeline());
    // Names that the page found by itself, or what to find them by.
    let mut finder = None;
    let names = if ask.has("names") {
        known(ask.u32s("names")?, timeline.names.len())
    } else {
        let finder = finder.insert(Finder::new(ask.text("text")?, mode(ask)?));
        timeline.find_names(trace, finder)
    };
    let hits = hits(engine, ask, &Scope::of(engine, ask)?, &names, limit(ask)?)?;
    let rows = &timeline.rows.all;
    let mut found_rows = Vec::new();
    if let Some(finder) = &finder {
        for (at, row) in rows.iter().enumerate() {
            if finder.finds(&row.name) || finder.finds(&row.note) {
                found_rows.push(at as u32);
            }
        }
    }
    let mut per_row = vec![0_u64; rows.len()];
    for (track, count) in hits.per_track.iter().enumerate() {
        let row = timeline.rows.place(TrackId::from_row(track)).row;
        if let Some(sum) = per_row.get_mut(row as usize) {
            *sum += count;
        }
    }
    answer.put("total", hits.total());
    answer.json.object("per_row", |json| {
        for (row, count) in per_row.iter().enumerate() {
            if *count > 0 {
                json.put(&row.to_string(), count);
            }
        }
    });
    columns(engine, answer, &hits.first);
    answer
        .u32("names", &names, &|name| name.0)
        .u32("rows", &found_rows, &|row| *row);
    Ok(())
}

/// These names without those that no slice has.
fn known(names: Vec<u32>, count: usize) -> Vec<NameId> {
    let names = names.into_iter().map(NameId);
    names.filter(|name| name.row() < count).collect()
}

fn mode(ask: &Ask) -> Answered<FindMode> {
    let modes = [
        FindMode::Part,
        FindMode::Prefix,
        FindMode::Word,
        FindMode::Exact,
    ];
    let names = ["smart", "prefix", "word", "exact"];
    let at = ask.choice("mode", "smart, prefix, word or exact", &names)?;
    Ok(modes[at.unwrap_or(0)])
}

fn hits(
    engine: &Engine,
    ask: &Ask,
    scope: &Scope,
    names: &[NameId],
    limit: usize,
) -> Answered<Hits> {
    let (trace, cancelled) = (&engine.trace, || ask.cancel.is_raised());
    let (range, tracks) = (scope.range.unwrap_or(TimeRange::ALL), scope.tracks(trace));
    let timeline = engine.timeline();
    let found = timeline.slices_of(trace, names, range, tracks.as_deref(), limit, &cancelled);
    found.ok_or_else(|| EngineError::Cancelled.into())
}

fn limit(ask: &Ask) -> Answered<usize> {
    Ok(ask.u32_or("limit", USUAL_LIMIT)? as usize)
}

fn columns(engine: &Engine, answer: &mut Frame, slices: &[SliceId]) {
    let (trace, timeline) = (&engine.trace, engine.timeline());
    let place = |id: &SliceId| timeline.place_of(trace, *id);
    let places: Vec<(u32, u32)> = slices.iter().map(place).collect();
    answer
        .u32("slice", slices, &|id| id.0)
        .u32("row", &places, &|place| place.0)
        .f64("ts", slices, &|id| {
            engine.relative(trace.slices.ts.get(id.row()))
        })
        .f64("dur", slices, &|id| {
            engine.duration(trace.slices.dur.get(id.row()))
        })
        .u32("level", &places, &|place| place.1)
        .u32("name", slices, &|id| timeline.names.of_slice(id.row()).0);
}

pub(crate) fn same(engine: &Engine, ask: &Ask, answer: &mut Frame) -> Answered {
    let (trace, timeline) = (&engine.trace, engine.timeline());
    let name = if ask.has("name") {
        NameId(ask.u32("name")?)
    } else {
        timeline.names.of_slice(slice_of(engine, ask, "id")?.row())
    };
    let name = NameId(existing("name", name.0, timeline.names.len())?);
    let scope = Scope::of(engine, ask)?;
    let (is_whole, limit) = (scope == Scope::default(), limit(ask)?);
    // The numbers of a part are counted from all its slices.
    let most = if is_whole { limit } else { usize::MAX };
    let mut hits = hits(engine, ask, &scope, &[name], most)?;
    let stats = if is_whole {
        timeline.totals(trace).of(name).copied()
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
        stats_fields(&mut answer.json, &stats);
    }
    columns(engine, answer, &hits.first);
    Ok(())
}

/// Adds the times of a name's slices.
pub(super) fn stats_fields(json: &mut Json, stats: &NameStats) {
    json.put("total_ns", stats.total_ns)
        .put("self_ns", stats.self_ns)
        .put("min_ns", stats.min_ns)
        .put("median_ns", stats.median_ns)
        .put("p95_ns", stats.p95_ns)
        .put("max_ns", stats.max_ns);
}
