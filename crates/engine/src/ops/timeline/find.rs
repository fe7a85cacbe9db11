//! Finding slices, and all slices of one name.

use crate::json::Map;
use traceloom_analyze::TimeRange;
use traceloom_analyze::timeline::{FindMode, Finder, Hits, NameId, RangeScope};
use traceloom_trace::{RowId, SliceId, TrackId};

use super::locate::slice_of;
use crate::ask::Ask;
use crate::cancel::Cancel;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::frame::Frame;
use crate::scope::Scope;

/// Slices that are listed unless the page wants another number.
const USUAL_LIMIT: u32 = 10_000;

pub(crate) fn find(engine: &Engine, ask: &Ask, cancel: &Cancel) -> Result<Frame, EngineError> {
    let (trace, timeline) = (&engine.trace, engine.timeline());
    // Names that the page found by itself, or what to find them by.
    let chosen = ask.maybe("names", Ask::u32s)?;
    let finder = match chosen {
        Some(_) => None,
        None => Some(Finder::new(ask.text("text")?, mode(ask)?)),
    };
    let names = match &finder {
        Some(finder) => timeline.find_names(trace, finder),
        None => known(chosen.unwrap_or_default(), timeline.names.len()),
    };
    let hits = hits(engine, ask, cancel, &names, false)?;
    let rows = timeline.rows.all.iter().enumerate();
    let rows = rows.filter(|(_, row)| {
        let finds = |text| finder.as_ref().is_some_and(|finder| finder.finds(text));
        finds(&row.name) || finds(&row.note)
    });
    let mut per_row = vec![0_u64; timeline.rows.all.len()];
    for (track, count) in hits
        .per_track
        .iter()
        .enumerate()
        .filter(|(_, count)| **count > 0)
    {
        let row = timeline.rows.place(TrackId::from_row(track)).row;
        if let Some(sum) = per_row.get_mut(row as usize) {
            *sum += count;
        }
    }
    let per_row = per_row.iter().enumerate().filter(|(_, sum)| **sum > 0);
    let mut counts = Map::new();
    per_row.for_each(|(row, count)| counts.insert(&row.to_string(), count));
    let frame = Frame::new()
        .with("total", hits.total())
        .with("per_row", counts);
    Ok(columns(engine, frame, &hits.first)
        .u32("names", names.iter().map(|name| name.0))
        .u32("rows", rows.map(|(at, _)| at as u32).collect::<Vec<_>>()))
}

/// These names without those that no slice has.
fn known(names: Vec<u32>, count: usize) -> Vec<NameId> {
    let names = names.into_iter().map(NameId);
    names.filter(|name| name.row() < count).collect()
}

fn mode(ask: &Ask) -> Result<FindMode, EngineError> {
    match ask
        .maybe("mode", |ask, field| ask.text(field).map(str::to_owned))?
        .as_deref()
    {
        None | Some("smart") => Ok(FindMode::Part),
        Some("prefix") => Ok(FindMode::Prefix),
        Some("word") => Ok(FindMode::Word),
        Some("exact") => Ok(FindMode::Exact),
        Some(other) => Err(EngineError::Field {
            field: "mode",
            expected: "smart, prefix, word or exact",
            found: other.to_owned(),
        }),
    }
}

fn hits(
    engine: &Engine,
    ask: &Ask,
    cancel: &Cancel,
    names: &[NameId],
    all: bool,
) -> Result<Hits, EngineError> {
    let scope = Scope::of(engine, ask)?;
    let tracks = scope.tracks(&engine.trace);
    let range = scope.range.unwrap_or(TimeRange::ALL);
    let limit = if all { usize::MAX } else { limit(ask)? };
    let (trace, cancelled) = (&engine.trace, || cancel.is_raised());
    let found =
        engine
            .timeline()
            .slices_of(trace, names, range, tracks.as_deref(), limit, &cancelled);
    found.ok_or(EngineError::Cancelled)
}

fn limit(ask: &Ask) -> Result<usize, EngineError> {
    Ok(ask.maybe("limit", Ask::u32)?.unwrap_or(USUAL_LIMIT) as usize)
}

fn columns(engine: &Engine, frame: Frame, slices: &[SliceId]) -> Frame {
    let (trace, timeline) = (&engine.trace, engine.timeline());
    let places: Vec<(u32, u32)> = slices
        .iter()
        .map(|id| timeline.place_of(trace, *id))
        .collect();
    let ts = |id: &SliceId| engine.relative(trace.slices.ts.get(id.row()));
    let dur = |id: &SliceId| engine.duration(trace.slices.dur.get(id.row()));
    let name = |id: &SliceId| timeline.names.of_slice(id.row()).0;
    frame
        .u32("slice", slices.iter().map(|id| id.0))
        .u32("row", places.iter().map(|place| place.0))
        .f64("ts", slices.iter().map(ts))
        .f64("dur", slices.iter().map(dur))
        .u32("level", places.iter().map(|place| place.1))
        .u32("name", slices.iter().map(name))
}

pub(crate) fn same(engine: &Engine, ask: &Ask, cancel: &Cancel) -> Result<Frame, EngineError> {
    let (trace, timeline) = (&engine.trace, engine.timeline());
    let name = match ask.maybe("name", Ask::u32)? {
        Some(name) => NameId(name),
        None => timeline.names.of_slice(slice_of(engine, ask, "id")?.row()),
    };
    if name.row() >= timeline.names.len() {
        return Err(EngineError::NoSuchRow {
            field: "name",
            id: name.0.into(),
            count: timeline.names.len() as u64,
        });
    }
    let (scope, cancelled) = (Scope::of(engine, ask)?, || cancel.is_raised());
    let is_whole = scope == Scope::default();
    let mut hits = hits(engine, ask, cancel, &[name], !is_whole)?;
    let stats = match is_whole {
        true => timeline.totals(trace).of(name).copied(),
        false => {
            let tracks = scope.tracks(trace);
            let slices = RangeScope {
                range: scope.range,
                tracks: tracks.as_deref(),
                all_tracks: true,
            };
            timeline.stats_of(trace, &slices, (name, &hits.first), &cancelled)
        }
    };
    cancel.check()?;
    hits.first.truncate(limit(ask)?);
    let mut frame = Frame::new()
        .with("name", name.0)
        .with("count", hits.total());
    if let Some(stats) = stats {
        frame = frame
            .with("total_ns", stats.total_ns)
            .with("self_ns", stats.self_ns)
            .with("min_ns", stats.min_ns)
            .with("median_ns", stats.median_ns)
            .with("p95_ns", stats.p95_ns)
            .with("max_ns", stats.max_ns);
    }
    Ok(columns(engine, frame, &hits.first))
}
