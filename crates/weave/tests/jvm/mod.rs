//! Runs the tools of the JDK, for tests that check woven classes with the JVM.
#![allow(dead_code, reason = "each test file uses a part of this")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Whether the tools are installed. Prints the first missing one.
pub fn is_there(tools: &[&str]) -> bool {
    for tool in tools {
        if Command::new(tool).arg("-version").output().is_err() {
            println!("skipped: there is no {tool} (Debian's package default-jdk-headless)");
            return false;
        }
    }
    true
}

/// Runs a tool and returns its standard output. If the tool fails, panics with all its output.
pub fn run(tool: &str, args: &[&str]) -> String {
    let output = output(tool, args);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{tool} {args:?}\n{out}\n{err}");
    out
}

pub fn output(tool: &str, args: &[&str]) -> Output {
    let output = Command::new(tool).args(args).output();
    output.unwrap_or_else(|error| panic!("{tool}: {error}"))
}

/// The path of a Java source of these tests.
pub fn source(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/java")
        .join(name);
    path.to_str().unwrap().to_owned()
}

/// Compiles sources of these tests into a folder.
pub fn compile(into: &Path, sources: &[&str], options: &[&str]) {
    let sources: Vec<String> = sources.iter().map(|name| source(name)).collect();
    let mut args = vec!["-g", "-nowarn", "-d", into.to_str().unwrap()];
    args.extend(options);
    args.extend(sources.iter().map(String::as_str));
    run("javac", &args);
}

/// Extracts the classes of a module of the JDK into a folder.
pub fn extract(module: &str, into: &Path) -> PathBuf {
    let home = run("java", &["-XshowSettings:properties", "-version"]);
    let settings = output("java", &["-XshowSettings:properties", "-version"]);
    let settings = home + &String::from_utf8_lossy(&settings.stderr);
    let line = settings
        .lines()
        .find_map(|line| line.trim().strip_prefix("java.home = "));
    let modules = Path::new(line.expect("java.home")).join("lib/modules");
    let filter = format!("regex:/{}/.*", module.replace('.', "\\."));
    let into_text = into.to_str().unwrap();
    run(
        "jimage",
        &[
            "extract",
            "--dir",
            into_text,
            "--include",
            &filter,
            modules.to_str().unwrap(),
        ],
    );
    into.join(module)
}

/// All class files below a folder, sorted by path.
pub fn classes(folder: &Path) -> Vec<PathBuf> {
    let (mut found, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false if path.extension().is_some_and(|ending| ending == "class") => {
                    found.push(path)
                }
                false => {}
            }
        }
    }
    found.sort();
    found
}

/// The results of the test recorder (`Recorder.java`).
#[derive(Debug, Default)]
pub struct Counts {
    /// Number of ends that did not match the last open begin.
    pub wrong: u64,
    /// Number of sections that were open when the program ended.
    pub open: u64,
    /// Number of calls by id.
    pub calls: BTreeMap<u32, u64>,
    pub threads: Vec<String>,
}

impl Counts {
    pub fn read(path: &Path) -> Self {
        let mut counts = Self::default();
        for line in std::fs::read_to_string(path).unwrap().lines() {
            match line.split_once(' ').unwrap() {
                ("wrong", count) => counts.wrong = count.parse().unwrap(),
                ("open", count) => counts.open = count.parse().unwrap(),
                ("thread", name) => counts.threads.push(name.to_owned()),
                (id, count) => {
                    counts
                        .calls
                        .insert(id.parse().unwrap(), count.parse().unwrap());
                }
            }
        }
        counts
    }
}

/// The number of entries of each method, by `class method descriptor`, as counted by the debugger.
pub fn entries(folder: &Path, options: &str, main: &str, filter: &str) -> BTreeMap<String, u64> {
    let folder = folder.to_str().unwrap();
    let printed = run("java", &["-cp", folder, "Entries", options, main, filter]);
    let line = |line: &str| {
        let (count, name) = line.split_once(' ').unwrap();
        (name.to_owned(), count.parse().unwrap())
    };
    printed.lines().map(line).collect()
}
