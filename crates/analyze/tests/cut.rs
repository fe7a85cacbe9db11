//! The profile of a cut trace equals the profile of the range that was cut out.

use std::path::{Path, PathBuf};

use traceloom_analyze::{CallTree, Measure, NodeId, TimeRange, TreeOptions};
use traceloom_formats::{ReadOptions, read_bytes};

fn corpus(folder: &str) -> Vec<PathBuf> {
    let root = std::env::var_os("TRACELOOM_TESTDATA").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/testdata"),
        PathBuf::from,
    );
    let Ok(entries) = std::fs::read_dir(root.join(folder)) else {
        eprintln!("skipped: no corpus ({folder})");
        return Vec::new();
    };
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// Calls and exclusive times of every path, with the name of its thread.
fn paths(tree: &CallTree) -> Vec<String> {
    let mut found = Vec::new();
    for thread in &tree.threads {
        for row in tree.rows_of(thread).skip(1) {
            let node = NodeId(row as u32);
            let mut path = String::new();
            let mut at = node;
            while let Some(function) = tree.function_of(at).filter(|_| at != thread.root) {
                path = format!("{};{path}", function.label());
                at = tree.nodes.parent(at);
            }
            let calls = tree.nodes.calls(NodeId(row as u32));
            let times = tree.clocks.times(&tree.nodes.exclusive_sums(node));
            let times = [times.get(Measure::Wall), times.get(Measure::Cpu)];
            if calls > 0 {
                found.push(format!(
                    "{} {} {path} {calls} {times:?}",
                    thread.tid, thread.name
                ));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn real_traces_cut_as_their_profiles_do() {
    let mut checked = 0;
    for folder in [
        "traceview-v3",
        "traceview-v2",
        "systrace-html",
        "ftrace-text",
    ] {
        for path in corpus(folder) {
            let bytes = std::fs::read(&path).unwrap();
            let Ok(trace) = read_bytes(&bytes, ReadOptions::default()) else {
                continue;
            };
            let (first, length) = (trace.bounds.0, trace.duration_ns());
            for (from, to) in [
                (length / 3, length / 2),
                (0, length / 4),
                (length / 2, length),
            ] {
                let (from_ns, to_ns) = (first + from, first + to);
                let range = Some(TimeRange { from_ns, to_ns });
                let options = TreeOptions {
                    range,
                    ..TreeOptions::default()
                };
                let of_range = CallTree::from_trace(&trace, &options);
                let cut = trace.cut(from_ns, to_ns);
                let of_cut = CallTree::from_trace(&cut, &TreeOptions::default());
                assert_eq!(
                    paths(&of_range),
                    paths(&of_cut),
                    "{} {range:?}",
                    path.display()
                );
            }
            checked += 1;
        }
    }
    println!("{checked} real traces checked");
}
