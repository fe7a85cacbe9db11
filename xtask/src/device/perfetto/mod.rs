//! Perfetto's service, its recorder of the kernel, and its command `perfetto`, for this machine. Their source is a
//! clone of google/perfetto, whose `Android.bp` lists the files.

mod blueprint;
mod build;
mod protos;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result, ensure};

use crate::run::{check, command, shown};
use build::Build;
use protos::{PLUGINS, Protos};

/// The Debian packages that the build needs.
pub const PACKAGES: &[&str] = &[
    "clang",
    "git",
    "libprotobuf-dev",
    "libprotoc-dev",
    "protobuf-compiler",
    "zlib1g-dev",
];

/// The variable with the clone.
const CLONE: &str = "TRACELOOM_PERFETTO";

/// The programs, and the library that the last two contain.
const PROGRAMS: [(&str, bool); 3] = [
    ("traced", true),
    ("traced_probes", true),
    ("perfetto", false),
];
const LIBRARY: &str = "libperfetto";

/// Fails if there is neither a clone nor an unpacked source.
pub fn has_source() -> Result<()> {
    let program = testkit::device_part("perfetto");
    let folder = program.parent().context("no folder for perfetto")?;
    if source(folder).is_dir() {
        return Ok(());
    }
    clone().map(drop)
}

/// The source tree.
fn source(folder: &Path) -> PathBuf {
    folder.join("perfetto-source/src")
}

fn clone() -> Result<String> {
    let clone = std::env::var(CLONE).ok().filter(|clone| !clone.is_empty());
    clone.with_context(|| format!("{CLONE} does not name a clone of google/perfetto"))
}

/// Builds the three programs.
pub fn build() -> Result<()> {
    let program = testkit::device_part("perfetto");
    let folder = program.parent().context("no folder for perfetto")?;
    let src = source(folder);
    if !src.is_dir() {
        unpack(&src)?;
    }
    let build = Build::new(src, &folder.join("perfetto-source"))?;
    build.write_switches()?;
    for (plugin, _) in PLUGINS {
        build.link_plugin(plugin)?;
    }
    let names = PROGRAMS.map(|(name, _)| name);
    let protos = Protos::generate(&build, &[&names[..], &[LIBRARY]].concat())?;
    let library = objects(&build, LIBRARY, &protos)?;
    for (name, has_library) in PROGRAMS {
        let mut objects = objects(&build, name, &protos)?;
        objects.extend(library.iter().filter(|_| has_library).cloned());
        objects.sort();
        objects.dedup();
        // A temporary name until it is complete: a file of the final name counts as built.
        let whole = folder.join(format!("{name}.new"));
        build.link(&objects, &["-lz", "-lpthread", "-lrt", "-ldl"], &whole)?;
        fs::rename(whole, folder.join(name))?;
    }
    Ok(())
}

/// The objects of a program or library.
fn objects(build: &Build, name: &str, protos: &Protos) -> Result<Vec<PathBuf>> {
    let (mut files, generators) = build.blueprint.sources(name)?;
    for generator in &generators {
        files.extend(protos.sources(build, generator)?);
    }
    build.compile(&files)
}

/// Unpacks the newest commit of the clone.
fn unpack(to: &Path) -> Result<()> {
    let clone = clone()?;
    let whole = to.with_extension("new");
    fs::create_dir_all(&whole)?;
    let mut archive = command("git", &["-C", &clone, "archive", "HEAD"]);
    archive.args(["Android.bp", "include", "src", "protos"]);
    let line = shown(&archive);
    let mut archive = archive.stdout(Stdio::piped()).spawn()?;
    let mut tar = command("tar", &["-x", "-C"]);
    tar.arg(&whole);
    tar.stdin(archive.stdout.take().context("no output")?);
    check(tar)?;
    ensure!(archive.wait()?.success(), "{line} failed");
    fs::rename(whole, to)?;
    Ok(())
}
