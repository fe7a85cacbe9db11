//! `traceloom query --each`: one query on many files.
#![cfg(feature = "query")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const FILES: [&str; 3] = ["app.trace", "jank.ftrace.gz", "linux.ftrace"];
const COUNT: &str = "SELECT count(*) AS n FROM slice";

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

fn query(folder: &Path, args: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_traceloom"));
    program.arg("query").args(args).current_dir(folder);
    program.output().expect("traceloom runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The lines of a run that works.
fn lines(folder: &Path, args: &[&str]) -> Vec<String> {
    let output = query(folder, args);
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout).lines().map(str::to_owned).collect()
}

#[test]
fn rows_of_all_files_follow_each_other() {
    let folder = examples();
    let mut expected = vec!["path,app,device,n".to_owned()];
    for (file, app) in FILES.into_iter().zip(APPS) {
        let alone = lines(&folder, &[file, COUNT, "--format", "csv"]);
        expected.push(format!("{file},{app},,{}", alone[1]));
    }
    let args = [&FILES[..], &[COUNT, "--each", "--format", "csv"]].concat();
    assert_eq!(lines(&folder, &args), expected);
    for threads in ["1", "4"] {
        let args = [&args[..], &["--threads", threads]].concat();
        assert_eq!(lines(&folder, &args), expected, "{threads} threads");
    }
}

/// `traceloom info` lists these processes; a method trace has none.
const APPS: [&str; 3] = ["", "org.loom.reader", "loom-demo"];

/// Three files in folders such as `1.0/pixel/0.trace`; the last is broken.
fn releases() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (number, (run, from)) in RUNS.into_iter().enumerate() {
        let to = folder.path().join(run);
        fs::create_dir_all(&to).unwrap();
        let file = to.join(format!("{number}.trace"));
        match from {
            Some(from) => drop(fs::copy(examples().join(from), file).unwrap()),
            None => fs::write(file, "no trace").unwrap(),
        }
    }
    folder
}

const RUNS: [(&str, Option<&str>); 3] = [
    ("1.0/pixel", Some("app.trace")),
    ("1.1/galaxy", Some("jank.ftrace.gz")),
    ("1.1/pixel", None),
];

#[test]
fn parts_of_the_path_are_columns() {
    let folder = releases();
    let files = ["1.0/pixel/0.trace", "1.1/galaxy/1.trace"];
    let options = [
        "--each",
        "--pattern",
        "{release}/{device}/*",
        "--format",
        "jsonl",
    ];
    let args = [&files[..], &["SELECT 7 AS n"], &options].concat();
    let expected = [
        r#"{"path":"1.0/pixel/0.trace","app":null,"release":"1.0","device":"pixel","n":7}"#,
        r#"{"path":"1.1/galaxy/1.trace","app":"org.loom.reader","release":"1.1","device":"galaxy","n":7}"#,
    ];
    assert_eq!(lines(folder.path(), &args), expected);
    let wrong = [
        "1.0/pixel/0.trace",
        "SELECT 1",
        "--each",
        "--pattern",
        "{a}-{b}",
    ];
    let output = query(folder.path(), &wrong);
    assert_eq!(output.status.code(), Some(2));
    let message = "1.0/pixel/0.trace: the path does not have the form that --pattern gives";
    assert!(
        text(&output.stderr).contains(message),
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn files_that_fail_are_counted() {
    let folder = releases();
    let files = ["1.1/pixel/2.trace", "1.0/pixel/0.trace", "missing.trace"];
    let args = [&files[..], &["SELECT 7 AS n", "--each", "--format", "csv"]].concat();
    let output = query(folder.path(), &args);
    assert_eq!(
        text(&output.stdout),
        "path,app,device,n\n1.0/pixel/0.trace,,,7\n"
    );
    let errors = text(&output.stderr);
    for part in [
        "1.1/pixel/2.trace",
        "missing.trace",
        "2 of 3 files have no answer",
    ] {
        assert!(errors.contains(part), "{part} in {errors}");
    }
    assert_eq!(output.status.code(), Some(0));
    let strict = query(folder.path(), &[&args[..], &["--strict"]].concat());
    assert_eq!(strict.status.code(), Some(1));
    let none = query(folder.path(), &["1.1/pixel/2.trace", "SELECT 1", "--each"]);
    assert_eq!(none.status.code(), Some(2));
    assert!(text(&none.stdout).is_empty());
}
