//! The tags that `android.os.Trace` keeps, in a virtual machine with a class that stands in for it.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::build::Workshop;

/// The library as a program for this machine loads it: cargo puts it beside the tests.
fn library() -> PathBuf {
    std::env::current_exe()
        .unwrap()
        .with_file_name("libtraceloom_inapp.so")
}

/// Runs a class of `java/`, compiled with the library's own class and with `others`; what it prints.
fn run(main: &str, others: &[&str]) -> Option<String> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let workshop = Workshop::new();
    let sources = others
        .iter()
        .chain([&main])
        .map(|name| here.join(format!("tests/hook/java/{name}.java")));
    let mut javac = Command::new("javac");
    javac.arg("-d").arg(workshop.path("")).args(sources);
    javac.arg(here.join("java/traceloom/TracePoints.java"));
    let Ok(compiled) = javac.output() else {
        println!("skipped: no javac");
        return None;
    };
    assert!(
        compiled.status.success(),
        "{}",
        String::from_utf8_lossy(&compiled.stderr)
    );
    let mut java = Command::new("java");
    java.args(["-Xcheck:jni", "-cp"])
        .arg(workshop.path(""))
        .arg(main)
        .arg(library());
    let output = java.output().expect("java, beside javac");
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(output.status.success(), "{out}{err}");
    assert!(
        !out.contains("WARNING") && !err.contains("FATAL"),
        "the machine checks: {out}{err}"
    );
    Some(out.into_owned())
}

#[test]
fn its_copy_of_the_tags() {
    let printed = run("Main", &["Trace"]);
    assert!(printed.is_none_or(|printed| printed == "fine\n"));
}

#[test]
fn without_that_class() {
    let printed = run("Without", &[]);
    assert!(printed.is_none_or(|printed| printed == "fine\n"));
}
