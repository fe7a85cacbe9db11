//! The release archives.

use std::fs;
use std::path::Path;

use anyhow::Result;
use testkit::workspace_root;

use super::licences;
use super::programs::folder;
use crate::man;
use crate::run::{check, command, printed, target_folder};

/// The programs in an archive.
const PROGRAMS: &[&str] = &["traceloom", "atrace"];

/// Files of the repository in an archive.
const TEXTS: &[&str] = &["README.md", "LICENSE"];

/// Options of tar that fix the owner, order and time of the entries, so that archives are reproducible.
const REPRODUCIBLE: &[&str] = &[
    "--sort=name",
    "--owner=0",
    "--group=0",
    "--numeric-owner",
    "--mtime=@0",
];

/// Packs an archive for each target, and writes the checksums of all.
pub fn write_all(targets: &[&str]) -> Result<()> {
    let dist = target_folder().join("dist");
    let mut archives = Vec::new();
    for target in targets {
        let name = format!("traceloom-{}-{target}", env!("CARGO_PKG_VERSION"));
        fill(&dist.join(&name), target)?;
        archives.push(pack(&dist, &name)?);
    }
    if archives.is_empty() {
        return Ok(());
    }
    let mut sums = command("sha256sum", &[]);
    sums.args(&archives).current_dir(&dist);
    fs::write(dist.join("SHA256SUMS"), printed(sums)?)?;
    println!("target/dist/SHA256SUMS: of {}", archives.join(", "));
    Ok(())
}

/// Copies the content of an archive into an empty folder.
fn fill(into: &Path, target: &str) -> Result<()> {
    _ = fs::remove_dir_all(into);
    fs::create_dir_all(into)?;
    for name in PROGRAMS {
        fs::copy(folder(target).join(name), into.join(name))?;
    }
    for name in TEXTS {
        fs::copy(workspace_root().join(name), into.join(name))?;
    }
    fs::write(into.join("THIRD-PARTY-LICENSES"), licences::of(target)?)?;
    man::run(&[into.join("man").display().to_string()])
}

/// Packs a folder of `dist` into an archive next to it, and removes the folder.
fn pack(dist: &Path, name: &str) -> Result<String> {
    let archive = format!("{name}.tar.gz");
    let mut tar = command("tar", REPRODUCIBLE);
    // `gzip -n` writes no time into the header.
    tar.args(["--use-compress-program=gzip -n9", "-cf", &archive, name]);
    tar.current_dir(dist);
    check(tar)?;
    fs::remove_dir_all(dist.join(name))?;
    let bytes = fs::metadata(dist.join(&archive))?.len();
    println!("target/dist/{archive}: {bytes} bytes");
    Ok(archive)
}
