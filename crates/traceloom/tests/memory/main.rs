//! For any input, a command uses at most 64 MB plus 16 times the size of the input.
//!
//! This is measured from outside, as the peak resident memory of the process, so the memory of the
//! allocator and of the mapped input is included.

#![cfg(target_os = "linux")]

mod hostile;
mod makers;
mod peak;

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use hostile::{HOSTILE, Hostile};
use peak::peak_bytes;

const FREE_BYTES: usize = 64 << 20;
const BYTES_PER_BYTE: usize = 16;

/// Large enough that the fixed part does not hide a violation: 24 bytes per byte are too many.
const BYTES: usize = 8 << 20;

const COMMANDS: [&str; 3] = ["info", "profile", "dmtracedump"];

/// The size of an input and the memory that a command used for it, bytes.
struct Measured {
    size: usize,
    peak: usize,
}

impl Measured {
    fn is_too_much(&self) -> bool {
        self.peak > FREE_BYTES + BYTES_PER_BYTE * self.size
    }
}

/// Runs one of [`COMMANDS`] on an input in `dir`.
fn measure(hostile: &Hostile, command: &str, bytes: usize, dir: &Path) -> Measured {
    let path = dir.join(format!("{command} {}", hostile.name));
    let input = (hostile.make)(bytes);
    let size = input.len();
    std::fs::write(&path, input).unwrap();
    let args = match command {
        "dmtracedump" => vec![command],
        _ => vec![command, "--threads", "1"],
    };
    let peak = peak_bytes(&args, &path);
    std::fs::remove_file(&path).unwrap();
    Measured { size, peak }
}

#[test]
fn hostile_inputs_keep_within_the_promise() {
    let cases = HOSTILE.iter();
    let cases: Vec<_> = cases
        .flat_map(|hostile| {
            hostile
                .worst_for
                .iter()
                .map(move |command| (hostile, command))
        })
        .collect();
    let dir = tempfile::tempdir().unwrap();
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some((hostile, command)) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            let measured = measure(hostile, command, BYTES, dir.path());
            let Measured { size, peak } = measured;
            let name = hostile.name;
            assert!(
                !measured.is_too_much(),
                "{name}: {command} took {peak} bytes for {size}"
            );
        }
    };
    std::thread::scope(|scope| (0..2).for_each(|_| drop(scope.spawn(work))));
}

/// `cargo test --release --test memory -- --ignored --nocapture` prints the factors of every
/// command on every input. Until a child executes its program, the test's own memory is part of its
/// figure, so small figures are meaningless.
#[test]
#[ignore = "prints a table"]
fn factors() {
    let megabytes = std::env::var("TRACELOOM_MB").map_or(16, |mb| mb.parse().unwrap());
    let dir = tempfile::tempdir().unwrap();
    for hostile in HOSTILE {
        for command in COMMANDS {
            let measured = measure(hostile, command, megabytes << 20, dir.path());
            let verdict = if measured.is_too_much() {
                "TOO MUCH"
            } else {
                ""
            };
            let factor = measured.peak as f64 / measured.size as f64;
            println!("{command:12} {factor:6.1}x  {} {verdict}", hostile.name);
        }
    }
}
