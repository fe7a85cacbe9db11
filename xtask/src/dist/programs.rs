//! The programs and libraries in `target/dist/TARGET`.

use std::env::consts::ARCH;
use std::fs;
use std::path::PathBuf;

use anyhow::{Result, ensure};

use crate::run::{cargo, check, have, target_folder};
use crate::targets::{add_target, c_compiler};

/// A program or library of a package.
pub struct Program {
    /// Its file name.
    pub name: &'static str,
    package: &'static str,
    /// The options of `cargo rustc` that select it.
    options: &'static [&'static str],
    /// The file that cargo writes.
    file: &'static str,
    profile: &'static str,
    most_bytes: u64,
}

const TRACELOOM: Program = Program {
    name: "traceloom",
    package: "traceloom",
    options: &["--bin=traceloom"],
    file: "traceloom",
    profile: "release",
    most_bytes: 18_000_000,
};

const DMTRACEDUMP: Program = Program {
    name: "dmtracedump",
    package: "traceloom-dmtracedump",
    options: &["--bin=dmtracedump"],
    file: "dmtracedump",
    profile: "release",
    most_bytes: 2_000_000,
};

/// The program for devices. It is small, because it is pushed over a cable.
const ATRACE: Program = Program {
    name: "atrace",
    package: "traceloom-tracefs",
    options: &["--bin=atrace"],
    file: "atrace",
    profile: "small",
    most_bytes: 1_000_000,
};

/// The library for apps. It is small, because it becomes a part of them.
const LIBRARY: Program = Program {
    name: "libtraceloom.so",
    package: "traceloom-inapp",
    // Builds only the cdylib. If the rlib were built as well, LTO would not be applied.
    options: &["--lib", "--crate-type=cdylib"],
    file: "libtraceloom_inapp.so",
    profile: "library",
    most_bytes: 600_000,
};

impl Program {
    /// Builds it and copies it to `target/dist/TARGET`. Fails if it is too big.
    fn build(&self, target: &str, linker: Option<&str>) -> Result<()> {
        let mut build = cargo(&["rustc", "--profile", self.profile, "--target", target]);
        build.args(["-p", self.package]).args(self.options);
        if let Some(linker) = linker {
            build.args(["--config", &format!("target.{target}.linker='{linker}'")]);
        }
        build.envs(c_compiler(target));
        check(build)?;
        let built = target_folder()
            .join(target)
            .join(self.profile)
            .join(self.file);
        let bytes = fs::metadata(&built)?.len();
        let Self {
            name, most_bytes, ..
        } = self;
        ensure!(
            bytes <= *most_bytes,
            "{name} has {bytes} bytes; at most {most_bytes} are allowed"
        );
        fs::create_dir_all(folder(target))?;
        fs::copy(&built, folder(target).join(name))?;
        println!("target/dist/{target}/{name}: {bytes} bytes");
        Ok(())
    }
}

/// `target/dist/TARGET`.
pub fn folder(target: &str) -> PathBuf {
    target_folder().join("dist").join(target)
}

/// Builds the statically linked programs for a target. Rust ships the linker and the C library.
pub fn build_static(target: &str) -> Result<()> {
    [TRACELOOM, DMTRACEDUMP, ATRACE]
        .iter()
        .try_for_each(|program| program.build(target, Some("rust-lld")))
}

/// Builds atrace and the library for Android. Without the NDK it only type-checks them.
pub fn build_with_ndk(target: &str, linker: &str) -> Result<()> {
    if !add_target(target) {
        println!("skipped: nothing for {target}: rustup cannot add the target");
        return Ok(());
    }
    if have(linker) {
        ATRACE.build(target, Some(linker))?;
        return build_library(target, Some(linker));
    }
    let packages = ["-p", ATRACE.package, "-p", LIBRARY.package];
    check(cargo(
        &[&["check", "--quiet", "--target", target], &packages[..]].concat(),
    ))?;
    println!(
        "skipped: no atrace and libtraceloom.so for {target}: they compile, but linking them needs {linker} \
         of Android's NDK. The static atrace also runs there"
    );
    Ok(())
}

/// Builds the library that apps link.
pub fn build_library(target: &str, linker: Option<&str>) -> Result<()> {
    LIBRARY.build(target, linker)
}

/// Builds the statically linked traceloom and dmtracedump for this machine. `None` if the target is
/// missing.
pub fn static_programs() -> Result<Option<[PathBuf; 2]>> {
    let target = format!("{ARCH}-unknown-linux-musl");
    if !add_target(&target) {
        return Ok(None);
    }
    let programs = [TRACELOOM, DMTRACEDUMP];
    for program in &programs {
        program.build(&target, Some("rust-lld"))?;
    }
    Ok(Some(
        programs.map(|program| folder(&target).join(program.name)),
    ))
}
