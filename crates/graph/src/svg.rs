//! The picture.

use std::cmp::Ordering;

use crate::label::{
    Label, edge_label, edge_text, fill_colour, full_name, line_colour, line_width, summary, visible,
};
use crate::layers::{self, Layers, Way};
use crate::order::reduce_crossings;
use crate::place::{Spot, place};
use crate::text::Pen;
use traceloom_analyze::{CallGraph, GraphEdge, GraphNode};

/// Width of a character, px: that of monospaced fonts at the sizes below.
const CHAR: f64 = 7.0;
const NAME_CHAR: f64 = 7.7;

/// Height of a line of text, px.
const LINE: f64 = 15.0;

/// Margins: around the picture, and above it for the title, px.
const MARGIN: f64 = 24.0;
const HEAD: f64 = 72.0;

const STYLE: &str = "\
text{font:11.5px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#1e293b}\
.title{font-size:16px;font-weight:700}.sub{fill:#64748b}\
.node text{text-anchor:middle}.class{fill:#334155}.name{font-size:12.5px;font-weight:700}\
.edge path{fill:none}.count{font-size:10.5px;fill:#475569;paint-order:stroke;stroke:#fff;\
stroke-width:4px;stroke-linejoin:round}\
.node:hover rect,.node:hover ellipse{stroke-width:4px}.edge:hover path{stroke:#2563eb}.edge:hover polygon{fill:#2563eb}";

/// The graph as an SVG picture with `title` above it. It needs no fonts, scripts or network.
///
/// Edges that would make the layout slow are left out. The picture's heading counts them.
pub fn to_svg(graph: &CallGraph, title: &str) -> String {
    let mut layers = layers::assign(graph);
    reduce_crossings(&mut layers);
    let nodes = 0..graph.nodes.len();
    let labels: Vec<Label> = nodes.map(|number| Label::for_node(graph, number)).collect();
    let mut sizes = Vec::with_capacity(labels.len());
    for (label, node) in labels.iter().zip(&graph.nodes) {
        sizes.push(size(label, node));
    }
    let spots = moved(place(&layers, &sizes));
    let mut heading = summary(graph);
    if layers.left_out > 0 {
        heading
            .put(" · ")
            .count(layers.left_out as u64)
            .put(" long edges are not drawn");
    }
    let title = visible(title);
    let (mut width, mut height) = (60.0, 0.0);
    for spot in &spots {
        width = f64::max(width, spot.x + spot.width / 2.0 + 60.0);
        height = f64::max(height, spot.bottom());
    }
    for text in [&title, &heading] {
        width = width.max(text.chars().count() as f64 * CHAR * 1.4);
    }
    let mut out = String::new();
    write_head(
        &mut out,
        &title,
        &heading,
        (width + MARGIN, height + MARGIN),
    );
    for way in layers.ways.iter().rev() {
        write_edge(&mut out, graph, &layers, &spots, way);
    }
    for ((node, label), spot) in graph.nodes.iter().zip(&labels).zip(&spots) {
        write_node(&mut out, graph, node, label, spot);
    }
    out.put("</svg>\n");
    out
}

/// Moves the rectangles below the heading and to the right of the margin.
fn moved(mut spots: Vec<Spot>) -> Vec<Spot> {
    let mut left = f64::INFINITY;
    for spot in &spots {
        left = left.min(spot.x - spot.width / 2.0);
    }
    for spot in &mut spots {
        spot.x += MARGIN - left;
        spot.y += MARGIN + HEAD;
    }
    spots
}

/// Width of a text in characters. East Asian characters count as two.
fn columns(text: &str) -> f64 {
    let wide = |c: char| matches!(c, '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}' | '\u{fe30}'..='\u{fe6f}' | '\u{ff00}'..='\u{ff60}' | '\u{1f300}'..='\u{1faff}');
    text.chars().map(|c| if wide(c) { 2.0 } else { 1.0 }).sum()
}

fn size(label: &Label, node: &GraphNode) -> (f64, f64) {
    let mut widest = 0.0;
    for (number, line) in label.lines.iter().enumerate() {
        let char = if number == label.name {
            NAME_CHAR
        } else {
            CHAR
        };
        widest = f64::max(widest, columns(line) * char);
    }
    let height = label.lines.len() as f64 * LINE;
    if node.is_leaf {
        (widest * 1.22 + 18.0, height * 1.25 + 16.0)
    } else {
        (widest + 22.0, height + 14.0)
    }
}

fn write_head(out: &mut String, title: &str, heading: &str, (width, height): (f64, f64)) {
    out.put("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"")
        .fixed(width, 0)
        .put("\" height=\"")
        .fixed(height, 0)
        .put("\" viewBox=\"0 0 ")
        .fixed(width, 0)
        .put(" ")
        .fixed(height, 0)
        .put("\">\n<title>")
        .xml(title)
        .put("</title>\n<style>")
        .put(STYLE)
        .put("</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
    write_line(out, "title", MARGIN, "30")
        .xml(title)
        .put("</text>\n");
    write_line(out, "sub", MARGIN, "49")
        .xml(heading)
        .put("</text>\n");
    write_legend(out);
}

/// Writes the start of a line of the heading.
fn write_line<'a>(out: &'a mut String, class: &str, x: f64, y: &str) -> &'a mut String {
    out.put("<text")
        .attribute("class", class)
        .put(" x=\"")
        .fixed(x, 0)
        .put("\"")
        .attribute("y", y)
        .put(">")
}

fn write_legend(out: &mut String) {
    write_line(out, "sub", MARGIN, "72").put("exclusive share:</text>\n");
    let mut x = MARGIN + 126.0;
    for share in [0.0, 1.0, 5.0, 20.0, 50.0] {
        out.put("<rect x=\"")
            .fixed(x, 0)
            .put("\" y=\"61\" width=\"14\" height=\"14\" rx=\"3\"")
            .attribute("fill", &fill_colour(share))
            .put(" stroke=\"#94a3b8\"/>");
        write_line(out, "sub", x + 19.0, "72")
            .fixed(share, 0)
            .put(" %</text>\n");
        x += 62.0;
    }
}

fn write_node(out: &mut String, graph: &CallGraph, node: &GraphNode, label: &Label, spot: &Spot) {
    out.put("<g class=\"node\"><title>").xml(&full_name(node));
    for line in label.numbers() {
        out.put("\n").xml(line);
    }
    out.put("</title>");
    let Spot {
        x,
        y,
        width,
        height,
    } = *spot;
    if node.is_leaf {
        out.put("<ellipse")
            .length("cx", x)
            .length("cy", y)
            .length("rx", width / 2.0)
            .length("ry", height / 2.0)
    } else {
        out.put("<rect")
            .length("x", x - width / 2.0)
            .length("y", spot.top())
            .length("width", width)
            .length("height", height)
            .put(" rx=\"7\"")
    }
    .attribute("fill", &fill_colour(graph.percent(node.exclusive_ns)))
    .attribute("stroke", &line_colour(graph.percent(node.inclusive_ns)))
    .put(" stroke-width=\"1.5\"/>");
    let first = y - (label.lines.len() as f64 - 1.0) * LINE / 2.0 + 4.0;
    for (number, line) in label.lines.iter().enumerate() {
        out.put(match number.cmp(&label.name) {
            Ordering::Less => "<text class=\"class\"",
            Ordering::Equal => "<text class=\"name\"",
            Ordering::Greater => "<text",
        })
        .length("x", x)
        .length("y", first + number as f64 * LINE)
        .put(">")
        .xml(line)
        .put("</text>");
    }
    out.put("</g>\n");
}

/// The point on a box's upper or lower side where a line from or to `towards` (an x coordinate) meets it.
fn port(spot: &Spot, is_leaf: bool, towards: f64, is_below: bool) -> (f64, f64) {
    let reach = spot.width * if is_leaf { 0.3 } else { 0.42 };
    let off = ((towards - spot.x) * 0.35).clamp(-reach, reach);
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
        (0, 0) => " stroke-dasharray=\"5 4\"/>",
        (0, _) => "/>",
        _ => " stroke-dasharray=\"1.5 4\" stroke-linecap=\"round\"/>",
    };
    out.put("<g class=\"edge\"><title>")
        .xml(&edge_text(graph, edge))
        .put("</title><path d=\"");
    let line = match way.vertices.as_slice() {
        [node] => write_loop(out, &spots[*node]),
        _ => write_curves(out, graph, layers, spots, way),
    };
    out.put("\"")
        .attribute("stroke", &colour)
        .length("stroke-width", thick)
        .put(dash);
    write_arrow(out, &line, thick, &colour);
    out.put("<text class=\"count\"")
        .length("x", line.label.0 + thick / 2.0 + 3.0)
        .length("y", line.label.1)
        .put(">")
        .put(&edge_label(graph, edge))
        .put("</text></g>\n");
}

/// The tip and direction of a line's arrow head, and the place of its count.
struct Line {
    tip: (f64, f64),
    direction: (f64, f64),
    label: (f64, f64),
}

fn write_loop(path: &mut String, spot: &Spot) -> Line {
    let (right, y) = (spot.x + spot.width / 2.0, spot.y);
    put_point(path.put("M"), right, y - 9.0).put("c22 -22 22 22 4 18");
    Line {
        tip: (right, y + 9.0),
        direction: (-1.0, 0.0),
        label: (right + 18.0, y - 14.0),
    }
}

/// Appends a point of a path.
fn put_point(path: &mut String, x: f64, y: f64) -> &mut String {
    path.px(x).put(" ").px(y)
}

/// Distance from a downward line to the upward line on its right, px.
const BESIDE: f64 = 32.0;

/// Length of an arrow head, px.
const HEAD_LENGTH: f64 = 9.0;

fn write_curves(
    path: &mut String,
    graph: &CallGraph,
    layers: &Layers,
    spots: &[Spot],
    way: &Way,
) -> Line {
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
        // Two methods may call each other. The counts are between the two lines.
        start.0 += BESIDE;
        end.0 += BESIDE;
    }
    let (tip, direction) = if way.is_upward {
        (start, (0.0, -1.0))
    } else {
        (end, (0.0, 1.0))
    };
    if way.is_upward {
        start.1 += HEAD_LENGTH
    } else {
        end.1 -= HEAD_LENGTH
    }
    put_point(path.put("M"), start.0, start.1);
    let mut at = start;
    for &vertex in &way.vertices[1..way.vertices.len() - 1] {
        let spot = &spots[vertex];
        put_curve(path, at, (spot.x, spot.top()));
        path.put("V").px(spot.bottom());
        at = (spot.x, spot.bottom());
    }
    put_curve(path, at, end);
    let label = on_curve(at, end, label_place(graph, way));
    Line {
        tip,
        direction,
        label: (label.0, label.1 + 3.0),
    }
}

/// Place of an edge's count on its last curve, from 0 to 1: nearer the end if no other edge ends there.
fn label_place(graph: &CallGraph, way: &Way) -> f64 {
    let last = way.vertices[way.vertices.len() - 1];
    let into = |edge: &&GraphEdge| edge.to == last && edge.from != last;
    match graph.edges.iter().filter(into).count() {
        1 if !way.is_upward && way.vertices.len() == 2 => 0.72,
        _ => 0.5,
    }
}

/// The point at `part` (0 to 1) of a [curve](put_curve).
fn on_curve(from: (f64, f64), to: (f64, f64), part: f64) -> (f64, f64) {
    let rest = 1.0 - part;
    let (first, inner, last) = (rest.powi(3), 3.0 * rest * part, part.powi(3));
    let middle = (from.1 + to.1) / 2.0;
    let x = from.0 * (first + inner * rest) + to.0 * (inner * part + last);
    (x, from.1 * first + middle * inner + to.1 * last)
}

/// Appends a curve that is vertical at both ends.
fn put_curve(path: &mut String, from: (f64, f64), to: (f64, f64)) {
    let middle = (from.1 + to.1) / 2.0;
    put_point(path.put("C"), from.0, middle);
    put_point(path.put(" "), to.0, middle);
    put_point(path.put(" "), to.0, to.1);
}

fn write_arrow(out: &mut String, line: &Line, thick: f64, colour: &str) {
    let ((x, y), (dx, dy)) = (line.tip, line.direction);
    let half = 3.0 + thick * 0.5;
    let base = (x - dx * HEAD_LENGTH, y - dy * HEAD_LENGTH);
    let corners = [
        (x, y),
        (base.0 - dy * half, base.1 + dx * half),
        (base.0 + dy * half, base.1 - dx * half),
    ];
    let mut before = "<polygon points=\"";
    for (x, y) in corners {
        out.put(before).px(x).put(",").px(y);
        before = " ";
    }
    out.put("\"").attribute("fill", colour).put("/>");
}
