//! Downloads and compiles Debian source packages.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use anyhow::{Context, Result, bail, ensure};

use crate::run::{apt_get, check, command, succeeds};

/// Installs Debian packages without asking.
pub fn install(packages: &[&str]) -> Result<()> {
    println!("installing as root: apt-get install {}", packages.join(" "));
    let line = [
        &["install", "--yes", "--quiet=2", "--no-install-recommends"],
        packages,
    ]
    .concat();
    if succeeds(apt_get(&line)) {
        return Ok(());
    }
    // A fresh machine has no package lists.
    check(apt_get(&["update", "--quiet=2"]))?;
    check(apt_get(&line))
}

/// Unpacks the source of a package into `folder/src`. Uses separate package lists, so that the
/// machine's own do not change.
pub fn unpack(package: &str, folder: &Path) -> Result<PathBuf> {
    let src = folder.join("src");
    if src.is_dir() {
        return Ok(src);
    }
    let apt = folder.join("apt");
    fs::create_dir_all(apt.join("lists/partial"))?;
    fs::create_dir_all(apt.join("archives/partial"))?;
    let (list, text) = source_list()?;
    fs::write(apt.join(list), text)?;
    let get = |args: &[&str]| {
        let mut command = apt_get(&["--quiet=2"]);
        command.current_dir(folder);
        for (name, path) in [
            ("Dir::Etc::SourceList", list),
            ("Dir::State::Lists", "lists"),
            ("Dir::Cache", "."),
        ] {
            command.arg(format!("--option={name}={}", apt.join(path).display()));
        }
        command.arg("--option=Dir::Etc::SourceParts=-").args(args);
        command
    };
    // An interrupted run leaves a part of the source, which apt-get would take for the whole.
    if let Ok(part) = unpacked(package, folder) {
        fs::remove_dir_all(part)?;
    }
    check(get(&["update"]))?;
    check(get(&["source", "--allow-unauthenticated=false", package]))?;
    fs::rename(unpacked(package, folder)?, &src)?;
    Ok(src)
}

/// The name and text of the machine's package list, changed to source packages.
fn source_list() -> Result<(&'static str, String)> {
    let Ok(text) = fs::read_to_string("/etc/apt/sources.list.d/debian.sources") else {
        let list = "/etc/apt/sources.list";
        let text = fs::read_to_string(list).with_context(|| list.to_owned())?;
        let lines = text.lines().filter_map(|line| line.strip_prefix("deb "));
        let lines = lines.map(|line| format!("deb-src {line}\n"));
        return Ok(("src.list", lines.collect()));
    };
    let lines = text.lines().map(|line| {
        if line.starts_with("Types:") {
            "Types: deb-src"
        } else {
            line
        }
    });
    Ok(("src.sources", lines.flat_map(|line| [line, "\n"]).collect()))
}

/// The folder that `apt-get source` created.
fn unpacked(package: &str, folder: &Path) -> Result<PathBuf> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if path.is_dir() && name.starts_with(&format!("{package}-")) {
            return Ok(path);
        }
    }
    bail!("the source of {package} did not unpack")
}

/// The folder in which Debian installs Android's libraries.
pub fn libraries() -> Result<PathBuf> {
    let output = command("dpkg-architecture", &["-qDEB_HOST_MULTIARCH"]).output()?;
    ensure!(output.status.success(), "dpkg-architecture failed");
    let multiarch = String::from_utf8(output.stdout)?;
    Ok(Path::new("/usr/lib").join(multiarch.trim()).join("android"))
}

/// Replaces `old`, which must occur exactly once, unless `new` is already there.
pub fn patch(file: &Path, old: &str, new: &str) -> Result<()> {
    let text = fs::read_to_string(file).with_context(|| file.display().to_string())?;
    if text.contains(new) {
        return Ok(());
    }
    let found = text.matches(old).count();
    ensure!(found == 1, "{}: {old} occurs {found} times", file.display());
    fs::write(file, text.replace(old, new))?;
    Ok(())
}

/// Compiles C and C++ sources in `folder`, two at a time. Returns the object files.
pub fn compile(folder: &Path, sources: &[&str], flags: &[&str], to: &Path) -> Result<Vec<PathBuf>> {
    fs::create_dir_all(to)?;
    let object = |source: &str| to.join(format!("{}.o", source.replace('/', "_")));
    let left = Mutex::new(sources.iter());
    let failed = AtomicBool::new(false);
    let work = || {
        loop {
            let next = left.lock().ok().and_then(|mut left| left.next().copied());
            let Some(source) = next.filter(|_| !failed.load(Ordering::Relaxed)) else {
                return;
            };
            let done = check(compiler(folder, source, flags, &object(source)));
            if let Err(error) = done {
                println!("{error:#}");
                failed.store(true, Ordering::Relaxed);
            }
        }
    };
    thread::scope(|scope| {
        scope.spawn(work);
        work();
    });
    ensure!(!failed.into_inner(), "a source does not compile");
    Ok(sources.iter().map(|source| object(source)).collect())
}

fn compiler(folder: &Path, source: &str, flags: &[&str], object: &Path) -> Command {
    let mut compiler = if source.ends_with(".c") {
        command("clang", &[])
    } else {
        command("clang++", &["-std=gnu++2a", "-fno-exceptions"])
    };
    if !source.ends_with(".c") {
        // Older headers included these.
        for header in ["atomic", "optional", "thread"] {
            compiler.args(["-include", header]);
        }
    }
    compiler.args(flags).args(["-c", source, "-o"]).arg(object);
    compiler.current_dir(folder);
    compiler
}
