//! `cargo xtask test`: all checks that must pass before a change is merged.

mod background;
mod emulated;
mod outcome;
mod output;
pub mod page;
mod platforms;
mod python;
mod retries;
mod rust;
mod setup;
mod static_programs;
mod time_limits;

use std::process::exit;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use anyhow::{Result, bail};

use outcome::cargo_step;
pub use outcome::{Counts, Outcome};

/// A name for the command line, a title, and the work.
type Step = (&'static str, &'static str, fn() -> Counts);

/// All steps except the setup, in order.
const STEPS: &[Step] = &[
    ("format", "format", || {
        cargo_step(&["fmt", "--all", "--", "--check"])
    }),
    ("lints", "lints", || cargo_step(LINTS)),
    ("imports", "imports in one direction", one_direction),
    ("msrv", "oldest supported Rust", platforms::oldest_rust),
    (TESTS, "tests", rust::others),
    ("kernel", "tests that record the kernel", rust::kernel),
    ("static", "static programs", static_programs::run),
    ("aarch64", "aarch64", emulated::run),
    ("packages", "installation from packages", packages),
    ("wheel", "the wheel of the Python package", python::wheel),
    ("platforms", "other platforms", platforms::run),
    ("fuzz-targets", "fuzz targets", platforms::fuzz_targets),
    ("page", "the page in a browser", page::run),
    ("python", "the Python package", python::run),
];

const SETUP: &str = "setup";
/// The step before which the steps of [`background`] start.
const TESTS: &str = "tests";

// The tests have the same features, so that both share build scripts and dependencies.
const LINTS: &[&str] = &[
    "clippy",
    "--workspace",
    "--all-targets",
    "--all-features",
    "--quiet",
    "--",
    "-D",
    "warnings",
];

fn one_direction() -> Counts {
    match crate::imports::run(&[]) {
        Ok(()) => Outcome::Passed.into(),
        Err(error) => Outcome::Failed(error.to_string()).into(),
    }
}

fn packages() -> Counts {
    Outcome::from(crate::package::check_with_debug_engine()).into()
}

/// Runs the steps that `args` name, or all of them, even if one fails. Prints the sum last and exits
/// with 1 if anything failed.
pub fn run(args: &[String]) -> Result<()> {
    let (flags, names): (Vec<_>, Vec<_>) = args.iter().partition(|arg| arg.starts_with('-'));
    let install = !flags.contains(&&"--no-install".to_owned());
    if let Some(flag) = flags.into_iter().find(|flag| *flag != "--no-install") {
        bail!("test has no option {flag}, only --no-install");
    }
    let known = |name: &&String| *name == SETUP || STEPS.iter().any(|(step, ..)| step == name);
    if let Some(name) = names.iter().find(|name| !known(name)) {
        let steps: Vec<&str> = STEPS.iter().map(|(name, ..)| *name).collect();
        bail!(
            "no step called {name}; there are {SETUP}, {}",
            steps.join(", ")
        );
    }
    let wanted = |step: &str| names.is_empty() || names.iter().any(|name| *name == step);
    let sum = Arc::new(Mutex::new(Counts::default()));
    time_limits::end_after_all(&sum);
    crate::package::remove_leftovers();
    if wanted(SETUP) {
        timed(SETUP, &sum, || setup::run(install));
    }
    if names.is_empty() {
        run_all(&sum);
    } else {
        let steps = STEPS.iter().filter(|(name, ..)| wanted(name));
        steps.for_each(|(_, title, work)| timed(title, &sum, work));
    }
    let sum = *sum
        .lock()
        .expect("no thread panics while it holds the lock");
    if sum.unstable > 0 {
        println!(
            "\nunstable: {} of the tests that passed failed first; their names are above",
            sum.unstable
        );
    }
    println!("\n{sum}");
    // Exit here, because the sum must be the last line. An error message would follow it.
    exit(i32::from(sum.failed > 0))
}

/// Runs all steps. The steps of [`background`] run in parallel with the others.
fn run_all(sum: &Mutex<Counts>) {
    let mut running = Vec::new();
    for (name, title, work) in STEPS {
        if *name == TESTS {
            timed("compilation of the tests", sum, compilation);
            running = background::start();
        }
        if !background::contains(name) {
            timed(title, sum, work);
        }
    }
    for group in running {
        timed(group.title, sum, || group.finish());
    }
}

fn compilation() -> Counts {
    rust::compile();
    Counts::default()
}

/// Runs a step between two lines that name it, the second with its counts and its time.
fn timed(title: &str, sum: &Mutex<Counts>, work: impl FnOnce() -> Counts) {
    println!("\n── {title}");
    let (begun, cpu) = (Instant::now(), cpu_seconds_of_children());
    let counts = work();
    let seconds = begun.elapsed().as_secs_f64();
    let cpu = cpu_seconds_of_children() - cpu;
    println!(
        "── {title}: {} ok, {} failed, {} skipped, {seconds:.0} s, {cpu:.0} s of CPU time",
        counts.passed, counts.failed, counts.skipped
    );
    sum.lock()
        .expect("no thread panics while it holds the lock")
        .add(counts);
}

/// The CPU time of all child processes that have ended, seconds. It is 0 on a system without `/proc`.
///
/// The source is `cutime` and `cstime` of `/proc/self/stat`, which count in steps of 10 ms (proc(5)).
fn cpu_seconds_of_children() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let (_, after_name) = stat.rsplit_once(')').unwrap_or_default();
    let fields = after_name.split_whitespace().skip(13).take(2);
    let ticks: u64 = fields.filter_map(|field| field.parse::<u64>().ok()).sum();
    ticks as f64 / 100.0
}
