//! Two inputs of one trace compared.

use traceloom_analyze::{
    Change, Diff, DiffMetric, Flame, FlameSide, Function, GroupBy, Presence, Profile, Verdict,
};
use traceloom_trace::SmallSort;

use super::flame::{Labels, options, put_bars};
use super::{Asked, ROWS, json as text};
use crate::ask::{Ask, existing};
use crate::choice;
use crate::engine::Engine;
use crate::error::Answered;
use crate::frame::Frame;
use crate::json::Json;
use crate::scope::Scope;

/// The rows by how much they changed, or both sides as one flame graph.
pub(crate) fn diff(engine: &Engine, ask: &Ask, answer: &mut Frame) -> Answered {
    let is_flame = ask.flag("flame");
    let by = if is_flame {
        GroupBy::Method
    } else {
        choice::by(ask)?
    };
    let scope = Scope::of(engine, ask)?;
    let (base, new) = (
        sources(engine, ask, "base", 0)?,
        sources(engine, ask, "new", 1)?,
    );
    let mut asked = Vec::new();
    for &source in base.iter().chain(&new) {
        asked.push(Asked::of_scope(engine, ask, &scope.in_source(source), by)?);
    }
    let sides = asked.split_at(base.len());
    if is_flame {
        put_flame(engine, ask, sides, answer)?
    } else {
        put_rows(ask, sides, &mut answer.json)?
    }
    asked[0].put_clock(answer);
    Ok(())
}

/// The inputs of a side: those asked for, else the usual one.
fn sources(engine: &Engine, ask: &Ask, field: &'static str, usual: u32) -> Answered<Vec<u32>> {
    let mut sources = ask.maybe(field, Ask::u32s)?.unwrap_or_default();
    if sources.is_empty() {
        sources.push(usual);
    }
    for source in &sources {
        existing("source", *source, engine.trace.sources.len())?;
    }
    Ok(sources)
}

/// The runs of both sides: the base and the new one, each at least one.
type Sides<'a> = (&'a [Asked], &'a [Asked]);

fn put_rows(ask: &Ask, (base, new): Sides<'_>, out: &mut Json) -> Answered {
    let metrics = [
        DiffMetric::Exclusive,
        DiffMetric::Inclusive,
        DiffMetric::Calls,
    ];
    let names = ["exclusive", "inclusive", "calls"];
    let metric = ask.choice("metric", "exclusive, inclusive or calls", &names)?;
    let metric = metrics[metric.unwrap_or(0)];
    let diff = Diff::of(&profiles(base), &profiles(new), base[0].clock, metric);
    let shown = diff.rows.len().min(ask.u32_or("limit", ROWS)? as usize);
    out.put("by", choice::group_name(diff.by))
        .put("base_runs", diff.base_runs)
        .put("new_runs", diff.new_runs);
    put_change(out, "total", &diff.total);
    out.objects("rows", &diff.rows[..shown], |out, row| {
        let presence = match row.presence {
            Presence::Both => "both",
            Presence::New => "new",
            Presence::Gone => "gone",
        };
        text::put_function(out, &row.function);
        out.put("presence", presence);
        put_change(out, "calls", &row.calls);
        put_change(out, "inclusive", &row.inclusive);
        put_change(out, "exclusive", &row.exclusive);
    });
    out.put("hidden", diff.rows.len() - shown);
    Ok(())
}

fn profiles(side: &[Asked]) -> Vec<&Profile> {
    side.iter().map(|asked| &asked.ranking.profile).collect()
}

fn put_change(out: &mut Json, key: &str, change: &Change) {
    let verdict = match change.verdict {
        Verdict::Same => "same",
        Verdict::More => "more",
        Verdict::Less => "less",
        Verdict::WithinNoise => "within_noise",
        Verdict::Unknown => "unknown",
    };
    out.object(key, |out| {
        out.put("base", change.base)
            .put("new", change.new)
            .put("delta", change.delta)
            .put("percent", change.percent)
            .put("verdict", verdict);
    });
}

/// Both sides, bar on bar. A bar is as wide as both of its sides together, and `delta` says how
/// much wider the new one is.
fn put_flame(engine: &Engine, ask: &Ask, (base, new): Sides<'_>, answer: &mut Frame) -> Answered {
    let all = || base.iter().chain(new);
    let shared = SharedNames::of(all());
    let (mut sides, mut rest) = (Vec::new(), &*shared.numbers);
    for asked in all() {
        let profile = &asked.ranking.profile;
        let names;
        (names, rest) = rest.split_at(profile.rows.len());
        let is_base = sides.len() < base.len();
        let runs = if is_base { base.len() } else { new.len() };
        sides.push(FlameSide {
            tree: &asked.made()?.tree,
            profile,
            names: Some(names),
            scale: 1.0 / runs as f64,
            is_base,
        });
    }
    let wanted = || !ask.cancel.is_raised();
    let flame = Flame::new(&sides, base[0].clock, &options(ask)?, &wanted);
    ask.check()?;
    let labels = Labels {
        name: &|row| shared.rows[row as usize].1,
        text: &|row| shared.rows[row as usize].0.label(),
    };
    put_bars(engine, answer, &flame, &labels);
    answer.f64("delta", &flame.frames, &|bar| bar.w - 2.0 * bar.base);
    Ok(())
}

/// Numbers for the functions of several profiles: equal functions have equal ones.
struct SharedNames<'a> {
    /// The rows of all profiles, and their NameIds.
    rows: Vec<(&'a Function, u32)>,
    /// For each row, the first one of the same function.
    numbers: Vec<u32>,
}

impl<'a> SharedNames<'a> {
    fn of(all: impl Iterator<Item = &'a Asked>) -> Self {
        let mut rows = Vec::new();
        for asked in all {
            let ranking = &asked.ranking;
            for (row, name) in ranking.profile.rows.iter().zip(&ranking.names) {
                rows.push((&row.function, *name));
            }
        }
        let function = |row: u32| rows[row as usize].0;
        let mut order: Vec<u32> = (0..rows.len() as u32).collect();
        order.small_sort_by_key(|&row| function(row));
        let mut numbers = vec![0; rows.len()];
        for same in order.chunk_by(|&one, &next| function(one) == function(next)) {
            for &row in same {
                numbers[row as usize] = same[0];
            }
        }
        Self { rows, numbers }
    }
}
