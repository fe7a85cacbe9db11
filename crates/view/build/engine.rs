//! Makes the engine: uses the prebuilt one of a published crate, or compiles `wasm/` with a second
//! cargo.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::Result;

const TARGET: &str = "wasm32-unknown-unknown";
const PACKAGE: &str = "traceloom-page-engine";

/// The sources of the engine, below the workspace.
const SOURCES: &[&str] = &[
    "Cargo.toml",
    "Cargo.lock",
    "crates/trace/Cargo.toml",
    "crates/trace/src",
    "crates/analyze/Cargo.toml",
    "crates/analyze/src",
    "crates/report/Cargo.toml",
    "crates/report/src",
    "crates/engine/Cargo.toml",
    "crates/engine/src",
    "crates/view/wasm",
];

/// The engine as gzipped WebAssembly; empty if this toolchain cannot compile it.
pub fn gzipped(here: &Path, out: &Path) -> Result<Vec<u8>> {
    let prebuilt = here.join("prebuilt/engine.wasm.gz");
    let is_checkout = here.join("wasm/Cargo.toml").exists();
    if prebuilt.exists() {
        println!("cargo::rerun-if-changed={}", prebuilt.display());
        if is_checkout {
            println!(
                "cargo::warning=reports get the engine in {}",
                prebuilt.display()
            );
        }
        return Ok(fs::read(prebuilt)?);
    }
    if !is_checkout {
        warn("this package of traceloom-view has no prebuilt engine");
        return Ok(Vec::new());
    }
    let workspace = here.ancestors().nth(2).ok_or("no workspace")?;
    for source in SOURCES {
        println!(
            "cargo::rerun-if-changed={}",
            workspace.join(source).display()
        );
    }
    if !has_target()? {
        return Ok(Vec::new());
    }
    gzip(&compile(workspace, out)?)
}

/// Compresses as gzip.
pub fn gzip(content: &[u8]) -> Result<Vec<u8>> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    gzip.write_all(content)?;
    Ok(gzip.finish()?)
}

/// The folder of the inner build, which several outer builds may share. It does not change the
/// engine.
const SHARED_FOLDER: &str = "TRACELOOM_ENGINE_TARGET_DIR";

/// Compiles the engine. A debug build uses a profile that compiles quickly.
fn compile(workspace: &Path, out: &Path) -> Result<Vec<u8>> {
    let is_release = env::var("PROFILE")? == "release";
    let profile = if is_release { "page" } else { "page-dev" };
    let target_dir = env::var_os(SHARED_FOLDER).map_or_else(|| out.join("engine"), PathBuf::from);
    let mut cargo = Command::new(env::var_os("CARGO").ok_or("no cargo")?);
    cargo
        .current_dir(workspace)
        .args(["build", "--quiet", "--locked", "--package", PACKAGE])
        .args(["--profile", profile, "--target", TARGET, "--target-dir"])
        .arg(&target_dir);
    set_environment(&mut cargo, workspace);
    let output = cargo.output()?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{PACKAGE} does not compile for {TARGET}:\n{message}").into());
    }
    let name = format!("{}.wasm", PACKAGE.replace('-', "_"));
    Ok(fs::read(target_dir.join(TARGET).join(profile).join(name))?)
}

/// Whether this toolchain has the target, after rustup installed it if necessary.
fn has_target() -> Result<bool> {
    let folder = target_folder()?;
    if folder.is_dir() {
        return Ok(true);
    }
    println!("cargo::warning=installing Rust's target {TARGET}, which reports need");
    let added = Command::new("rustup")
        .args(["target", "add", TARGET])
        .output();
    if added.is_ok_and(|output| output.status.success()) && folder.is_dir() {
        return Ok(true);
    }
    warn(&format!(
        "Rust's target {TARGET} is missing, and rustup cannot install it"
    ));
    // While this folder is missing, every build runs this script again.
    println!("cargo::rerun-if-changed={}", folder.display());
    Ok(false)
}

/// The folder of the target's standard library, if it is installed.
fn target_folder() -> Result<PathBuf> {
    let rustc = env::var_os("RUSTC").ok_or("no rustc")?;
    let args = ["--print", "target-libdir", "--target", TARGET];
    let folder = String::from_utf8(Command::new(rustc).args(args).output()?.stdout)?;
    Ok(PathBuf::from(folder.trim()))
}

fn warn(reason: &str) {
    println!("cargo::warning=this build cannot write reports: {reason}");
}

/// Removes settings of the outer build that must not affect the inner one: flags for another
/// target, or clippy instead of the compiler. Both builds share the jobserver.
fn set_environment(cargo: &mut Command, workspace: &Path) {
    const KEPT: [&str; 4] = [
        "CARGO",
        "CARGO_HOME",
        "CARGO_MAKEFLAGS",
        "CARGO_INCREMENTAL",
    ];
    const KEPT_STARTS: [&str; 4] = ["CARGO_NET", "CARGO_HTTP", "CARGO_REGISTR", "CARGO_SOURCE"];
    for (name, _) in env::vars_os() {
        let name = name.to_string_lossy();
        let is_kept =
            KEPT.contains(&&*name) || KEPT_STARTS.iter().any(|start| name.starts_with(start));
        if name.starts_with("CARGO") && !is_kept {
            cargo.env_remove(&*name);
        }
    }
    for name in ["RUSTFLAGS", "RUSTC_WORKSPACE_WRAPPER", "CLIPPY_ARGS"] {
        cargo.env_remove(name);
    }
    // Panic messages contain paths. Without this flag, every machine would produce a different
    // engine.
    let mut flags = vec![format!("--remap-path-prefix={}=", workspace.display())];
    if let Some(home) = cargo_home() {
        flags.push(format!("--remap-path-prefix={}=cargo", home.display()));
    }
    cargo.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f"));
}

fn cargo_home() -> Option<PathBuf> {
    let home = || Some(PathBuf::from(env::var_os("HOME")?).join(".cargo"));
    env::var_os("CARGO_HOME").map(PathBuf::from).or_else(home)
}
