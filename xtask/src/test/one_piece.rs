//! The dmtracedump that `cargo xtask dist` links of one piece: another C library, another allocator,
//! the same tests against Debian's.

use std::env::consts::{ARCH, OS};

use super::platforms::have_target;
use super::{Counts, Outcome, output};

/// Runs the tests of dmtracedump with musl.
pub fn run() -> Counts {
    let target = format!("{ARCH}-unknown-linux-musl");
    if OS != "linux" || !have_target(&target) {
        let why = format!("the target {target} is not installed, and rustup cannot add it");
        return Outcome::Skipped(why).into();
    }
    let linker = format!("target.{target}.linker='rust-lld'");
    let package = ["-p", "traceloom-dmtracedump"];
    let args = [
        &["test", "--target", &target, "--config", &linker],
        &package[..],
    ];
    output::run_tests(&args.concat(), &format!("test-{target}-dmtracedump.log"))
}
