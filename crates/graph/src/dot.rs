//! The graph in Graphviz's language.

use std::fmt::Write;

use crate::label::{
    Label, edge_label, edge_text, fill_colour, full_name, line_colour, line_width, summary, visible,
};
use traceloom_analyze::{CallGraph, GraphEdge, GraphNode};

/// Text in double quotes. Graphviz interprets backslashes in labels, and HTML entities such as `&lt;`.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '&' => out.push_str("&amp;"),
            '\n' => out.push_str("\\n"),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// The graph in Graphviz's language, with `title` above it.
pub fn to_dot(graph: &CallGraph, title: &str) -> String {
    let mut out = String::from("digraph callgraph {\n");
    let head = format!("{}\n{}", visible(title), summary(graph));
    out += &format!("graph [label={}, labelloc=t, labeljust=l, ", quoted(&head));
    out += "fontname=\"Helvetica\", nodesep=0.3, ranksep=0.6];\n";
    out += "node [fontname=\"Helvetica\", fontsize=11, style=\"filled,rounded\", margin=\"0.12,0.06\"];\n";
    out += "edge [fontname=\"Helvetica\", fontsize=10, arrowsize=0.7];\n";
    for (number, node) in graph.nodes.iter().enumerate() {
        write_node(&mut out, graph, number, node);
    }
    for edge in &graph.edges {
        write_edge(&mut out, graph, edge);
    }
    out += "}\n";
    out
}

fn write_node(out: &mut String, graph: &CallGraph, number: usize, node: &GraphNode) {
    let label = Label::for_node(graph, number);
    let (shape, style) = if node.is_leaf {
        ("ellipse", "filled")
    } else {
        ("box", "filled,rounded")
    };
    // Writing to a string cannot fail.
    let _infallible = writeln!(
        out,
        "n{number} [shape={shape}, style=\"{style}\", label={}, tooltip={}, fillcolor=\"{}\", color=\"{}\"];",
        quoted(&label.lines.join("\n")),
        quoted(&full_name(node)),
        fill_colour(graph.percent(node.exclusive_ns)),
        line_colour(graph.percent(node.inclusive_ns)),
    );
}

fn write_edge(out: &mut String, graph: &CallGraph, edge: &GraphEdge) {
    let share = graph.percent(edge.inclusive_ns);
    let tooltip = edge_text(graph, edge);
    let style = match (edge.through, edge.inclusive_ns) {
        (0, 0) => ", style=dashed",
        (0, _) => "",
        _ => ", style=dotted",
    };
    // Writing to a string cannot fail.
    let _infallible = writeln!(
        out,
        "n{} -> n{} [label=\"{}\", tooltip={}, penwidth={:.1}, color=\"{}\"{style}];",
        edge.from,
        edge.to,
        edge_label(graph, edge),
        quoted(&tooltip),
        line_width(share),
        line_colour(share),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_end_its_quotes() {
        assert_eq!(
            quoted("a\"b\\N&lt;<init>\n|{}"),
            "\"a\\\"b\\\\N&amp;lt;<init>\\n|{}\""
        );
    }
}
