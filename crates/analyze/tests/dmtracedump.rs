//! Compares calls, inclusive and exclusive times with the output of the real dmtracedump.
//!
//! It uses a record's first clock (CPU time if both were recorded), in microseconds, and treats an
//! exit on an empty stack as a call since time zero. Traces with such exits are left out.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use traceloom_analyze::{CallTree, CallTreeBuilder, Profile, ProfileOptions};
use traceloom_formats::{ReadOptions, read_bytes, read_method_events};
use traceloom_trace::RepairKind;

/// Calls, recursive calls, inclusive and exclusive time in µs.
type Numbers = (u64, u64, i64, i64);

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn traces() -> Vec<PathBuf> {
    let told = std::env::var_os("TRACELOOM_TESTDATA").map(PathBuf::from);
    let corpus = told.unwrap_or_else(|| workspace().join("../shared/testdata"));
    let mut found = vec![workspace().join("examples/app.trace")];
    for version in 1..=3 {
        let folder = corpus.join(format!("traceview-v{version}"));
        let Ok(entries) = std::fs::read_dir(&folder) else {
            eprintln!("skipped: no corpus at {}", folder.display());
            continue;
        };
        found.extend(entries.map(|entry| entry.unwrap().path()));
    }
    found.sort();
    found
}

fn tree_of(bytes: &[u8]) -> Option<CallTree> {
    let mut builder = CallTreeBuilder::default();
    read_method_events(bytes, ReadOptions::default(), &mut builder).ok()?;
    Some(builder.build())
}

fn ours(tree: &CallTree) -> BTreeMap<String, Numbers> {
    let clock = if tree.clocks.has(traceloom_analyze::Measure::Cpu) {
        traceloom_analyze::Measure::Cpu
    } else {
        traceloom_analyze::Measure::Wall
    };
    let options = ProfileOptions {
        clock,
        ..ProfileOptions::for_tree(tree)
    };
    let profile = Profile::new(tree, &options);
    let rows = profile.rows.iter().map(|row| {
        let name = format!("{} {}", row.function.label(), row.function.signature);
        let micros = |ns: Option<i64>| ns.unwrap() / 1_000;
        let (inclusive, exclusive) = (row.inclusive.get(clock), row.exclusive.get(clock));
        let times = (micros(inclusive), micros(exclusive));
        (name, (row.calls, row.recursive_calls, times.0, times.1))
    });
    rows.collect()
}

/// The methods with a time in dmtracedump's text, from its first two sections.
fn theirs(text: &str) -> BTreeMap<String, Numbers> {
    let mut found: BTreeMap<String, Numbers> = BTreeMap::new();
    let mut section = 0;
    for line in text.lines() {
        section += i32::from(line.starts_with("====="));
        let words: Vec<&str> = line.split_whitespace().collect();
        match (section, words.as_slice()) {
            (1, [micros, _, _, index, ..]) if index.starts_with('[') => {
                if let Some(name) = name_behind(line, index) {
                    found.entry(name).or_default().3 = micros.parse().unwrap();
                }
            }
            (2, [index, _, calls, micros, ..]) if line.starts_with('[') && calls.contains('+') => {
                let (normal, recursive) = calls.split_once('+').unwrap();
                let behind = format!("{calls} ");
                let rest = &line[line.find(&behind).unwrap() + behind.len()..];
                if let Some(name) = name_behind(rest, micros) {
                    let numbers = found.entry(name).or_default();
                    numbers.0 = normal.parse().unwrap();
                    numbers.1 = recursive.parse().unwrap();
                    numbers.2 = micros.parse().unwrap();
                }
                assert!(index.starts_with('['));
            }
            _ => {}
        }
    }
    found
}

/// `class.method signature` after a word. The source file after a tab, which some lines have, is
/// removed. `None` for `(toplevel)` and similar names.
fn name_behind(line: &str, word: &str) -> Option<String> {
    let rest = &line[line.find(word)? + word.len()..];
    let name = rest.trim_start().split('\t').next()?;
    let (method, signature) = name.rsplit_once(' ')?;
    Some(format!("{} {signature}", method.replace('/', ".")))
}

fn dmtracedump(path: &Path) -> Option<String> {
    let output = Command::new("/usr/bin/dmtracedump").arg(path).output();
    let output = output.expect("dmtracedump runs");
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn profiles_agree_with_dmtracedump() {
    if !Path::new("/usr/bin/dmtracedump").exists() {
        eprintln!("skipped: no dmtracedump");
        return;
    }
    let (mut checked, mut methods) = (0, 0);
    for path in traces() {
        let bytes = std::fs::read(&path).unwrap();
        let Some(tree) = tree_of(&bytes) else {
            continue;
        };
        let shown = path.display();
        if tree.repairs.count(RepairKind::UnmatchedExit) > 0 {
            eprintln!("left out: {shown} has exits without entries");
            continue;
        }
        let Some(text) = dmtracedump(&path) else {
            eprintln!("left out: dmtracedump gives {shown} up");
            continue;
        };
        let ours = ours(&tree);
        // Methods without time are not in the text.
        let theirs = theirs(&text);
        for (name, numbers) in &theirs {
            assert_eq!(ours.get(name), Some(numbers), "{shown}: {name}");
        }
        for (name, numbers) in ours.iter().filter(|(_, numbers)| numbers.2 > 0) {
            assert!(theirs.contains_key(name), "{shown}: {name} {numbers:?}");
        }
        checked += 1;
        methods += theirs.len();
    }
    eprintln!("{checked} traces checked, {methods} methods");
    assert!(checked > 0);
}

#[test]
fn real_traces_give_the_same_tree_from_tables() {
    let mut checked = 0;
    for path in traces() {
        let bytes = std::fs::read(&path).unwrap();
        let (Some(tree), Ok(trace)) = (tree_of(&bytes), read_bytes(&bytes, ReadOptions::default()))
        else {
            continue;
        };
        let tables = CallTree::from_trace(&trace, &traceloom_analyze::TreeOptions::default());
        assert_eq!(ours(&tree), ours(&tables), "{}", path.display());
        checked += 1;
    }
    eprintln!("{checked} real traces checked");
}
