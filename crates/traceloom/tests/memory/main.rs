//! Whatever the bytes: no command takes more memory than 64 MB and 16 times what it reads.
//!
//! Measured from outside, as the most that the process had resident: what the allocator and the
//! mapped input take counts, too.

#![cfg(target_os = "linux")]

mod hostile;
mod peak;

use std::path::PathBuf;

use hostile::HOSTILE;
use peak::peak_bytes;

const FREE_BYTES: usize = 64 << 20;
const BYTES_PER_BYTE: usize = 16;

/// Big enough that what is free does not hide what is not: 30 bytes a byte are too many.
const BYTES: usize = 6 << 20;

const COMMANDS: [&[&str]; 3] = [
    &["info", "--threads", "1"],
    &["profile", "--threads", "1"],
    &["dmtracedump"],
];

/// Bytes that `commands` took of each hostile input, and how many bytes it has.
fn measure(bytes: usize, mut seen: impl FnMut(&str, &str, usize, usize)) {
    let dir = tempfile::tempdir().unwrap();
    let path: PathBuf = dir.path().join("hostile.trace");
    let only = std::env::var("TRACELOOM_ONLY").unwrap_or_default();
    for (name, make) in HOSTILE.iter().filter(|(name, _)| name.contains(&only)) {
        let input = make(bytes);
        std::fs::write(&path, &input).unwrap();
        let size = input.len();
        drop(input);
        for command in COMMANDS {
            let peak = peak_bytes(command, &path);
            seen(name, command[0], size, peak);
        }
    }
}

#[test]
fn hostile_inputs_keep_within_the_promise() {
    let mut broken = Vec::new();
    measure(BYTES, |name, command, size, peak| {
        if peak > FREE_BYTES + BYTES_PER_BYTE * size {
            broken.push(format!("{name}: {command} took {peak} bytes for {size}"));
        }
    });
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// `cargo test --release --test memory -- --ignored --nocapture` tells the factors.
#[test]
#[ignore = "prints a table"]
fn factors() {
    let mb = std::env::var("TRACELOOM_MB").map_or(16, |mb| mb.parse().unwrap());
    measure(mb << 20, |name, command, size, peak| {
        let allowed = FREE_BYTES + BYTES_PER_BYTE * size;
        let verdict = if peak > allowed { "TOO MUCH" } else { "" };
        let factor = peak as f64 / size as f64;
        println!(
            "{command:12} {factor:6.1}x {:5} MB  {name} {verdict}",
            peak >> 20
        );
    });
}
