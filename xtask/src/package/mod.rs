//! `cargo xtask package`: packages every published crate, the page engine included.
//!
//! `traceloom-view` embeds the page engine, a WebAssembly module. A checkout compiles it with a
//! nested cargo; a package cannot, because the engine's crates are not inside it. So this task
//! compiles the engine from the sources at hand, places it in `crates/view/prebuilt` while cargo
//! packages, and removes it afterwards: a checkout never builds with an old engine.

mod installed;

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use testkit::workspace_root;

use installed::check_installation;

use crate::run::{cargo, check, command, printed, target_folder};

/// The engine's place in `crates/view`, and in its package.
const ENGINE: &str = "prebuilt/engine.wasm.gz";

/// Which build of the page engine goes into the packages.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Engine {
    /// For publishing.
    Release,
    /// For tests: quick to build.
    Debug,
}

/// Runs the task with its command line.
pub fn task(args: &[String]) -> Result<()> {
    let crates = run(Engine::Release)?;
    match args {
        [] => Ok(()),
        [check] if check == "--check" => check_installation(&crates),
        _ => bail!("usage: cargo xtask package [--check]"),
    }
}

/// Packages the crates with a debug build of the engine, and installs traceloom from them.
pub fn check_with_debug_engine() -> Result<()> {
    check_installation(&run(Engine::Debug)?)
}

/// Packages all published crates into `target/package` and returns their `.crate` files.
fn run(engine: Engine) -> Result<Vec<PathBuf>> {
    let engine = build_engine(engine)?;
    let prebuilt = Prebuilt::place(&engine)?;
    let mut args = vec![
        "package",
        "--workspace",
        "--no-verify",
        "--allow-dirty",
        "--quiet",
    ];
    let unpublished = unpublished()?;
    for name in &unpublished {
        args.extend(["--exclude", name]);
    }
    check(cargo(&args))?;
    drop(prebuilt);
    let crates = packaged()?;
    check_engine(&crates, &engine)?;
    for file in &crates {
        let kb = fs::metadata(file)?.len().div_ceil(1024);
        println!("{} ({kb} KB)", file.display());
    }
    Ok(crates)
}

/// The gzipped engine, compiled from the sources by the build script of `traceloom-view`.
fn build_engine(engine: Engine) -> Result<Vec<u8>> {
    remove_leftovers();
    // The debug build is that of the tests. If they have run, nothing is compiled here.
    let build: &[&str] = match engine {
        Engine::Release => &["build", "--release", "-p", "traceloom-view"],
        Engine::Debug => &[
            "test",
            "--no-run",
            "--test",
            "info",
            "--workspace",
            "--all-features",
        ],
    };
    let output = ["--quiet", "--message-format", "json"];
    let messages = printed(cargo(&[build, &output].concat()))?;
    let out_dir = messages.lines().find_map(out_dir_of_view);
    let file = out_dir.context("cargo did not run the build script of traceloom-view")?;
    let engine = fs::read(file.join("engine.wasm.gz"))?;
    ensure!(
        !engine.is_empty(),
        "the build has no page engine, because the wasm target is missing"
    );
    Ok(engine)
}

/// The output folder of the view's build script, if this message of cargo is about it.
fn out_dir_of_view(message: &str) -> Option<PathBuf> {
    let message: Value = serde_json::from_str(message).ok()?;
    let is_view = message["reason"] == "build-script-executed"
        && message["package_id"].as_str()?.contains("crates/view#");
    is_view.then(|| message["out_dir"].as_str().map(PathBuf::from))?
}

fn prebuilt_folder() -> PathBuf {
    workspace_root().join("crates/view/prebuilt")
}

/// Removes the engine that a killed run has left in the checkout, where builds would use it.
pub fn remove_leftovers() {
    _ = fs::remove_dir_all(prebuilt_folder());
}

/// The engine in `crates/view/prebuilt`, removed when dropped.
struct Prebuilt;

impl Prebuilt {
    fn place(engine: &[u8]) -> Result<Self> {
        fs::create_dir_all(prebuilt_folder())?;
        let placed = Self;
        fs::write(workspace_root().join("crates/view").join(ENGINE), engine)?;
        Ok(placed)
    }
}

impl Drop for Prebuilt {
    fn drop(&mut self) {
        remove_leftovers();
    }
}

/// The names of the workspace's packages with `publish = false`.
fn unpublished() -> Result<Vec<String>> {
    let metadata = printed(cargo(&["metadata", "--no-deps", "--format-version", "1"]))?;
    let metadata: Value = serde_json::from_str(&metadata)?;
    let packages = metadata["packages"]
        .as_array()
        .context("cargo metadata lists no packages")?;
    let unpublished = packages
        .iter()
        .filter(|package| package["publish"].is_array());
    Ok(unpublished
        .filter_map(|package| Some(package["name"].as_str()?.to_owned()))
        .collect())
}

/// The `.crate` files of this version.
fn packaged() -> Result<Vec<PathBuf>> {
    let ending = format!("-{}.crate", env!("CARGO_PKG_VERSION"));
    let folder = target_folder().join("package");
    let files = fs::read_dir(&folder)?.map(|entry| Ok(entry?.path()));
    let mut crates = files.collect::<Result<Vec<_>>>()?;
    crates.retain(|path| path.to_string_lossy().ends_with(&ending));
    crates.sort();
    Ok(crates)
}

/// Checks that the package of `traceloom-view` carries the engine that was just compiled.
fn check_engine(crates: &[PathBuf], engine: &[u8]) -> Result<()> {
    // The folders above may have any name.
    let is_view = |path: &&PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("traceloom-view-")
    };
    let view = crates
        .iter()
        .find(is_view)
        .context("traceloom-view was not packaged")?;
    let inside = format!("traceloom-view-{}/{ENGINE}", env!("CARGO_PKG_VERSION"));
    let tar = command("tar", &["-xOzf", &view.display().to_string(), &inside]).output()?;
    ensure!(
        tar.stdout == engine,
        "{} does not carry the engine of this checkout",
        view.display()
    );
    Ok(())
}
