//! Weaving: every class of the JDK's java.base, from files to files; and the cost of woven calls.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::child::median;
use super::data;
use super::figures::traceloom;
use super::options::Options;
use super::report::Report;
use crate::run::{check, command, have};

/// Measures classes per second on one core, the growth of the classes, and the cost of a woven call.
pub fn weave(options: Options, report: &mut Report) -> Result<()> {
    if !have("jimage") {
        println!("skipped: jimage is missing (Debian package: default-jdk-headless)");
        return Ok(());
    }
    let classes = module("java.base")?;
    let count = count(&classes)?;
    report.table(
        "Weaving java.base, one thread",
        &[
            "call",
            "classes",
            "classes/s",
            "peak MB",
            "bytes of classes",
        ],
    );
    let folder = data::folder();
    let (out, map) = (folder.join("woven"), folder.join("methods.txt"));
    for call in ["section", "recorder"] {
        let run = || {
            let mut run = traceloom(&["weave", "--threads", "1", "--json", "--call", call]);
            run.arg(&classes).arg("-o").arg(&out).arg("--map").arg(&map);
            run
        };
        let cost = median(options.repeats(), run)?;
        report.row(&[
            call.to_owned(),
            count.to_string(),
            format!("{:.0}", count as f64 / cost.cpu.as_secs_f64()),
            format!("{:.0}", cost.peak_bytes as f64 / 1e6),
            format!("+{:.1} %", growth()?),
        ]);
    }
    super::calls::calls(options, report)
}

/// The growth that the last run reported, in percent.
fn growth() -> Result<f64> {
    let text = fs::read_to_string(super::child::output_path())?;
    let number = |field: &str| -> Result<f64> {
        let line = text
            .lines()
            .find(|line| line.contains(&format!("\"{field}\":")));
        let value = line.and_then(|line| line.split(": ").nth(1));
        let value = value.with_context(|| format!("the report has no {field}"))?;
        Ok(value.trim_end_matches(',').parse()?)
    };
    Ok((number("bytes_after")? / number("bytes_before")? - 1.0) * 100.0)
}

/// The folder with the classes of a module, which are extracted from the JDK once.
pub fn module(name: &str) -> Result<PathBuf> {
    let folder = data::folder().join("jdk");
    let into = folder.join(name);
    if !into.exists() {
        let java = command("sh", &["-c", "readlink -f \"$(command -v java)\""]).output()?;
        let java = String::from_utf8(java.stdout)?;
        let home = Path::new(java.trim()).parent().and_then(Path::parent);
        let modules = home.context("java is in no folder")?.join("lib/modules");
        let unfinished = folder.with_extension("part");
        let wanted = format!("regex:/{}/.*", name.replace('.', "\\."));
        let mut extract = command("jimage", &["extract", "--include", &wanted]);
        extract.arg("--dir").arg(&unfinished).arg(modules);
        check(extract)?;
        fs::create_dir_all(&folder)?;
        fs::rename(unfinished.join(name), &into)?;
    }
    Ok(into)
}

fn count(folder: &Path) -> Result<usize> {
    let mut count = 0;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        count += if path.is_dir() {
            self::count(&path)?
        } else {
            usize::from(path.extension().is_some_and(|ending| ending == "class"))
        };
    }
    Ok(count)
}
