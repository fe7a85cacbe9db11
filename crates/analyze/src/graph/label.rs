//! What stands on a node, and in which colours. Shared by the picture and by DOT, so that both
//! look alike.

use super::fixed::{Fixed, px};
use super::{CallGraph, GraphEdge, GraphNode};
use crate::tree::Measure;

/// Longest class and method name on a node, characters; the tooltip has all of it.
const MAX_NAME: usize = 42;

/// The lines on a node.
pub(super) struct Label {
    /// The class (or thread's package …); empty where there is none.
    pub class: String,
    /// The method.
    pub name: String,
    /// Times, shares and calls.
    pub numbers: Vec<String>,
}

impl Label {
    /// Of the node that stands at `number` in the graph.
    pub(super) fn of(graph: &CallGraph, number: usize) -> Self {
        let node = &graph.nodes[number];
        let times = |word: &str, ns: i64| {
            let share = px(graph.percent(ns));
            format!("{word} {} ms ({share} %)", ms(ns))
        };
        Self {
            class: keep_end(&visible(&node.function.class)),
            name: keep_start(&visible(&node.function.name)),
            numbers: vec![
                format!(
                    "{}, {}",
                    calls_line(node, number),
                    times("incl", node.inclusive_ns)
                ),
                times("excl", node.exclusive_ns),
            ],
        }
    }

    pub(super) fn lines(&self) -> impl Iterator<Item = &str> {
        let class = (!self.class.is_empty()).then_some(self.class.as_str());
        let numbers = self.numbers.iter().map(String::as_str);
        class.into_iter().chain([self.name.as_str()]).chain(numbers)
    }
}

/// How often it was called; the first node stands for the threads.
fn calls_line(node: &GraphNode, number: usize) -> String {
    let (one, many) = match number {
        0 => ("thread", "threads"),
        _ => ("call", "calls"),
    };
    match (node.calls, node.recursive_calls) {
        (1, 0) => format!("1 {one}"),
        (calls, 0) => format!("{calls} {many}"),
        (calls, recursive) => format!("{calls}+{recursive} {many}"),
    }
}

/// The whole name with signature, for tooltips.
pub(super) fn full_name(node: &GraphNode) -> String {
    let function = &node.function;
    match function.signature.as_str() {
        "" => visible(&function.label()),
        signature => visible(&format!("{} {signature}", function.label())),
    }
}

/// What an edge is, for tooltips.
pub(super) fn edge_text(graph: &CallGraph, edge: &GraphEdge) -> String {
    let (from, to) = (&graph.nodes[edge.from], &graph.nodes[edge.to]);
    let times = format!(
        "{} → {}\n{} × called, {} ms ({} %)",
        full_name(from),
        full_name(to),
        edge.calls,
        ms(edge.inclusive_ns),
        px(graph.percent(edge.inclusive_ns))
    );
    match (edge.through, edge.inclusive_ns) {
        (0, 0) => format!("{times}\nwhile it was running already"),
        (0, _) => times,
        (hidden, _) => format!("{times}\nthrough {hidden} methods that are not drawn"),
    }
}

/// Milliseconds with as many decimals as a picture needs.
pub(super) fn ms(ns: i64) -> Fixed {
    let ms = ns as f64 / 1e6;
    match ms.abs() {
        size if size >= 100.0 => Fixed(ms, 0),
        size if size >= 1.0 => Fixed(ms, 1),
        _ => Fixed(ms, 3),
    }
}

/// What a clock is called in a title.
pub(super) fn clock_name(clock: Measure) -> &'static str {
    match clock {
        Measure::Wall => "wall time",
        Measure::Cpu => "CPU time",
        Measure::Runnable => "time runnable",
        Measure::Sleeping => "time sleeping",
        Measure::Uninterruptible => "uninterruptible time",
    }
}

/// What stands below a title: total, clock, and what was left out.
pub(super) fn summary(graph: &CallGraph) -> String {
    let total = ms(graph.total_ns);
    let mut text = format!("100 % = {total} ms {}", clock_name(graph.clock));
    if graph.hidden_nodes + graph.hidden_edges > 0 {
        let (nodes, edges) = (graph.hidden_nodes, graph.hidden_edges);
        text += &format!(" · {nodes} nodes and {edges} edges below the thresholds are left out");
    }
    text
}

/// A name with its control characters, and those that turn text around, made visible.
pub(super) fn visible(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            '\u{200e}'
            | '\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{fffe}'
            | '\u{ffff}' => {
                out.extend(c.escape_unicode());
            }
            c if c.is_control() => out.extend(c.escape_default()),
            c => out.push(c),
        }
    }
    out
}

fn keep_end(name: &str) -> String {
    let length = name.chars().count();
    if length <= MAX_NAME {
        return name.to_owned();
    }
    let kept: String = name.chars().skip(length + 1 - MAX_NAME).collect();
    format!("…{kept}")
}

fn keep_start(name: &str) -> String {
    if name.chars().count() <= MAX_NAME {
        return name.to_owned();
    }
    let kept: String = name.chars().take(MAX_NAME - 1).collect();
    format!("{kept}…")
}

/// A point of a colour ramp: a share in percent, and red, green and blue.
type Stop = (f64, [f64; 3]);

/// Fill by exclusive share: pale where a method only calls others, red where the time goes. All
/// light enough for dark text.
const FILL: [Stop; 5] = [
    (0.0, [248.0, 250.0, 252.0]),
    (1.0, [254.0, 249.0, 219.0]),
    (5.0, [254.0, 223.0, 138.0]),
    (20.0, [253.0, 164.0, 94.0]),
    (50.0, [246.0, 104.0, 94.0]),
];

/// Lines by inclusive share: grey to dark red.
const LINE: [Stop; 3] = [
    (0.0, [174.0, 184.0, 197.0]),
    (20.0, [120.0, 90.0, 100.0]),
    (100.0, [153.0, 27.0, 27.0]),
];

pub(super) fn fill_colour(exclusive_percent: f64) -> String {
    ramp(&FILL, exclusive_percent)
}

pub(super) fn line_colour(inclusive_percent: f64) -> String {
    ramp(&LINE, inclusive_percent)
}

/// Width of a line by share of the total, px.
#[expect(
    clippy::manual_clamp,
    reason = "what clamp says in a panic takes kilobytes"
)]
pub(super) fn line_width(percent: f64) -> f64 {
    1.0 + percent.max(0.0).min(100.0).sqrt() * 0.5
}

fn ramp(stops: &[Stop], percent: f64) -> String {
    let above = stops.iter().position(|(at, _)| *at > percent);
    let [red, green, blue] = match above {
        Some(0) => stops[0].1,
        None => stops[stops.len() - 1].1,
        Some(next) => {
            let ((from, low), (to, high)) = (stops[next - 1], stops[next]);
            let part = (percent - from) / (to - from);
            std::array::from_fn(|i| low[i] + (high[i] - low[i]) * part)
        }
    };
    format!("#{:02x}{:02x}{:02x}", red as u8, green as u8, blue as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_where_they_say_least() {
        let long = format!("com.example.{}.Last", "x".repeat(60));
        assert!(keep_end(&long).starts_with('…') && keep_end(&long).ends_with(".Last"));
        assert_eq!(keep_end(&long).chars().count(), MAX_NAME);
        assert_eq!(keep_start(&long).chars().count(), MAX_NAME);
        assert_eq!(visible("a\u{1b}[0m\n\u{202e}b"), "a\\u{1b}[0m\\n\\u{202e}b");
    }

    #[test]
    fn ramps() {
        assert_eq!(fill_colour(-3.0), "#f8fafc");
        assert_eq!(fill_colour(0.0), "#f8fafc");
        assert_eq!(fill_colour(100.0), "#f6685e");
        assert_eq!(fill_colour(f64::NAN), "#f6685e");
    }
}
