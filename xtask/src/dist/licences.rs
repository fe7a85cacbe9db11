//! The licences of the third-party crates in the programs, from the sources that cargo downloaded.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::run::{cargo, printed};

/// Beginnings of the names of licence files.
const NAMES: &[&str] = &[
    "LICENSE",
    "LICENCE",
    "COPYING",
    "COPYRIGHT",
    "NOTICE",
    "UNLICENSE",
];

/// The start of the list: what every program contains besides crates.
const HEAD: &str = "\
The programs contain the crates listed below, the Rust standard library (https://www.rust-lang.org,
MIT OR Apache-2.0) and the C library musl (https://musl.libc.org, MIT).\n\n";

/// A list of all third-party crates in the programs for a target, followed by the text of each licence.
pub fn of(target: &str) -> Result<String> {
    let mut crates = third_party("traceloom", target)?;
    crates.extend(third_party(
        "traceloom-page-engine",
        "wasm32-unknown-unknown",
    )?);
    let mut text = HEAD.to_owned();
    let mut licences: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (name, package) in &crates {
        let field = |field: &str| package[field].as_str().unwrap_or("-");
        writeln!(
            text,
            "{name}  {}  {}",
            field("license"),
            field("repository")
        )?;
        for licence in texts(package)? {
            licences.entry(licence).or_default().push(name);
        }
    }
    for (licence, names) in &licences {
        let line = "=".repeat(80);
        write!(
            text,
            "\n{line}\n{}\n{line}\n\n{licence}\n",
            names.join(", ")
        )?;
    }
    Ok(text)
}

/// The packages from registries that a package depends on at run time, by name and version.
fn third_party(root: &str, target: &str) -> Result<BTreeMap<String, Value>> {
    let args = [
        "metadata",
        "--locked",
        "--format-version=1",
        "--filter-platform",
    ];
    let metadata = printed(cargo(&[&args[..], &[target]].concat()))?;
    let metadata: Value = serde_json::from_str(&metadata)?;
    let by_id = |list: &Value| -> BTreeMap<String, Value> {
        let list = list.as_array().into_iter().flatten();
        list.filter_map(|item| Some((item["id"].as_str()?.to_owned(), item.clone())))
            .collect()
    };
    let packages = by_id(&metadata["packages"]);
    let nodes = by_id(&metadata["resolve"]["nodes"]);
    let root = packages.iter().find(|(_, package)| package["name"] == root);
    let mut open = vec![root.context("no such package")?.0.as_str()];
    let mut seen = BTreeSet::new();
    while let Some(id) = open.pop() {
        if seen.insert(id) {
            open.extend(dependencies(&nodes[id]));
        }
    }
    let named = |id: &str| {
        let package = &packages[id];
        let field = |field: &str| package[field].as_str().unwrap_or_default();
        let from_registry = package["source"].is_string();
        from_registry.then(|| {
            (
                format!("{} {}", field("name"), field("version")),
                package.clone(),
            )
        })
    };
    Ok(seen.into_iter().filter_map(named).collect())
}

/// The ids of a package's run-time dependencies. Build and test dependencies are not in the programs.
fn dependencies(node: &Value) -> impl Iterator<Item = &str> {
    let all = node["deps"].as_array().into_iter().flatten();
    let normal = all.filter(|dependency| {
        let mut kinds = dependency["dep_kinds"].as_array().into_iter().flatten();
        kinds.any(|kind| kind["kind"].is_null())
    });
    normal.filter_map(|dependency| dependency["pkg"].as_str())
}

/// The texts of a package's licence files.
fn texts(package: &Value) -> Result<Vec<String>> {
    let manifest = Path::new(package["manifest_path"].as_str().unwrap_or_default());
    let folder = manifest.parent().context("a manifest without a folder")?;
    let mut texts = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .to_uppercase();
        if path.is_file() && NAMES.iter().any(|start| name.starts_with(start)) {
            texts.insert(name, fs::read_to_string(&path)?.trim().to_owned());
        }
    }
    Ok(texts.into_values().collect())
}
