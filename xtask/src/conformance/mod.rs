//! `cargo xtask conformance`: runs the queries of Perfetto's own tests in traceloom, and writes docs/conformance.md.
//!
//! The cases, their traces and their answers are kept next to the repository, and the queries outside of it. The page
//! has only the names of cases and how many there are.

mod child;
mod compare;
mod judge;
mod modules;
mod page;
mod parallel;
mod reasons;
mod suite;

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};
use testkit::{Corpus, workspace_root};

use crate::run::{cargo, check, target_folder};
use judge::Judge;
use modules::Library;
use page::Page;
use parallel::parallel;
use reasons::Reasons;
use suite::Suite;

const USAGE: &str = "cargo xtask conformance QUERIES [--suite DIR] [--modules DIR] [--binary FILE]";

/// The page that is written.
const PAGE: &str = "docs/conformance.md";

#[derive(Default)]
struct Options {
    /// The folder of the queries.
    queries: Option<PathBuf>,
    /// The folder of the cases; else it is part of the corpus.
    suite: Option<PathBuf>,
    /// Perfetto's standard library.
    modules: Option<PathBuf>,
    /// The program; else it is built.
    binary: Option<PathBuf>,
}

/// Runs all cases and writes the page.
pub fn run(args: &[String]) -> Result<()> {
    let options = parse(args)?;
    let queries = options.queries.with_context(|| format!("usage: {USAGE}"))?;
    let Some(folder) = folder(options.suite) else {
        return Ok(());
    };
    let suite = Suite::open(&folder, &queries)?;
    let binary = options.binary.map_or_else(build, Ok)?;
    let judge = Judge::new(&binary);
    let verdicts = parallel(&suite.cases, |case| judge.verdict(case))?;
    let library = options
        .modules
        .map(|folder| Library::load(&binary, &folder));
    let reasons = Reasons::new();
    let page = Page::new(&suite.cases, &verdicts, &reasons);
    println!("{}", page.summary());
    let path = workspace_root().join(PAGE);
    let before = fs::read_to_string(&path).unwrap_or_default();
    let modules = match library.transpose()? {
        Some(library) => library.section(),
        None => modules::section_of(&before).to_owned(),
    };
    fs::write(&path, page.text() + &modules).context(PAGE)?;
    println!("{PAGE} was written");
    Ok(())
}

fn parse(args: &[String]) -> Result<Options> {
    let mut options = Options::default();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let place = match arg.as_str() {
            "--suite" => &mut options.suite,
            "--modules" => &mut options.modules,
            "--binary" => &mut options.binary,
            _ if arg.starts_with('-') => bail!("no option {arg}; usage: {USAGE}"),
            _ => {
                options.queries = Some(arg.into());
                continue;
            }
        };
        let value = args.next().with_context(|| format!("{arg} needs a path"))?;
        *place = Some(value.into());
    }
    Ok(options)
}

/// The folder of the suite. `None`, with a message, if it is not here.
fn folder(given: Option<PathBuf>) -> Option<PathBuf> {
    let in_corpus = || Some(Corpus::find()?.root().join("perfetto-suite"));
    let folder = given.or_else(in_corpus)?;
    if !folder.is_dir() {
        eprintln!(
            "skipped: no cases at {}; --suite names their folder",
            folder.display()
        );
        return None;
    }
    Some(folder)
}

/// The program, from a debug build.
fn build() -> Result<PathBuf> {
    check(cargo(&["build", "--quiet", "--package", "traceloom"]))?;
    let binary = target_folder().join("debug/traceloom");
    ensure!(binary.is_file(), "cargo built no {}", binary.display());
    Ok(binary)
}
