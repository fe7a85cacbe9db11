//! Compares two sources of one trace.

use serde::{Deserialize, Serialize};
use traceloom_analyze::{
    Change, Diff, DiffMetric, DiffRow, Flame, FlameSide, Function, GroupBy, Presence, Profile,
    Verdict,
};
use traceloom_trace::sort;

use super::flame::{Labels, options, put_bars};
use super::ranked::{DEFAULT_ROWS, Ranked, group_by};
use super::texts::FunctionTexts;
use crate::ask::{Ask, existing};
use crate::engine::Engine;
use crate::error::Answered;
use crate::frame::Frame;

#[derive(Deserialize)]
struct Question {
    flame: Option<bool>,
    base: Option<Vec<u32>>,
    new: Option<Vec<u32>>,
    metric: Option<DiffMetric>,
    limit: Option<u32>,
}

/// The rows ordered by the size of their change, or both sides as one flame graph.
pub(crate) fn diff(engine: &Engine, ask: &Ask, answer: &mut Frame) -> Answered {
    let question: Question = ask.read()?;
    let is_flame = question.flame == Some(true);
    let by = if is_flame {
        GroupBy::Method
    } else {
        group_by(ask)?
    };
    let scope = engine.scope(ask)?;
    let base = sources(engine, &question.base, 0)?;
    let new = sources(engine, &question.new, 1)?;
    let mut runs = Vec::new();
    for &source in base.iter().chain(&new) {
        let scope = scope.in_source(source);
        runs.push(Ranked::in_scope(engine, ask, &scope, by)?);
    }
    let sides = runs.split_at(base.len());
    if is_flame {
        put_flame(engine, ask, sides, answer)?
    } else {
        put_rows(&question, sides, answer)
    }
    runs[0].put_clock(answer);
    Ok(())
}

/// The sources of a side. They come from the question, or are `default` if the question has none.
fn sources(engine: &Engine, asked: &Option<Vec<u32>>, default: u32) -> Answered<Vec<u32>> {
    let mut sources = asked.clone().unwrap_or_default();
    if sources.is_empty() {
        sources.push(default);
    }
    for source in &sources {
        existing("source", *source, engine.trace.sources.len())?;
    }
    Ok(sources)
}

/// The runs of both sides: base and new. Each side has at least one.
type Sides<'a> = (&'a [Ranked], &'a [Ranked]);

#[derive(Serialize)]
struct ChangeAnswer {
    base: f64,
    new: f64,
    delta: f64,
    percent: Option<f64>,
    verdict: Verdict,
}

impl ChangeAnswer {
    fn new(change: &Change) -> Self {
        Self {
            base: change.base,
            new: change.new,
            delta: change.delta,
            percent: change.percent,
            verdict: change.verdict,
        }
    }
}

#[derive(Serialize)]
struct Row<'a> {
    #[serde(flatten)]
    function: FunctionTexts<'a>,
    presence: Presence,
    calls: ChangeAnswer,
    inclusive: ChangeAnswer,
    exclusive: ChangeAnswer,
    #[serde(skip_serializing_if = "Option::is_none")]
    unfinished: Option<ChangeAnswer>,
}

impl<'a> Row<'a> {
    fn new(row: &'a DiffRow) -> Self {
        Self {
            function: FunctionTexts::new(&row.function),
            presence: row.presence,
            calls: ChangeAnswer::new(&row.calls),
            inclusive: ChangeAnswer::new(&row.inclusive),
            exclusive: ChangeAnswer::new(&row.exclusive),
            unfinished: row.unfinished.as_ref().map(ChangeAnswer::new),
        }
    }
}

fn put_rows(question: &Question, (base, new): Sides<'_>, answer: &mut Frame) {
    let metric = question.metric.unwrap_or(DiffMetric::Exclusive);
    let diff = Diff::new(&profiles(base), &profiles(new), base[0].clock, metric);
    let limit = question.limit.unwrap_or(DEFAULT_ROWS) as usize;
    let shown = &diff.rows[..diff.rows.len().min(limit)];
    if let Some(unfinished) = &diff.unfinished {
        answer.put("unfinished", ChangeAnswer::new(unfinished));
    }
    answer
        .put("by", diff.by)
        .put("base_runs", diff.base_runs)
        .put("new_runs", diff.new_runs)
        .put("total", ChangeAnswer::new(&diff.total))
        .put("rows", shown.iter().map(Row::new).collect::<Vec<_>>())
        .put("hidden", diff.rows.len() - shown.len());
}

fn profiles(side: &[Ranked]) -> Vec<&Profile> {
    side.iter().map(|run| &run.ranking.profile).collect()
}

/// Both sides in one flame graph. The width of a bar is the sum of both sides; `delta` is new minus
/// base.
fn put_flame(engine: &Engine, ask: &Ask, (base, new): Sides<'_>, answer: &mut Frame) -> Answered {
    let all = || base.iter().chain(new);
    let shared = SharedNames::new(all());
    let (mut sides, mut rest) = (Vec::new(), &*shared.numbers);
    for run in all() {
        let profile = &run.ranking.profile;
        let names;
        (names, rest) = rest.split_at(profile.rows.len());
        let is_base = sides.len() < base.len();
        let runs = if is_base { base.len() } else { new.len() };
        sides.push(FlameSide {
            tree: &run.tree()?.tree,
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
    answer.f64("delta", &flame.frames, |bar| bar.w - 2.0 * bar.base);
    Ok(())
}

/// Numbers for the functions of several profiles. Equal functions have equal numbers.
struct SharedNames<'a> {
    /// The rows of all profiles, and their NameIds.
    rows: Vec<(&'a Function, u32)>,
    /// For each row, the first row of the same function.
    numbers: Vec<u32>,
}

impl<'a> SharedNames<'a> {
    fn new(all: impl Iterator<Item = &'a Ranked>) -> Self {
        let mut rows = Vec::new();
        for run in all {
            let ranking = &run.ranking;
            for (row, name) in ranking.profile.rows.iter().zip(&ranking.names) {
                rows.push((&row.function, *name));
            }
        }
        let function = |row: u32| rows[row as usize].0;
        let mut order: Vec<u32> = (0..rows.len() as u32).collect();
        sort::by_key(&mut order, |&row| function(row));
        let mut numbers = vec![0; rows.len()];
        for same in order.chunk_by(|&one, &next| function(one) == function(next)) {
            for &row in same {
                numbers[row as usize] = same[0];
            }
        }
        Self { rows, numbers }
    }
}
