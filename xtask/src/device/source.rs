//! Debian's source package of Android's platform tools.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::folder;
use crate::run::{check, command};

const PACKAGE: &str = "android-platform-tools";

/// Installs packages.
pub fn install(packages: &[&str]) -> Result<()> {
    let mut apt = command("apt-get", &["install", "--yes", "--no-install-recommends"]);
    apt.args(packages).env("DEBIAN_FRONTEND", "noninteractive");
    check(apt)
}

/// The unpacked source, fetched where it is missing. The machine's own list of packages stays as it
/// is: sources are looked up through one made from it.
pub fn unpacked() -> Result<PathBuf> {
    let target = folder().join("source");
    if target.is_dir() {
        return Ok(target);
    }
    let work = folder().join("apt");
    fs::create_dir_all(work.join("lists/partial"))?;
    fs::create_dir_all(work.join("archives/partial"))?;
    let list = source_list(&work)?;
    apt(&work, &list, &["update"])?;
    apt(&work, &list, &["source", PACKAGE])?;
    let is_package = |entry: &fs::DirEntry| {
        let name = entry.file_name();
        entry.path().is_dir() && name.to_string_lossy().starts_with(PACKAGE)
    };
    let mut entries = fs::read_dir(&work)?.flatten();
    let unpacked = entries.find(is_package).context("apt unpacked no source")?;
    fs::rename(unpacked.path(), &target)?;
    Ok(target)
}

fn source_list(work: &Path) -> Result<PathBuf> {
    let new_style = fs::read_to_string("/etc/apt/sources.list.d/debian.sources");
    let (name, text) = match new_style {
        Ok(text) => {
            let line = |line: &str| match line.starts_with("Types:") {
                true => "Types: deb-src\n".to_owned(),
                false => format!("{line}\n"),
            };
            ("list.sources", text.lines().map(line).collect())
        }
        Err(_) => {
            let text = fs::read_to_string("/etc/apt/sources.list")?;
            let lines = text.lines().filter_map(|line| line.strip_prefix("deb "));
            let lines: String = lines.map(|line| format!("deb-src {line}\n")).collect();
            ("list.list", lines)
        }
    };
    ensure!(!text.is_empty(), "no package sources to make a list from");
    let path = work.join(name);
    fs::write(&path, text)?;
    Ok(path)
}

fn apt(work: &Path, list: &Path, args: &[&str]) -> Result<()> {
    let option = |name: &str, value: &Path| format!("{name}={}", value.display());
    let mut apt = command("apt-get", &["--quiet"]);
    apt.arg("-o").arg(option("Dir::Etc::SourceList", list));
    apt.args(["-o", "Dir::Etc::SourceParts=-"]);
    apt.arg("-o")
        .arg(option("Dir::State::Lists", &work.join("lists")));
    apt.arg("-o").arg(option("Dir::Cache", work));
    check({
        apt.args(args).current_dir(work);
        apt
    })
}
