//! The cost of an event in a program in C: the library that `cargo xtask dist` builds, next to a bare ring in one run.

use std::collections::HashMap;
use std::fs;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::calls::recording_library;
use super::data;
use super::options::Options;
use super::report::Report;
use crate::run::{check, command, have};

/// Each measured call, its name in the table, and its limit relative to the bare ring.
const CALLS: &[(&str, &str, Option<f64>)] = &[
    ("bare", "limit: the processor's counter and a store", None),
    ("begin", "a section begins, by id", Some(1.5)),
    ("end", "a section ends", Some(1.5)),
    ("counter", "a counter, by id", None),
    ("name", "a section begins, by name", Some(2.2)),
    ("mark", "a mark", None),
];

/// The maximum cost of a call while nothing is recorded, ns.
const OFF_NS: f64 = 1.5;

/// Prints a table, and fails if a limit is exceeded.
pub fn events(options: Options, report: &mut Report) -> Result<()> {
    if !have("gcc") || !cfg!(target_arch = "x86_64") {
        println!("skipped: events are measured with gcc on x86-64");
        return Ok(());
    }
    let cost = measure(if options.quick { 11 } else { 101 })?;
    let of = |name: &str| cost.get(name).copied().context("events.c measured less");
    let bare = of("bare")?;
    report.table(
        "An event in an app, ns of CPU time",
        &["what", "ns", "relative to the limit"],
    );
    for &(name, what, limit) in CALLS {
        let (ns, times) = (of(name)?, of(name)? / bare);
        report.row(&[what.to_owned(), format!("{ns:.1}"), format!("{times:.2}")]);
        ensure!(
            limit.is_none_or(|limit| times <= limit),
            "{name} costs {times:.2} times a bare ring; the limit is {limit:?}"
        );
    }
    let off = of("off")?;
    report.row(&[
        "any of them while nothing is recorded".to_owned(),
        format!("{off:.1}"),
        format!("{:.2}", off / bare),
    ]);
    ensure!(off <= OFF_NS, "a call that records nothing costs {off} ns");
    Ok(())
}

/// Compiles and runs the program. Returns ns by name.
fn measure(rounds: usize) -> Result<HashMap<String, f64>> {
    let folder = data::folder().join("events");
    fs::create_dir_all(&folder)?;
    recording_library(&folder.join("libtraceloom.so"))?;
    let root = testkit::workspace_root();
    let program = folder.join("events");
    let mut compile = command("gcc", &["-O2", "-Wall", "-Werror", "-I"]);
    compile.arg(root.join("crates/inapp/include"));
    compile.arg(root.join("xtask/src/bench/c/events.c"));
    compile.arg("-L").arg(&folder).arg("-ltraceloom");
    compile.arg("-o").arg(&program);
    check(compile)?;
    let mut run = Command::new(program);
    run.env("LD_LIBRARY_PATH", &folder);
    let output = run
        .arg(folder.join("events.ring"))
        .arg(rounds.to_string())
        .output()?;
    ensure!(output.status.success(), "events.c failed");
    let lines = String::from_utf8(output.stdout)?;
    let lines = lines.lines().map(|line| {
        let (name, ns) = line.split_once('\t').context("events.c printed more")?;
        Ok((name.to_owned(), ns.parse()?))
    });
    lines.collect()
}
