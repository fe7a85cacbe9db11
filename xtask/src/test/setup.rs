//! Installs the programs that the tests need or compare with, if possible.

use super::outcome::{Counts, Outcome};
use crate::device;
use crate::run::{apt_get, have, succeeds, target_folder};
use crate::targets::{add_target, has_target};
use crate::venv::Venv;

/// A program that tests look for, and the Debian packages that provide it and what it needs.
const PROGRAMS: &[(&str, &str)] = &[
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
    ("strace", "strace"),
    ("perf", "linux-perf"),
    ("musl-gcc", "musl-tools"),
    ("javac", "default-jdk-headless"),
    ("ant", "ant"),
    ("qemu-aarch64", "qemu-user"),
    ("python3", "python3 python3-venv"),
    (
        "aarch64-linux-gnu-gcc",
        "gcc-aarch64-linux-gnu libc6-dev-arm64-cross",
    ),
];

/// The targets of all steps.
const TARGETS: &[&str] = &[
    "wasm32-unknown-unknown",
    "aarch64-linux-android",
    "x86_64-linux-android",
    "armv7-linux-androideabi",
    "x86_64-pc-windows-gnu",
    "aarch64-apple-darwin",
    "aarch64-unknown-linux-gnu",
    "aarch64-unknown-linux-musl",
    "x86_64-unknown-linux-musl",
];

/// Looks for everything that the tests need. If `install` is set and this runs as root on Debian,
/// lists what is missing and installs it. Something missing is not a failure: its tests skip
/// themselves and say why.
pub fn run(install: bool) -> Counts {
    let mut counts = programs(install);
    let targets = TARGETS.iter().filter(|target| {
        let usable = if install { add_target } else { has_target };
        !usable(target)
    });
    for target in targets {
        let why = format!("the target {target} is missing: rustup target add {target}");
        counts.add(Outcome::Skipped(why).into());
    }
    counts.add(device::set_up(install));
    counts.add(python(install));
    counts
}

fn programs(install: bool) -> Counts {
    let missing: Vec<_> = PROGRAMS.iter().filter(|(name, _)| !have(name)).collect();
    let parts = device::packages_of_missing_parts();
    if install && have("apt-get") && is_root() && !(missing.is_empty() && parts.is_empty()) {
        let mut packages: Vec<_> = missing
            .iter()
            .flat_map(|(_, names)| names.split(' '))
            .collect();
        packages.extend(parts);
        packages.sort_unstable();
        packages.dedup();
        install_all(&packages);
    }
    let mut counts = Counts::default();
    for (program, package) in missing.into_iter().filter(|(name, _)| !have(name)) {
        let why = format!("{program} is missing (Debian package: {package})");
        counts.add(Outcome::Skipped(why).into());
    }
    counts
}

/// The Python packages that tests compare with.
const PYTHON_PACKAGES: &[&str] = &["perfetto==0.59.1", "protobuf==7.36.2"];

/// Installs the Python packages into a folder of the build, not into the system.
fn python(install: bool) -> Counts {
    let venv = Venv {
        folder: target_folder().join("python"),
    };
    if install && have("python3") {
        venv.ensure(PYTHON_PACKAGES);
    }
    if venv.has(PYTHON_PACKAGES) {
        return Counts::default();
    }
    let packages = PYTHON_PACKAGES.join(" ");
    let why = format!("Python packages are missing (pip install {packages})");
    Outcome::Skipped(why).into()
}

fn is_root() -> bool {
    // SAFETY: geteuid has no preconditions.
    unsafe { libc::geteuid() == 0 }
}

/// Installs Debian packages together, or one by one if that fails. So a package that does not exist only affects its own
/// tests.
fn install_all(packages: &[&str]) {
    println!(
        "installing as root (--no-install prevents this): apt-get install {}",
        packages.join(" ")
    );
    // A fresh machine has no package lists, and old lists contain packages that no longer exist.
    succeeds(apt_get(&["update"]));
    let args = ["install", "--yes", "--no-install-recommends"];
    if !succeeds(apt_get(&[&args, packages].concat())) {
        for package in packages {
            succeeds(apt_get(&[&args[..], &[*package]].concat()));
        }
    }
}
