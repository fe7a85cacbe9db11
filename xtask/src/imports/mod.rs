//! `cargo xtask imports [CRATE…]`: inside a crate, imports must run in one direction. Lists cycles: files that import
//! each other.
//!
//! A file imports another if its code outside of tests names something in that file's module. An item
//! that a `pub use` passes on counts for the file that defines it.

mod paths;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};

use paths::{Module, Paths};

/// Prints the cycles in the crates that `args` name, or in all. An error if there are any.
pub fn run(args: &[String]) -> Result<()> {
    let (mut circles, mut crates) = (0, 0);
    for source in source_folders()? {
        let name = source
            .parent()
            .and_then(Path::file_name)
            .unwrap_or_default();
        let name = name.to_string_lossy();
        if !args.is_empty() && !args.iter().any(|arg| *arg == name) {
            continue;
        }
        crates += 1;
        for circle in Graph::of(read_modules(&source)?).circles() {
            let files: Vec<_> = circle.iter().map(|module| shown(module)).collect();
            println!("{name}: {}", files.join(", "));
            circles += 1;
        }
    }
    ensure!(
        crates > 0,
        "no crate has this name; a crate is named by its folder, such as formats"
    );
    ensure!(circles == 0, "circular imports: {circles}");
    println!("no circular imports");
    Ok(())
}

fn shown(module: &Module) -> String {
    if module.is_empty() {
        "the crate's root".to_owned()
    } else {
        module.join("/")
    }
}

/// The `src` folders of the workspace.
fn source_folders() -> Result<Vec<PathBuf>> {
    let root = testkit::workspace_root();
    let mut packages = vec![root.join("xtask")];
    for package in folders(&root.join("crates"))? {
        packages.extend(folders(&package)?);
        packages.push(package);
    }
    let mut sources: Vec<_> = packages.into_iter().map(|path| path.join("src")).collect();
    sources.retain(|path| path.is_dir());
    sources.sort();
    Ok(sources)
}

fn folders(parent: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(parent)?.map(|entry| Ok(entry?.path()));
    let paths = entries.collect::<Result<Vec<_>>>()?;
    Ok(paths.into_iter().filter(|path| path.is_dir()).collect())
}

/// The text of each module below a folder, without files that hold only tests or other programs.
fn read_modules(folder: &Path) -> Result<BTreeMap<Module, String>> {
    let mut modules = BTreeMap::new();
    let mut open = vec![(folder.to_owned(), Module::new())];
    while let Some((folder, module)) = open.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let name = path
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            let child = [&module[..], std::slice::from_ref(&name)].concat();
            if path.is_dir() && !["bin", "tests"].contains(&name.as_str()) {
                open.push((path, child));
            } else if path.extension().is_some_and(|ending| ending == "rs") && name != "tests" {
                let is_root = ["mod", "lib", "main"].contains(&name.as_str());
                let module = if is_root { module.clone() } else { child };
                modules.insert(module, fs::read_to_string(&path)?);
            }
        }
    }
    Ok(modules)
}

/// The modules that each module imports.
struct Graph {
    edges: BTreeMap<Module, BTreeSet<Module>>,
}

impl Graph {
    fn of(modules: BTreeMap<Module, String>) -> Self {
        let paths = modules.iter().map(|(module, text)| {
            let is_child = |name: &str| modules.contains_key(&child(module, name));
            (module, Paths::of(text, module, is_child))
        });
        let paths: Vec<_> = paths.collect();
        let passed_on: BTreeMap<Module, Module> = paths
            .iter()
            .flat_map(|(_, paths)| paths.passed_on.clone())
            .collect();
        let edges = paths.iter().map(|(module, paths)| {
            let files = paths
                .named
                .iter()
                .filter_map(|path| file_of(path, &modules, &passed_on));
            let others = files.filter(|file| file != *module);
            ((*module).clone(), others.collect())
        });
        Self {
            edges: edges.collect(),
        }
    }

    /// The cycles: sets of modules in which each module reaches all others.
    fn circles(&self) -> BTreeSet<BTreeSet<&Module>> {
        let reached: BTreeMap<_, _> = self
            .edges
            .keys()
            .map(|from| (from, self.reached(from)))
            .collect();
        let in_circle = reached
            .iter()
            .filter(|(module, reached)| reached.contains(*module));
        in_circle
            .map(|(module, others)| {
                let back = |other: &&&Module| reached[**other].contains(module);
                others.iter().filter(back).copied().collect()
            })
            .collect()
    }

    fn reached(&self, from: &Module) -> BTreeSet<&Module> {
        let mut reached = BTreeSet::new();
        let mut open: Vec<_> = self.edges[from].iter().collect();
        while let Some(module) = open.pop() {
            if reached.insert(module) {
                open.extend(&self.edges[module]);
            }
        }
        reached
    }
}

fn child(module: &[String], name: &str) -> Module {
    [module, &[name.to_owned()]].concat()
}

/// The module that defines the item of a path, through any number of `pub use`.
fn file_of(
    path: &Module,
    modules: &BTreeMap<Module, String>,
    passed_on: &BTreeMap<Module, Module>,
) -> Option<Module> {
    let mut path = path.clone();
    // No real chain of re-exports is longer than this.
    'follow: for _ in 0..20 {
        for length in (0..=path.len()).rev() {
            if let Some(origin) = passed_on.get(&path[..length]) {
                path = [origin, &path[length..]].concat();
                continue 'follow;
            }
            if modules.contains_key(&path[..length]) {
                return Some(path[..length].to_vec());
            }
        }
        return None;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::Graph;

    fn circles(files: &[(&str, &str)]) -> Vec<Vec<String>> {
        let module = |name: &str| name.split_terminator('/').map(str::to_owned).collect();
        let modules = files
            .iter()
            .map(|(name, text)| (module(name), (*text).to_owned()));
        let graph = Graph::of(modules.collect());
        let circles = graph.circles().into_iter();
        let names = circles.map(|circle| circle.into_iter().map(super::shown).collect());
        names.collect()
    }

    #[test]
    fn two_files_that_import_each_other_are_a_circle() {
        let found = circles(&[
            ("", "mod a; mod b; mod c;"),
            ("a", "use crate::b::{self, B};"),
            ("b", "fn f() { super::a::f(); }"),
            ("c", "use crate::{a::A, b};"),
        ]);
        assert_eq!(found, [["a", "b"]]);
    }

    #[test]
    fn a_reexport_counts_for_the_file_that_defines_the_item() {
        let found = circles(&[
            (
                "",
                "mod low; mod high; pub use low::{Low, more as other}; use high::run;",
            ),
            ("low", "pub struct Low;"),
            ("high", "use crate::{Low, other};"),
        ]);
        assert!(found.is_empty(), "{found:?}");
    }

    #[test]
    fn imports_in_tests_comments_and_strings_do_not_count() {
        let found = circles(&[
            ("", "mod a; mod b;"),
            (
                "a",
                "// crate::b::B\nconst T: &str = \"crate::b::B\"; #[cfg(test)] mod tests { use crate::b::B; }",
            ),
            ("b", "use super::a::T;"),
        ]);
        assert!(found.is_empty(), "{found:?}");
    }
}
