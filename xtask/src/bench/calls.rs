//! The cost of a woven call in a Java virtual machine: the real woven class and the real library, compared with
//! prototypes of other mechanisms (`java/`), in one run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::data;
use super::figures::traceloom;
use super::options::Options;
use super::report::Report;
use crate::run::{cargo, check, command, have, target_folder};

/// The maximum cost of a woven call in addition to two reads of the clock, ns.
const PROMISED_NS: f64 = 25.0;

/// The first Java with the final foreign function interface.
const FIRST_WITH_FOREIGN: u32 = 22;

/// The woven classes of `java/`, and the calls that are inserted into them.
const WOVEN: &[(&str, &str)] = &[
    ("WovenOff", "recorder"),
    ("WovenJni", "recorder"),
    ("WovenBuffer", "Buffer.i(int)/o(int)"),
    ("WovenForeign", "ForeignPlain.i(int)/o(int)"),
    ("WovenCritical", "ForeignCritical.i(int)/o(int)"),
];

/// A development kit for Java.
struct Jdk {
    home: PathBuf,
    major: u32,
}

/// One line of the Java program: ns of CPU time.
struct Row {
    name: String,
    best: f64,
    median: f64,
}

/// Writes one table for the Java on the search path, and one for the newest installed Java.
pub fn calls(options: Options, report: &mut Report) -> Result<()> {
    if !have("javac") {
        println!("skipped: javac is missing (Debian package: default-jdk-headless)");
        return Ok(());
    }
    let rounds = if options.quick { 21 } else { 101 };
    for jdk in kits()? {
        let rows = measure(&jdk, rounds)?;
        print(report, jdk.major, &rows)?;
    }
    if let Some(ns) = counter_twice() {
        report.line(&format!(
            "\nTwo reads of the processor's cycle counter, the clock of the library, take {ns:.1} ns."
        ));
    }
    Ok(())
}

/// Builds the library as `cargo xtask dist` builds it for apps.
pub fn recording_library(into: &Path) -> Result<()> {
    let mut build = cargo(&["rustc", "--profile", "library", "-p", "traceloom-inapp"]);
    build.args(["--lib", "--crate-type", "cdylib"]);
    check(build)?;
    let built = target_folder().join("library/libtraceloom_inapp.so");
    fs::copy(built, into)?;
    Ok(())
}

fn kits() -> Result<Vec<Jdk>> {
    let usual = command("sh", &["-c", "readlink -f \"$(command -v javac)\""]).output()?;
    let usual = String::from_utf8(usual.stdout)?;
    let home = |javac: &Path| Some(javac.parent()?.parent()?.to_owned());
    let usual = kit(home(Path::new(usual.trim())).context("javac is in no folder")?)?;
    let others = fs::read_dir("/usr/lib/jvm").into_iter().flatten().flatten();
    let others = others.filter_map(|entry| kit(entry.path()).ok());
    let newest = others.max_by_key(|jdk| jdk.major);
    let newest = newest.filter(|jdk| jdk.major > usual.major);
    Ok([usual].into_iter().chain(newest).collect())
}

fn kit(home: PathBuf) -> Result<Jdk> {
    let output = Command::new(home.join("bin/javac"))
        .arg("-version")
        .output()?;
    let text = String::from_utf8(output.stdout)?;
    let version = text.trim().strip_prefix("javac ").context("no version")?;
    let major = version.split('.').next().unwrap_or_default().parse()?;
    Ok(Jdk { home, major })
}

/// Compiles, weaves and runs the program.
fn measure(jdk: &Jdk, rounds: usize) -> Result<Vec<Row>> {
    let folder = data::folder().join(format!("calls-{}", jdk.major));
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    let library = folder.join("libtraceloom.so");
    recording_library(&library)?;
    compile(jdk, &folder.join("0"))?;
    let classes = weave(&folder)?;
    let property = |name: &str, value: &Path| format!("-D{name}={}", value.display());
    let mut java = Command::new(jdk.home.join("bin/java"));
    java.arg(property("java.library.path", &folder));
    java.arg(property("bench.library", &library));
    if jdk.major >= FIRST_WITH_FOREIGN {
        java.arg("--enable-native-access=ALL-UNNAMED");
    }
    java.arg("-cp").arg(classes).arg("CallCost").arg(&folder);
    let output = java.arg(rounds.to_string()).output()?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "CallCost failed: {errors}");
    String::from_utf8(output.stdout)?.lines().map(row).collect()
}

fn compile(jdk: &Jdk, into: &Path) -> Result<()> {
    let root = testkit::workspace_root();
    let here = root.join("xtask/src/bench/java");
    let mut javac = Command::new(jdk.home.join("bin/javac"));
    javac.arg("-nowarn").arg("-d").arg(into);
    javac.arg("-sourcepath").arg(root.join("crates/inapp/java"));
    javac
        .arg(here.join("CallCost.java"))
        .arg(here.join("Buffer.java"));
    if jdk.major >= FIRST_WITH_FOREIGN {
        javac.arg(here.join("Foreign.java"));
    }
    check(javac)
}

/// Weaves one class after the other, each time into a new folder. Returns the last folder.
fn weave(folder: &Path) -> Result<PathBuf> {
    let mut from = folder.join("0");
    for (number, (class, call)) in WOVEN.iter().enumerate() {
        let into = folder.join((number + 1).to_string());
        let mut weave = traceloom(&["weave", "--include", class, "--call", call, "-o"]);
        weave.arg(&into).arg(&from);
        weave.arg("--map").arg(folder.join("methods.txt"));
        let output = weave.output()?;
        let errors = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{class} is not woven: {errors}");
        from = into;
    }
    Ok(from)
}

fn row(line: &str) -> Result<Row> {
    let fields: Vec<&str> = line.split('\t').collect();
    let &[name, best, median] = &fields[..] else {
        anyhow::bail!("CallCost printed {line:?}");
    };
    Ok(Row {
        name: name.to_owned(),
        best: best.parse()?,
        median: median.parse()?,
    })
}

fn print(report: &mut Report, major: u32, rows: &[Row]) -> Result<()> {
    report.table(
        &format!("A woven call that does nothing, in Java {major}"),
        &[
            "how",
            "ns, best",
            "ns, median",
            "more than two reads of the clock",
        ],
    );
    let clock = &rows.iter().find(|row| row.name.starts_with("two reads"));
    let clock = clock.context("CallCost did not read the clock")?.best;
    for row in rows {
        report.row(&[
            row.name.clone(),
            format!("{:.1}", row.best),
            format!("{:.1}", row.median),
            if row.best > clock {
                format!("{:.1} ns", row.best - clock)
            } else {
                "no".to_owned()
            },
        ]);
    }
    let jni = rows
        .iter()
        .find(|row| row.name.starts_with("woven, through JNI"));
    let more = jni.context("CallCost called nothing")?.best - clock;
    ensure!(
        more <= PROMISED_NS,
        "a woven call costs {more:.1} ns more than two reads of the clock; the limit is {PROMISED_NS} ns"
    );
    Ok(())
}

/// The cost of two reads of the processor's cycle counter, which is the recorder's clock if it runs evenly: the best of
/// several rounds, in ns of CPU time.
#[cfg(target_arch = "x86_64")]
fn counter_twice() -> Option<f64> {
    const TURNS: u32 = 100_000;
    let cpu_ns = || {
        let mut time = libc::timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        // SAFETY: `time` is valid for writes.
        unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
        time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
    };
    // SAFETY: every x86_64 processor has the instruction, and Linux lets programs use it.
    let read = || std::hint::black_box(unsafe { std::arch::x86_64::_rdtsc() });
    let round = |_| {
        let before = cpu_ns();
        for _ in 0..TURNS {
            read();
            read();
        }
        (cpu_ns() - before) / f64::from(TURNS)
    };
    (0..51).map(round).min_by(f64::total_cmp)
}

/// Not measured on other processors.
#[cfg(not(target_arch = "x86_64"))]
fn counter_twice() -> Option<f64> {
    None
}
