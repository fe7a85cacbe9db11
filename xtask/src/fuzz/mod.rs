//! `cargo xtask fuzz [SECONDS] [TARGET…]`: runs the fuzz targets one after the other.

mod seeds;

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use crate::run::{check, command, shown, succeeds};

const DEFAULT_SECONDS: u64 = 60;

/// The targets; `fuzz/Cargo.toml` has the same list.
const TARGETS: &[&str] = &[
    "method_trace",
    "key_section",
    "ftrace_text",
    "trace_dat",
    "ring_file",
    "systrace_html",
    "atrace_z",
    "containers",
    "process_dump",
    "battor",
    "perf_data",
    "perf_script",
    "strace",
    "perfetto",
    "chrome_json",
    "json_profiles",
    "rules",
    "report",
    "columns",
    "dmtracedump",
    "class_file",
    "method_map",
    "elf",
    "query_dialect",
];

/// Runs the targets that `args` name, or all.
pub fn run(args: &[String]) -> Result<()> {
    let (seconds, wanted) = parse(args)?;
    ensure_tools()?;
    let mut found = Vec::new();
    for target in wanted {
        let seeds = seeds::write(&target)?;
        println!("── {target}: {seeds} seeds, {seconds} s");
        if !fuzz(&target, seconds)? {
            found.push(target);
        }
    }
    ensure!(
        found.is_empty(),
        "inputs that crash were found for {}; they are in fuzz/artifacts/",
        found.join(", ")
    );
    println!("\nno failures");
    Ok(())
}

fn parse(args: &[String]) -> Result<(u64, Vec<String>)> {
    let seconds = args.first().and_then(|arg| arg.parse().ok());
    let names = &args[usize::from(seconds.is_some())..];
    if let Some(unknown) = names.iter().find(|name| !TARGETS.contains(&name.as_str())) {
        bail!(
            "no fuzz target called {unknown}; there are {}",
            TARGETS.join(", ")
        );
    }
    let all = || TARGETS.iter().map(|&name| name.to_owned()).collect();
    let wanted = if names.is_empty() {
        all()
    } else {
        names.to_vec()
    };
    Ok((seconds.unwrap_or(DEFAULT_SECONDS), wanted))
}

fn ensure_tools() -> Result<()> {
    if !succeeds(command("cargo", &["fuzz", "--version"])) {
        check(command("cargo", &["install", "cargo-fuzz", "--locked"]))?;
    }
    Ok(())
}

/// The command that runs a target. `RUSTC_BOOTSTRAP=1` lets the stable compiler instrument the code for the fuzzer. Even
/// without `--release`, cargo-fuzz optimizes; it also adds the checks of debug builds.
fn fuzz_command(target: &str, seconds: u64) -> Command {
    let mut command = command("cargo", &["fuzz", "run", target, "--"]);
    command.env("RUSTC_BOOTSTRAP", "1");
    command.args([
        format!("-max_total_time={seconds}"),
        // The longest time for one input, in seconds, with the sanitizer and on a busy machine.
        "-timeout=20".into(),
        "-rss_limit_mb=2048".into(),
        // The largest single allocation for the 16 MB to which the targets limit decompression.
        "-malloc_limit_mb=320".into(),
        "-max_len=65536".into(),
        // Drops the output of the targets. libFuzzer prints on stderr.
        "-close_fd_mask=1".into(),
        "-print_final_stats=1".into(),
    ]);
    // The words of a format, which the fuzzer would otherwise have to guess letter by letter.
    let dictionary = format!("fuzz/dictionaries/{target}.dict");
    if testkit::workspace_root().join(&dictionary).exists() {
        command.arg(format!("-dict={dictionary}"));
    }
    command
}

/// Runs one target. Returns false if it found an input that crashes it.
fn fuzz(target: &str, seconds: u64) -> Result<bool> {
    let mut command = fuzz_command(target, seconds);
    let line = shown(&command);
    let mut child = command
        .stderr(Stdio::piped())
        .spawn()
        .context(line.clone())?;
    let mut last_lines = Vec::new();
    for line in BufReader::new(child.stderr.take().context("stderr")?).split(b'\n') {
        let line = String::from_utf8_lossy(&line?).into_owned();
        if line.starts_with("Done ") || line.starts_with("stat::") {
            println!("   {line}");
        }
        last_lines.push(line);
        if last_lines.len() > 200 {
            last_lines.drain(..100);
        }
    }
    if child.wait()?.success() {
        return Ok(true);
    }
    let from = last_lines.len().saturating_sub(60);
    eprintln!("{}\n\nfailed: {line}", last_lines[from..].join("\n"));
    Ok(false)
}
