//! Rows of a profile as JSON. The keys are the same as in `traceloom profile --json`, plus `label`
//! and `name`.

use serde::Serialize;
use traceloom_analyze::{Function, ReportEdge, Times};

use crate::trees::Ranking;

/// A function's label, and its parts if it is a method.
#[derive(Serialize)]
pub(super) struct FunctionTexts<'a> {
    label: String,
    #[serde(skip_serializing_if = "str::is_empty")]
    class: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    method: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    signature: &'a str,
}

impl<'a> FunctionTexts<'a> {
    pub fn new(function: &'a Function) -> Self {
        Self {
            label: function.label(),
            class: &function.class,
            method: &function.name,
            signature: &function.signature,
        }
    }
}

#[derive(Serialize)]
pub(super) struct RowAnswer<'a> {
    #[serde(flatten)]
    function: FunctionTexts<'a>,
    rank: u32,
    name: u32,
    calls: u64,
    recursive_calls: u64,
    inclusive: Times,
    exclusive: Times,
    #[serde(skip_serializing_if = "Option::is_none")]
    unfinished: Option<Times>,
}

impl<'a> RowAnswer<'a> {
    pub fn new(ranking: &'a Ranking, at: usize) -> Self {
        let row = &ranking.profile.rows[at];
        Self {
            function: FunctionTexts::new(&row.function),
            rank: row.rank,
            name: ranking.names[at],
            calls: row.calls,
            recursive_calls: row.recursive_calls,
            inclusive: row.inclusive,
            exclusive: row.exclusive,
            unfinished: row.unfinished,
        }
    }
}

#[derive(Serialize)]
pub(super) struct EdgeAnswer<'a> {
    #[serde(flatten)]
    function: FunctionTexts<'a>,
    rank: u32,
    name: u32,
    calls: u64,
    of_calls: u64,
    inclusive: Times,
}

pub(super) fn edges<'a>(ranking: &Ranking, edges: &'a [ReportEdge]) -> Vec<EdgeAnswer<'a>> {
    let answer = |edge: &'a ReportEdge| {
        let row = (edge.rank as usize).wrapping_sub(1);
        EdgeAnswer {
            function: FunctionTexts::new(&edge.function),
            rank: edge.rank,
            name: ranking.names.get(row).copied().unwrap_or(u32::MAX),
            calls: edge.calls,
            of_calls: edge.of_calls,
            inclusive: edge.inclusive,
        }
    };
    edges.iter().map(answer).collect()
}
