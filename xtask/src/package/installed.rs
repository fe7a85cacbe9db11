//! Installs the packaged crates as `cargo install traceloom` would, and writes a report.
//!
//! The registry is a folder: `cargo vendor` fills it with the third-party crates, and the packaged crates are unpacked
//! next to them. The compiler is replaced by one that fails for WebAssembly. So the engine can only come from the
//! package.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use sha2::{Digest, Sha256};
use testkit::workspace_root;

use crate::run::{cargo, check, command};

/// Installs traceloom from `crates` into an empty folder and writes a report with it.
pub fn check_installation(crates: &[PathBuf]) -> Result<()> {
    let scratch = workspace_root().join("target/package-check");
    let registry = scratch.join("registry");
    let root = scratch.join("installed");
    // Cargo assumes that a registry package of the same version is unchanged, so earlier builds must be removed, too.
    if scratch.exists() {
        fs::remove_dir_all(&scratch).with_context(|| scratch.display().to_string())?;
    }
    vendor(&registry)?;
    for package in crates {
        add(package, &registry)?;
    }
    install(&scratch, &registry, &root)?;
    write_report(&root)
}

/// Copies the third-party crates of Cargo.lock into the registry folder.
fn vendor(registry: &Path) -> Result<()> {
    let folder = registry.display().to_string();
    check(cargo(&[
        "vendor",
        "--quiet",
        "--locked",
        "--versioned-dirs",
        &folder,
    ]))
}

/// Unpacks a `.crate` into the registry folder, with the checksum file that cargo expects.
fn add(package: &Path, registry: &Path) -> Result<()> {
    let (file, into) = (
        package.display().to_string(),
        registry.display().to_string(),
    );
    check(command("tar", &["-xzf", &file, "-C", &into]))?;
    let checksum = format!("{:x}", Sha256::digest(fs::read(package)?));
    let folder = registry.join(package.file_stem().unwrap_or_default());
    let checksums = serde_json::json!({ "files": {}, "package": checksum });
    Ok(fs::write(
        folder.join(".cargo-checksum.json"),
        checksums.to_string(),
    )?)
}

/// Runs `cargo install traceloom` with the folder in place of the registry.
fn install(scratch: &Path, registry: &Path, root: &Path) -> Result<()> {
    let source = format!(
        "source.packaged.directory={:?}",
        registry.display().to_string()
    );
    let root = root.display().to_string();
    let version = env!("CARGO_PKG_VERSION");
    let mut install = cargo(&[
        "install",
        "traceloom",
        "--version",
        version,
        "--debug",
        "--locked",
        "--offline",
        "--quiet",
        "--config",
        "source.crates-io.replace-with='packaged'",
        "--config",
        &source,
        "--root",
        &root,
    ]);
    install.current_dir(scratch);
    install.env("CARGO_TARGET_DIR", scratch.join("target"));
    // Nobody debugs this program.
    install.env("CARGO_PROFILE_DEV_DEBUG", "false");
    install.env("RUSTC_WRAPPER", refuse_wasm(scratch)?);
    check(install)
}

/// A compiler wrapper that fails for WebAssembly, like a machine without that target.
fn refuse_wasm(scratch: &Path) -> Result<PathBuf> {
    let path = scratch.join("rustc-without-wasm");
    // Only `--target` counts, because a feature may also have `wasm32` in its name.
    let script = "#!/bin/sh\ncase \"$*\" in *'--target wasm32'*) echo 'no wasm32 here' >&2; exit 1;; esac\nexec \"$@\"\n";
    fs::write(&path, script)?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
    Ok(path)
}

fn write_report(root: &Path) -> Result<()> {
    let report = root.join("app.html").display().to_string();
    let program = root.join("bin/traceloom").display().to_string();
    check(command(
        &program,
        &["report", "examples/app.trace", "-o", &report],
    ))?;
    let page = fs::read_to_string(&report)?;
    ensure!(
        page.contains("id=\"traceloom-engine\""),
        "{report} carries no page engine"
    );
    println!(
        "the installed program wrote a report of {} KB",
        page.len() / 1024
    );
    Ok(())
}
