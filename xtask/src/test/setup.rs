//! Installs the peers that differential tests compare with, where that is possible.

use super::{Counts, Outcome, platforms};
use crate::device;
use crate::run::{command, have, succeeds};

/// A program that tests look for, and Debian's packages that have it and what it needs.
const PEERS: &[(&str, &str)] = &[
    ("dmtracedump", "dmtracedump"),
    ("adb", "adb"),
    ("dot", "graphviz"),
    ("node", "nodejs"),
    ("npm", "npm"),
    ("chromium", "chromium"),
    ("firefox-esr", "firefox-esr"),
    ("WebKitWebDriver", "webkit2gtk-driver"),
    ("xvfb-run", "xvfb"),
    ("xauth", "xauth"),
    ("trace-cmd", "trace-cmd"),
    ("javac", "default-jdk-headless"),
    ("ant", "ant"),
    ("qemu-aarch64", "qemu-user"),
    (
        "aarch64-linux-gnu-gcc",
        "gcc-aarch64-linux-gnu libc6-dev-arm64-cross",
    ),
];

/// Makes sure of each peer and of the target that the engine in a report needs. A missing one is no
/// failure: its tests skip themselves and say so.
pub fn run() -> Counts {
    let mut counts = Counts::default();
    if !platforms::have_target(platforms::WASM) {
        let why = format!("the target {} is missing: no reports", platforms::WASM);
        counts.add(Outcome::Skipped(why).into());
    }
    counts.add(peers());
    counts.add(device::set_up());
    counts
}

fn peers() -> Counts {
    let mut counts = Counts::default();
    let missing: Vec<_> = PEERS.iter().filter(|(program, _)| !have(program)).collect();
    if missing.is_empty() {
        println!("every peer is there");
        return counts;
    }
    let can_install = have("apt-get") && is_root();
    if can_install {
        refresh_package_lists(&missing);
    }
    for (program, package) in missing {
        if !(can_install && install(package) && have(program)) {
            let why = format!("{program} is missing (Debian's package {package})");
            counts.add(Outcome::Skipped(why).into());
        }
    }
    counts
}

fn is_root() -> bool {
    // SAFETY: geteuid takes nothing and cannot fail.
    unsafe { libc::geteuid() == 0 }
}

/// A fresh machine knows no packages at all until it is asked to look.
fn refresh_package_lists(missing: &[&(&str, &str)]) {
    let known = |package| {
        let output = command("apt-cache", &["policy", package]).output();
        output.is_ok_and(|output| {
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            text.contains("Candidate:") && !text.contains("Candidate: (none)")
        })
    };
    if !missing
        .iter()
        .flat_map(|(_, packages)| packages.split(' '))
        .all(known)
    {
        println!("apt-get update");
        succeeds(apt(&["update"]));
    }
}

fn install(packages: &str) -> bool {
    println!("apt-get install {packages}");
    let args = ["install", "--yes", "--no-install-recommends"];
    let packages: Vec<_> = packages.split(' ').collect();
    succeeds(apt(&[&args, packages.as_slice()].concat()))
}

fn apt(args: &[&str]) -> std::process::Command {
    let mut apt = command("apt-get", args);
    apt.env("DEBIAN_FRONTEND", "noninteractive");
    apt
}
