//! `traceloom info` end to end.

use std::process::Command;

/// The JSON that `info` prints for a text.
fn info(name: &str, text: &str) -> serde_json::Value {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_traceloom"))
        .args(["info", "--json"])
        .arg(&path)
        .output()
        .expect("traceloom runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_thread_that_still_runs_when_the_trace_ends_ran_until_then() {
    let facts = info(
        "open.ftrace",
        "\
          <idle>-0     [000] d..2 1.000000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=busy next_pid=7 next_prio=120
            busy-7     [000] .... 1.250000: tracing_mark_write: C|7|n|1
",
    );
    let thread = facts["threads"].as_array().unwrap();
    let busy = thread.iter().find(|thread| thread["tid"] == 7).unwrap();
    assert_eq!(busy["running_ns"], 250_000_000);
}
