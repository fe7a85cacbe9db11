//! Two inputs of one trace compared.

use crate::json::{Value, json};
use rustc_hash::FxHashMap;
use traceloom_analyze::{
    Change, Diff, DiffMetric, DiffRow, Flame, FlameSide, Function, GroupBy, Measure, Presence,
    Profile, Verdict,
};

use super::flame::{Labels, frame, options};
use super::{Asked, ROWS, json as text};
use crate::ask::Ask;
use crate::cancel::Cancel;
use crate::choice;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::frame::Frame;
use crate::scope::Scope;

const METRICS: [(DiffMetric, &str); 3] = [
    (DiffMetric::Exclusive, "exclusive"),
    (DiffMetric::Inclusive, "inclusive"),
    (DiffMetric::Calls, "calls"),
];

/// The rows by how much they changed, or both sides as one flame graph.
pub(crate) fn diff(engine: &Engine, ask: &Ask, cancel: &Cancel) -> Result<Frame, EngineError> {
    let by = match ask.flag("flame") {
        true => GroupBy::Method,
        false => choice::by(ask)?,
    };
    let scope = Scope::of(engine, ask)?;
    let (base, new) = sources(engine, ask)?;
    let side = |sources: &[u32]| -> Result<Vec<Asked>, EngineError> {
        let scopes = sources.iter().map(|&source| scope.in_source(source));
        scopes
            .map(|scope| Asked::of_scope(engine, ask, &scope, by, cancel))
            .collect()
    };
    let (base, new) = (side(&base)?, side(&new)?);
    let clock = base.first().map_or(Measure::Wall, |asked| asked.clock);
    let answer = match ask.flag("flame") {
        true => flame(engine, ask, [&base, &new], clock, cancel)?,
        false => rows(ask, [&base, &new], clock)?,
    };
    Ok(answer.with("clock", choice::clock_name(clock)))
}

/// The inputs on each side: those asked for, else the first against the second.
fn sources(engine: &Engine, ask: &Ask) -> Result<(Vec<u32>, Vec<u32>), EngineError> {
    let count = engine.trace.sources.len();
    let asked = |field, usual: u32| -> Result<Vec<u32>, EngineError> {
        let list = ask.maybe(field, Ask::u32s)?.filter(|list| !list.is_empty());
        let list = list.unwrap_or_else(|| vec![usual]);
        match list.iter().find(|&&source| source as usize >= count) {
            None => Ok(list),
            Some(&source) => Err(EngineError::NoSuchRow {
                field: "source",
                id: source.into(),
                count: count as u64,
            }),
        }
    };
    Ok((asked("base", 0)?, asked("new", 1)?))
}

fn rows(ask: &Ask, sides: [&[Asked]; 2], clock: Measure) -> Result<Frame, EngineError> {
    let expected = "exclusive, inclusive or calls";
    let metric = choice::choice(ask, "metric", expected, &METRICS)?;
    let metric = metric.unwrap_or(DiffMetric::Exclusive);
    let diff = Diff::of(&profiles(sides[0]), &profiles(sides[1]), clock, metric);
    let shown = diff.rows.len().min(choice::limit(ask, "limit", ROWS)?);
    let rows: Vec<Value> = diff.rows[..shown].iter().map(row).collect();
    Ok(Frame::new()
        .with("by", choice::group_name(diff.by))
        .with("base_runs", diff.base_runs)
        .with("new_runs", diff.new_runs)
        .with("total", change(&diff.total))
        .with("rows", rows)
        .with("hidden", diff.rows.len() - shown))
}

fn profiles(side: &[Asked]) -> Vec<&Profile> {
    side.iter().map(|asked| &asked.ranking.profile).collect()
}

fn row(row: &DiffRow) -> Value {
    let presence = match row.presence {
        Presence::Both => "both",
        Presence::New => "new",
        Presence::Gone => "gone",
    };
    let mut map = text::function(&row.function);
    map.insert("presence", &presence);
    map.insert("calls", &change(&row.calls));
    map.insert("inclusive", &change(&row.inclusive));
    map.insert("exclusive", &change(&row.exclusive));
    map.end()
}

fn change(change: &Change) -> Value {
    let verdict = match change.verdict {
        Verdict::Same => "same",
        Verdict::More => "more",
        Verdict::Less => "less",
        Verdict::WithinNoise => "within_noise",
        Verdict::Unknown => "unknown",
    };
    json!({
        "base": change.base, "new": change.new, "delta": change.delta,
        "percent": change.percent, "verdict": verdict,
    })
}

/// Both sides, bar on bar. A bar is as wide as both of its sides together, and `delta` says how
/// much wider the new one is.
fn flame(
    engine: &Engine,
    ask: &Ask,
    sides: [&[Asked]; 2],
    clock: Measure,
    cancel: &Cancel,
) -> Result<Frame, EngineError> {
    let mut shared = SharedNames::default();
    let all = || sides.iter().flat_map(|side| side.iter());
    let names: Vec<Vec<u32>> = all().map(|asked| shared.of(asked)).collect();
    let mut flame_sides = Vec::new();
    for (at, asked) in all().enumerate() {
        let is_base = at < sides[0].len();
        let runs = sides[usize::from(!is_base)].len();
        flame_sides.push(FlameSide {
            tree: &asked.made()?.tree,
            profile: &asked.ranking.profile,
            names: Some(&names[at]),
            scale: 1.0 / runs as f64,
            is_base,
        });
    }
    let options = options(ask)?;
    let flame = Flame::new(&flame_sides, clock, &options, &|| !cancel.is_raised());
    cancel.check()?;
    let labels = Labels {
        name: &|name| shared.ids[name as usize],
        text: &|name| shared.texts[name as usize].clone(),
        hue: &|name| engine.hue(name),
    };
    let deltas = flame.frames.iter().map(|bar| bar.w - 2.0 * bar.base);
    Ok(frame(&flame, &labels).f64("delta", deltas))
}

/// Numbers for the functions of several profiles: equal functions have equal ones.
#[derive(Default)]
struct SharedNames {
    known: FxHashMap<Function, u32>,
    ids: Vec<u32>,
    texts: Vec<String>,
}

impl SharedNames {
    /// The number of each row of a profile.
    fn of(&mut self, asked: &Asked) -> Vec<u32> {
        let rows = asked.ranking.profile.rows.iter().enumerate();
        rows.map(|(at, row)| {
            if let Some(&known) = self.known.get(&row.function) {
                return known;
            }
            let number = self.ids.len() as u32;
            self.known.insert(row.function.clone(), number);
            self.ids.push(asked.ranking.names[at]);
            self.texts.push(row.function.label());
            number
        })
        .collect()
    }
}
