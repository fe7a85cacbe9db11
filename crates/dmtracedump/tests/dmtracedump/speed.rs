//! How much faster ours is, in one run with the real one. Not a test of anything; run it with
//! `cargo test --release -p traceloom-dmtracedump speed -- --ignored --nocapture`.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::random;

const REAL: &str = "/usr/bin/dmtracedump";

/// Wall time of the best of `rounds`.
fn best(rounds: usize, mut command: impl FnMut() -> Command) -> Duration {
    let once = |_| {
        let start = Instant::now();
        let status = command().stdout(Stdio::null()).status().expect("it runs");
        assert!(status.success());
        start.elapsed()
    };
    (0..rounds).map(once).min().unwrap_or_default()
}

fn race(name: &str, options: &[&str], trace: &Path) {
    let ours = best(7, || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dmtracedump"));
        command.args(options).arg(trace);
        command
    });
    let real = best(2, || {
        let mut command = Command::new(REAL);
        command.args(options).arg(trace);
        command
    });
    let ratio = real.as_secs_f64() / ours.as_secs_f64();
    eprintln!("{name}: ours {ours:?}, the real one {real:?}, {ratio:.1} times faster");
}

#[test]
#[ignore = "takes minutes, and measures"]
fn speed_beside_the_real_one() {
    if !Path::new(REAL).exists() {
        return eprintln!("skipped: no {REAL} to compare with");
    }
    for trace in crate::corpus() {
        if fs::metadata(&trace).is_ok_and(|meta| meta.len() > 100_000) {
            for options in [&[][..], &["-h"], &["-o"]] {
                race(&format!("{} {options:?}", trace.display()), options, &trace);
            }
        }
    }
    let dir = tempfile::tempdir().expect("a temporary directory");
    for records in [500_000, 1_000_000, 2_000_000] {
        let path = dir.path().join("wide.trace");
        fs::write(&path, random::wide(2_000, records)).expect("a file");
        race(&format!("{records} records, 2000 methods"), &[], &path);
    }
}
