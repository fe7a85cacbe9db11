//! The text and the colours of nodes and edges. The picture and the DOT output share them, so that both look alike.

use crate::text::Pen;
use traceloom_analyze::Measure;
use traceloom_analyze::{CallGraph, GraphEdge, GraphNode};

/// Maximum length of a class or method name on a node, characters. The tooltip has the whole name.
const MAX_NAME: usize = 42;

/// The lines on a node: the class, if there is one; the method; calls and inclusive time; exclusive time. In a graph of
/// samples, numbers of samples replace the times, and there are no calls.
pub(crate) struct Label {
    pub lines: Vec<String>,
    /// Index of the line with the method.
    pub name: usize,
}

impl Label {
    /// The label of the node with this index in the graph.
    pub(crate) fn for_node(graph: &CallGraph, number: usize) -> Self {
        let node = &graph.nodes[number];
        let mut lines = Vec::with_capacity(4);
        let class = keep_end(visible(&node.function.class));
        if !class.is_empty() {
            lines.push(class);
        }
        let name = lines.len();
        lines.push(keep_start(visible(&node.function.name)));
        let mut inclusive = String::new();
        if !graph.counts_samples {
            inclusive = calls_line(node, number);
            inclusive.put(", ");
        }
        put_time(&mut inclusive, graph, "incl ", node.inclusive_ns);
        lines.push(inclusive);
        let mut exclusive = String::new();
        put_time(&mut exclusive, graph, "excl ", node.exclusive_ns);
        lines.push(exclusive);
        Self { lines, name }
    }

    /// The lines with times, shares and calls.
    pub(crate) fn numbers(&self) -> &[String] {
        &self.lines[self.name + 1..]
    }
}

/// Appends a time or a number of samples, and its share of the total.
fn put_time(out: &mut String, graph: &CallGraph, word: &str, ns: i64) {
    put_amount(out.put(word), graph, ns)
        .put(" (")
        .px(graph.percent(ns))
        .put(" %)");
}

fn put_amount<'a>(out: &'a mut String, graph: &CallGraph, ns: i64) -> &'a mut String {
    if !graph.counts_samples {
        return put_ms(out, ns).put(" ms");
    }
    let word = if ns == 1 { " sample" } else { " samples" };
    out.count(ns.max(0) as u64).put(word)
}

/// The text on an edge: the number of calls, or the share of the samples.
pub(crate) fn edge_label(graph: &CallGraph, edge: &GraphEdge) -> String {
    let mut text = String::new();
    if graph.counts_samples {
        text.px(graph.percent(edge.weight_ns())).put(" %");
    } else {
        text.count(edge.calls).put("×");
    }
    text
}

/// The number of calls. The first node represents the threads, so its count is that of the threads.
fn calls_line(node: &GraphNode, number: usize) -> String {
    let mut out = String::new();
    out.count(node.calls);
    if node.recursive_calls > 0 {
        out.put("+").count(node.recursive_calls);
    }
    out.put(if number == 0 { " thread" } else { " call" });
    if (node.calls, node.recursive_calls) != (1, 0) {
        out.put("s");
    }
    out
}

/// The whole name with signature, for tooltips.
pub(crate) fn full_name(node: &GraphNode) -> String {
    let mut name = node.function.label();
    if !node.function.signature.is_empty() {
        name.put(" ").put(&node.function.signature);
    }
    visible(&name)
}

/// The description of an edge, for tooltips.
pub(crate) fn edge_text(graph: &CallGraph, edge: &GraphEdge) -> String {
    let mut text = full_name(&graph.nodes[edge.from]);
    text.put(" → ")
        .put(&full_name(&graph.nodes[edge.to]))
        .put("\n");
    if graph.counts_samples {
        put_time(&mut text, graph, "", edge.weight_ns());
    } else {
        text.count(edge.calls).put(" × called, ");
        put_time(&mut text, graph, "", edge.inclusive_ns);
    }
    match (edge.through, edge.inclusive_ns) {
        (0, 0) => text.put("\nwhile it was running already"),
        (0, _) => &mut text,
        (hidden, _) => text
            .put("\nthrough ")
            .count(hidden as u64)
            .put(" methods that are not drawn"),
    };
    text
}

/// Appends milliseconds. Small values have more decimals.
fn put_ms(out: &mut String, ns: i64) -> &mut String {
    let ms = ns as f64 / 1e6;
    let decimals = match ms.abs() {
        size if size >= 100.0 => 0,
        size if size >= 1.0 => 1,
        _ => 3,
    };
    out.fixed(ms, decimals)
}

/// The name of a clock in a title.
pub(crate) fn clock_name(clock: Measure) -> &'static str {
    match clock {
        Measure::Wall => "wall time",
        Measure::Cpu => "CPU time",
        Measure::Runnable => "time runnable",
        Measure::Sleeping => "time sleeping",
        Measure::Uninterruptible => "uninterruptible time",
    }
}

/// The line below the title: total, clock, and the number of nodes and edges left out.
pub(crate) fn summary(graph: &CallGraph) -> String {
    let mut text = String::from("100 % = ");
    put_amount(&mut text, graph, graph.total_ns);
    if !graph.counts_samples {
        text.put(" ").put(clock_name(graph.clock));
    }
    if graph.hidden_nodes + graph.hidden_edges > 0 {
        text.put(" · ")
            .count(graph.hidden_nodes as u64)
            .put(" nodes and ")
            .count(graph.hidden_edges as u64)
            .put(" edges below the thresholds are left out");
    }
    text
}

/// A name with visible escapes for control characters and for characters that change the direction of text.
pub(crate) fn visible(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            '\t' => _ = out.put("\\t"),
            '\r' => _ = out.put("\\r"),
            '\n' => _ = out.put("\\n"),
            '\0'..' '
            | '\u{7f}'..='\u{9f}'
            | '\u{61c}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{fffe}'
            | '\u{ffff}' => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    out
}

fn keep_end(name: String) -> String {
    let length = name.chars().count();
    if length <= MAX_NAME {
        return name;
    }
    [
        "…",
        name.get(byte_of(&name, length + 1 - MAX_NAME)..)
            .unwrap_or_default(),
    ]
    .concat()
}

fn keep_start(mut name: String) -> String {
    if name.chars().count() > MAX_NAME {
        name.truncate(byte_of(&name, MAX_NAME - 1));
        name.put("…");
    }
    name
}

/// Byte offset of the character with this index.
fn byte_of(text: &str, number: usize) -> usize {
    let found = text.char_indices().nth(number);
    found.map_or(text.len(), |(at, _)| at)
}

/// A point of a colour ramp: a share in percent, and red, green and blue.
type Stop = (f64, [f64; 3]);

/// Fill colours by exclusive share: pale for a method that only calls others, red for one that takes the time itself.
/// All are light enough for dark text.
const FILL: [Stop; 5] = [
    (0.0, [248.0, 250.0, 252.0]),
    (1.0, [254.0, 249.0, 219.0]),
    (5.0, [254.0, 223.0, 138.0]),
    (20.0, [253.0, 164.0, 94.0]),
    (50.0, [246.0, 104.0, 94.0]),
];

/// Line colours by inclusive share: grey to dark red.
const LINE: [Stop; 3] = [
    (0.0, [174.0, 184.0, 197.0]),
    (20.0, [120.0, 90.0, 100.0]),
    (100.0, [153.0, 27.0, 27.0]),
];

pub(crate) fn fill_colour(exclusive_percent: f64) -> String {
    ramp(&FILL, exclusive_percent)
}

pub(crate) fn line_colour(inclusive_percent: f64) -> String {
    ramp(&LINE, inclusive_percent)
}

/// Width of a line by its share of the total, px.
pub(crate) fn line_width(percent: f64) -> f64 {
    1.0 + percent.clamp(0.0, 100.0).sqrt() * 0.5
}

fn ramp(stops: &[Stop], percent: f64) -> String {
    let above = stops.iter().position(|(at, _)| *at > percent);
    let above = above.unwrap_or(stops.len());
    let (from, low) = stops[above.saturating_sub(1)];
    // Shares beyond the first and the last stop have the colour of that stop.
    let (to, high) = *stops.get(above).unwrap_or(&(from, low));
    let part = if above > 0 && to > from {
        (percent - from) / (to - from)
    } else {
        0.0
    };
    let mut colour = 0;
    for (low, high) in low.into_iter().zip(high) {
        colour = colour << 8 | (low + (high - low) * part) as u32;
    }
    format!("#{colour:06x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_shortened_and_control_characters_are_visible() {
        let long = format!("com.example.{}.Last", "x".repeat(60));
        assert!(
            keep_end(long.clone()).starts_with('…') && keep_end(long.clone()).ends_with(".Last")
        );
        assert_eq!(keep_end(long.clone()).chars().count(), MAX_NAME);
        assert_eq!(keep_start(long.clone()).chars().count(), MAX_NAME);
        assert_eq!(visible("a\u{1b}[0m\n\u{202e}b"), "a\\u{1b}[0m\\n\\u{202e}b");
        for control in ('\0'..='\u{ff}').filter(|c| c.is_control()) {
            assert_eq!(
                visible(&control.to_string()),
                control.escape_default().to_string()
            );
        }
    }

    #[test]
    fn ramps() {
        assert_eq!(fill_colour(-3.0), "#f8fafc");
        assert_eq!(fill_colour(0.0), "#f8fafc");
        assert_eq!(fill_colour(100.0), "#f6685e");
        assert_eq!(fill_colour(f64::NAN), "#f6685e");
    }
}
