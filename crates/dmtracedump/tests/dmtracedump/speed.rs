//! A trace with a wide call graph, which takes the original a minute, is printed without delay.
//! No time is asserted; `cargo xtask bench dmtracedump` measures.

use std::process::{Command, Stdio};
use std::time::Instant;

use testkit::{CallShape, call_trace};

#[test]
fn a_wide_call_graph_takes_no_time() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let path = dir.path().join("wide.trace");
    std::fs::write(&path, call_trace(CallShape::Random, 500_000, 2_000, 1)).expect("a file");
    for option in ["-k", "-h", "-o"] {
        let start = Instant::now();
        let mut command = Command::new(env!("CARGO_BIN_EXE_dmtracedump"));
        let status = command
            .arg(option)
            .arg(&path)
            .stdout(Stdio::null())
            .status();
        assert!(status.expect("it runs").success());
        eprintln!("500000 records, {option}: {:?}", start.elapsed());
    }
}
