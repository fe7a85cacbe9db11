//! The picture.

use std::fmt::Write;

use super::fixed::{px, whole};
use super::label::{
    Label, edge_text, fill_colour, full_name, line_colour, line_width, summary, visible,
};
use super::layers::{self, Layers, Way};
use super::order::reduce_crossings;
use super::place::{Spot, place};
use super::{CallGraph, GraphEdge, GraphNode};

/// Width of a character, px: what monospaced fonts have at the sizes below.
const CHAR: f64 = 7.0;
const NAME_CHAR: f64 = 7.7;

/// Height of a line of text, px.
const LINE: f64 = 15.0;

/// Room around everything, and above it for the title, px.
const MARGIN: f64 = 24.0;
const HEAD: f64 = 72.0;

const STYLE: &str = "\
text{font:11.5px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#1e293b}\
.title{font-size:16px;font-weight:700}.sub{fill:#64748b}\
.node text{text-anchor:middle}.class{fill:#334155}.name{font-size:12.5px;font-weight:700}\
.edge path{fill:none}.count{font-size:10.5px;fill:#475569;paint-order:stroke;stroke:#fff;\
stroke-width:4px;stroke-linejoin:round}\
.node:hover rect,.node:hover ellipse{stroke-width:4px}.edge:hover path{stroke:#2563eb}.edge:hover polygon{fill:#2563eb}";

/// Escapes text for XML; `text` has no control characters any more.
fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// Appends formatted text; writing to a string cannot fail.
macro_rules! put {
    ($out:expr, $($arg:tt)*) => { let _infallible = write!($out, $($arg)*); };
}

pub(super) fn write(graph: &CallGraph, title: &str) -> String {
    let mut layers = layers::assign(graph);
    reduce_crossings(&mut layers);
    let labels: Vec<Label> = (0..graph.nodes.len())
        .map(|number| Label::of(graph, number))
        .collect();
    let sizes: Vec<_> = labels
        .iter()
        .zip(&graph.nodes)
        .map(|(label, node)| size(label, node))
        .collect();
    let spots = moved(place(&layers, &sizes));
    let right = spots
        .iter()
        .map(|spot| spot.x + spot.width / 2.0)
        .fold(0.0, f64::max);
    let bottom = spots.iter().map(Spot::bottom).fold(0.0, f64::max);
    let mut out = String::new();
    let mut heading = summary(graph);
    if layers.left_out > 0 {
        put!(heading, " · {} long edges are not drawn", layers.left_out);
    }
    let shown_title = visible(title);
    let text_width = [&shown_title, &heading].map(|text| text.chars().count() as f64 * CHAR * 1.4);
    let width = text_width.into_iter().fold(right + 60.0, f64::max) + MARGIN;
    write_head(&mut out, &shown_title, &heading, (width, bottom + MARGIN));
    for way in layers.ways.iter().rev() {
        write_edge(&mut out, graph, &layers, &spots, way);
    }
    for ((node, label), spot) in graph.nodes.iter().zip(&labels).zip(&spots) {
        write_node(&mut out, graph, node, label, spot);
    }
    out += "</svg>\n";
    out
}

/// The picture's coordinates: everything below the head and right of the margin.
fn moved(mut spots: Vec<Spot>) -> Vec<Spot> {
    let left = spots
        .iter()
        .map(|spot| spot.x - spot.width / 2.0)
        .fold(f64::INFINITY, f64::min);
    for spot in &mut spots {
        spot.x += MARGIN - left;
        spot.y += MARGIN + HEAD;
    }
    spots
}

/// Columns that a text takes: East Asian characters take two.
fn columns(text: &str) -> f64 {
    let wide = |c: char| matches!(c, '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}' | '\u{fe30}'..='\u{fe6f}' | '\u{ff00}'..='\u{ff60}' | '\u{1f300}'..='\u{1faff}');
    text.chars().map(|c| if wide(c) { 2.0 } else { 1.0 }).sum()
}

fn size(label: &Label, node: &GraphNode) -> (f64, f64) {
    let numbers = label.numbers.iter().chain([&label.class]);
    let widest = numbers
        .map(|line| columns(line) * CHAR)
        .fold(columns(&label.name) * NAME_CHAR, f64::max);
    let height = label.lines().count() as f64 * LINE;
    match node.is_leaf {
        true => (widest * 1.22 + 18.0, height * 1.25 + 16.0),
        false => (widest + 22.0, height + 14.0),
    }
}

fn write_head(out: &mut String, title: &str, heading: &str, (width, height): (f64, f64)) {
    let (width, height, margin) = (whole(width), whole(height), whole(MARGIN));
    put!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\">\n<title>{0}</title>\n<style>{STYLE}</style>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n\
         <text class=\"title\" x=\"{margin}\" y=\"30\">{0}</text>\n\
         <text class=\"sub\" x=\"{margin}\" y=\"49\">{1}</text>\n",
        xml(title),
        xml(heading)
    );
    write_legend(out);
}

fn write_legend(out: &mut String) {
    let margin = whole(MARGIN);
    put!(
        out,
        "<text class=\"sub\" x=\"{margin}\" y=\"72\">exclusive share:</text>\n"
    );
    for (number, share) in [0.0, 1.0, 5.0, 20.0, 50.0].into_iter().enumerate() {
        let x = MARGIN + 126.0 + number as f64 * 62.0;
        put!(
            out,
            "<rect x=\"{x}\" y=\"61\" width=\"14\" height=\"14\" rx=\"3\" fill=\"{}\" stroke=\"#94a3b8\"/>\
             <text class=\"sub\" x=\"{}\" y=\"72\">{share} %</text>\n",
            fill_colour(share),
            whole(x + 19.0),
            x = whole(x),
            share = whole(share)
        );
    }
}

fn write_node(out: &mut String, graph: &CallGraph, node: &GraphNode, label: &Label, spot: &Spot) {
    let (fill, line) = (
        fill_colour(graph.percent(node.exclusive_ns)),
        line_colour(graph.percent(node.inclusive_ns)),
    );
    put!(
        out,
        "<g class=\"node\"><title>{}\n{}</title>",
        xml(&full_name(node)),
        xml(&label.numbers.join("\n"))
    );
    let Spot {
        x,
        y,
        width,
        height,
    } = *spot;
    match node.is_leaf {
        true => {
            put!(
                out,
                "<ellipse cx=\"{}\" cy=\"{}\" rx=\"{}\" ry=\"{}\" fill=\"{fill}\" stroke=\"{line}\" stroke-width=\"1.5\"/>",
                px(x),
                px(y),
                px(width / 2.0),
                px(height / 2.0)
            );
        }
        false => {
            put!(
                out,
                "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"7\" fill=\"{fill}\" stroke=\"{line}\" stroke-width=\"1.5\"/>",
                px(x - width / 2.0),
                px(spot.top()),
                px(width),
                px(height)
            );
        }
    }
    let lines: Vec<&str> = label.lines().collect();
    let name_line = lines.len() - label.numbers.len() - 1;
    let first = y - (lines.len() as f64 - 1.0) * LINE / 2.0 + 4.0;
    for (number, line) in lines.iter().enumerate() {
        let class = match number.cmp(&name_line) {
            std::cmp::Ordering::Less => " class=\"class\"",
            std::cmp::Ordering::Equal => " class=\"name\"",
            std::cmp::Ordering::Greater => "",
        };
        let at = first + number as f64 * LINE;
        put!(
            out,
            "<text{class} x=\"{}\" y=\"{}\">{}</text>",
            px(x),
            px(at),
            xml(line)
        );
    }
    out.push_str("</g>\n");
}

/// The point of a box's upper or lower edge where a line towards `x` meets it.
fn port(spot: &Spot, is_leaf: bool, towards: f64, is_below: bool) -> (f64, f64) {
    let reach = spot.width * if is_leaf { 0.3 } else { 0.42 };
    // What `clamp` says in a panic takes kilobytes of a report.
    let off = ((towards - spot.x) * 0.35).max(-reach).min(reach);
    let mut half = spot.height / 2.0;
    if is_leaf && spot.width > 0.0 {
        let part = off / (spot.width / 2.0);
        half *= (1.0 - part * part).max(0.0).sqrt();
    }
    (
        spot.x + off,
        if is_below {
            spot.y + half
        } else {
            spot.y - half
        },
    )
}

fn write_edge(out: &mut String, graph: &CallGraph, layers: &Layers, spots: &[Spot], way: &Way) {
    let edge = &graph.edges[way.edge];
    let share = graph.percent(edge.inclusive_ns);
    let (colour, thick) = (line_colour(share), line_width(share));
    let dash = match (edge.through, edge.inclusive_ns) {
        (0, 0) => " stroke-dasharray=\"5 4\"",
        (0, _) => "",
        _ => " stroke-dasharray=\"1.5 4\" stroke-linecap=\"round\"",
    };
    put!(
        out,
        "<g class=\"edge\"><title>{}</title>",
        xml(&edge_text(graph, edge))
    );
    let line = match way.vertices.as_slice() {
        [node] => loop_line(&spots[*node]),
        _ => line_down(graph, layers, spots, way),
    };
    put!(
        out,
        "<path d=\"{}\" stroke=\"{colour}\" stroke-width=\"{}\"{dash}/>",
        line.path,
        px(thick)
    );
    write_arrow(out, &line, thick, &colour);
    let (x, y) = (line.label.0 + thick / 2.0 + 3.0, line.label.1);
    put!(
        out,
        "<text class=\"count\" x=\"{}\" y=\"{}\">{}×</text></g>\n",
        px(x),
        px(y),
        edge.calls
    );
}

/// A line with its arrow head's point and direction, and where its count stands.
struct Line {
    path: String,
    tip: (f64, f64),
    direction: (f64, f64),
    label: (f64, f64),
}

fn loop_line(spot: &Spot) -> Line {
    let (right, y) = (spot.x + spot.width / 2.0, spot.y);
    Line {
        path: format!("M{} {}c22 -22 22 22 4 18", px(right), px(y - 9.0)),
        tip: (right, y + 9.0),
        direction: (-1.0, 0.0),
        label: (right + 18.0, y - 14.0),
    }
}

/// How far right of a line down the line back up is, px.
const BESIDE: f64 = 32.0;

/// Length of an arrow head, px.
const HEAD_LENGTH: f64 = 9.0;

fn line_down(graph: &CallGraph, layers: &Layers, spots: &[Spot], way: &Way) -> Line {
    let is_leaf = |vertex: usize| vertex < layers.boxes && graph.nodes[vertex].is_leaf;
    let first = way.vertices[0];
    let last = way.vertices[way.vertices.len() - 1];
    let mut start = port(
        &spots[first],
        is_leaf(first),
        spots[way.vertices[1]].x,
        true,
    );
    let before_last = way.vertices[way.vertices.len() - 2];
    let mut end = port(&spots[last], is_leaf(last), spots[before_last].x, false);
    if way.is_upward && way.vertices.len() == 2 {
        // The same boxes may call each other both ways; the counts stand between the lines.
        start.0 += BESIDE;
        end.0 += BESIDE;
    }
    let (tip, direction) = match way.is_upward {
        true => (start, (0.0, -1.0)),
        false => (end, (0.0, 1.0)),
    };
    match way.is_upward {
        true => start.1 += HEAD_LENGTH,
        false => end.1 -= HEAD_LENGTH,
    }
    let mut path = format!("M{} {}", px(start.0), px(start.1));
    let mut at = start;
    for &vertex in &way.vertices[1..way.vertices.len() - 1] {
        let spot = &spots[vertex];
        curve(&mut path, at, (spot.x, spot.top()));
        put!(path, "V{}", px(spot.bottom()));
        at = (spot.x, spot.bottom());
    }
    curve(&mut path, at, end);
    let label = on_curve(at, end, label_place(graph, way));
    Line {
        path,
        tip,
        direction,
        label: (label.0, label.1 + 3.0),
    }
}

/// How far down its last curve an edge's count stands: near the end where fewer edges meet.
fn label_place(graph: &CallGraph, way: &Way) -> f64 {
    let last = way.vertices[way.vertices.len() - 1];
    let into = |edge: &&GraphEdge| edge.to == last && edge.from != last;
    match graph.edges.iter().filter(into).count() {
        1 if !way.is_upward && way.vertices.len() == 2 => 0.72,
        _ => 0.5,
    }
}

/// The point of a [`curve`] at `part` of its way.
fn on_curve(from: (f64, f64), to: (f64, f64), part: f64) -> (f64, f64) {
    let rest = 1.0 - part;
    let (first, inner, last) = (rest.powi(3), 3.0 * rest * part, part.powi(3));
    let middle = (from.1 + to.1) / 2.0;
    let x = from.0 * (first + inner * rest) + to.0 * (inner * part + last);
    (x, from.1 * first + middle * inner + to.1 * last)
}

/// A curve that leaves and arrives straight down.
fn curve(path: &mut String, from: (f64, f64), to: (f64, f64)) {
    let (middle, x) = (px((from.1 + to.1) / 2.0), px(to.0));
    put!(
        path,
        "C{} {middle} {x} {middle} {x} {}",
        px(from.0),
        px(to.1)
    );
}

fn write_arrow(out: &mut String, line: &Line, thick: f64, colour: &str) {
    let ((x, y), (dx, dy)) = (line.tip, line.direction);
    let half = 3.0 + thick * 0.5;
    let base = (x - dx * HEAD_LENGTH, y - dy * HEAD_LENGTH);
    put!(
        out,
        "<polygon points=\"{},{} {},{} {},{}\" fill=\"{colour}\"/>",
        px(x),
        px(y),
        px(base.0 - dy * half),
        px(base.1 + dx * half),
        px(base.0 + dy * half),
        px(base.1 - dx * half)
    );
}
