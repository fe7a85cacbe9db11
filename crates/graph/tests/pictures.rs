//! Pictures of hostile and of large graphs.

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use proptest::prelude::*;
use traceloom_analyze::{CallGraph, Function, GraphEdge, GraphNode, Measure};
use traceloom_graph::{to_dot, to_svg};

/// A graph whose methods have these names and whose edges are `links`: from, to, time.
fn made_up(names: &[String], links: &[(usize, usize, i64)]) -> CallGraph {
    let node = |name: &String| GraphNode {
        function: Function::method(1, name, name, name),
        calls: 1,
        recursive_calls: 0,
        inclusive_ns: 1_000,
        exclusive_ns: 100,
        is_leaf: name.len().is_multiple_of(2),
    };
    let mut edges: Vec<GraphEdge> = links
        .iter()
        .map(|&(from, to, ns)| GraphEdge {
            from: from % names.len(),
            to: to % names.len(),
            calls: 2,
            inclusive_ns: ns,
            recursive_ns: 0,
            through: 0,
        })
        .collect();
    edges.sort_by_key(|edge| (edge.from, edge.to));
    edges.dedup_by_key(|edge| (edge.from, edge.to));
    CallGraph {
        nodes: names.iter().map(node).collect(),
        edges,
        total_ns: 10_000,
        clock: Measure::Wall,
        counts_samples: false,
        hidden_nodes: 1,
        hidden_edges: 2,
    }
}

/// Checks that tags nest and that there are no characters that XML forbids.
fn check_xml(text: &str) {
    let mut open = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        let (before, tag) = rest.split_at(start);
        assert!(!before.contains('>'), "a bare > in {before:?}");
        let end = tag.find('>').expect("a tag that ends");
        let inner = &tag[1..end];
        if let Some(name) = inner.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
        } else if !inner.ends_with('/') {
            open.push(inner.split(' ').next().unwrap());
        }
        rest = &tag[end + 1..];
    }
    assert_eq!(open, Vec::<&str>::new());
    let forbidden = |c: char| c.is_control() && c != '\n';
    assert!(!text.contains(forbidden), "a control character");
}

proptest! {
    #[test]
    fn pictures_of_any_graph_are_drawn(
        names in proptest::collection::vec(any::<String>(), 1..40),
        links in proptest::collection::vec((0usize..40, 0usize..40, 0i64..10_000), 0..160),
        title in any::<String>(),
    ) {
        let graph = made_up(&names, &links);
        check_xml(&to_svg(&graph, &title));
        let dot = to_dot(&graph, &title);
        prop_assert!(dot.starts_with("digraph"));
    }
}

#[test]
fn graphviz_takes_hostile_names() {
    let names: Vec<String> = [
        "<init>",
        "a\"b\\",
        "\\N {|} &lt;",
        "\u{1b}[2J\n",
        "é\u{202e}x",
        "]]>",
    ]
    .map(String::from)
    .to_vec();
    let graph = made_up(
        &names,
        &[(0, 1, 5), (1, 2, 0), (2, 0, 9), (3, 3, 1), (4, 5, 2)],
    );
    let dot = to_dot(&graph, "a \"title\" \\ <b>");
    let child = Command::new("dot")
        .arg("-Tplain")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else {
        eprintln!("skipped: Graphviz's dot is not installed");
        return;
    };
    child
        .stdin
        .take()
        .unwrap()
        .write_all(dot.as_bytes())
        .unwrap();
    let drawn = child.wait_with_output().unwrap();
    let (plain, words) = (
        String::from_utf8_lossy(&drawn.stdout),
        String::from_utf8_lossy(&drawn.stderr),
    );
    assert!(drawn.status.success(), "{words}");
    let errors: Vec<&str> = words.lines().filter(|line| !line.contains("ont")).collect();
    assert_eq!(errors, Vec::<&str>::new());
    let count = |word: &str| plain.lines().filter(|line| line.starts_with(word)).count();
    assert_eq!((count("node "), count("edge ")), (6, 5), "{plain}");
}

/// 400 nodes, each calling ten others: a layout that compares all pairs would not finish.
#[test]
fn a_dense_graph_is_laid_out_in_time() {
    let names: Vec<String> = (0..400).map(|n| format!("m{n}")).collect();
    let links: Vec<_> = (0..4_000_usize)
        .map(|n| (n / 10, (n / 10 + 1 + (n * n * 7) % 97) % 400, n as i64))
        .collect();
    let began = Instant::now();
    let picture = to_svg(&made_up(&names, &links), "dense graph");
    check_xml(&picture);
    let took = began.elapsed();
    assert!(took < Duration::from_secs(20), "{took:?}");
    eprintln!("{} bytes in {took:?}", picture.len());
}
