//! Real ftrace texts against what is known of them.

use std::path::PathBuf;

use traceloom_formats::{ReadOptions, read_bytes};
use traceloom_trace::Trace;

/// The folder of real traces, if it is there.
fn corpus() -> Option<PathBuf> {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/testdata");
    let folder = std::env::var_os("TRACELOOM_TESTDATA").map_or(beside, PathBuf::from);
    folder.join("INDEX.tsv").exists().then_some(folder)
}

fn open(bytes: &[u8], options: ReadOptions) -> Trace {
    read_bytes(bytes, options).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn dump() {
    let Some(folder) = corpus() else { return };
    let mut files: Vec<_> = std::fs::read_dir(folder.join("ftrace-text"))
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    files.sort();
    for file in files {
        let bytes = std::fs::read(&file).unwrap();
        let trace = match read_bytes(&bytes, ReadOptions::default()) {
            Ok(trace) => trace,
            Err(error) => {
                println!("== {file:?} {error}");
                continue;
            }
        };
        println!(
            "== {} slices {} counters {} instants {} sched {} states {} events {} threads {} procs {}",
            file.file_name().unwrap().display(),
            trace.slices.len(),
            trace.counters.len(),
            trace.instants.len(),
            trace.sched_slices.len(),
            trace.thread_states.len(),
            trace.ftrace_events.len(),
            trace.threads.len(),
            trace.processes.len()
        );
        for row in trace.repairs.rows() {
            println!(
                "     {} {} {} {}",
                row.kind.name(),
                row.count,
                row.first,
                row.detail
            );
        }
    }
}
