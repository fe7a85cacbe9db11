//! The wheel of the Python package, and the environment in which it is tested and measured.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::run::{check, have, second_build_folder, target_folder};
use crate::venv::Venv;

/// The packages that the tests need. The versions are fixed, so that a new release does not break the tests.
const PACKAGES: &[&str] = &[
    "maturin==1.16.0",
    "pytest==9.2.0",
    "mypy==2.4.1",
    "pyarrow==26.0.1",
    "pandas==3.1.1",
    "polars==2.1.0",
    "duckdb==2.0.1",
    "perfetto==0.59.1",
    "pyspark==4.3.0",
    "nbclient==0.11.0",
    "nbformat==5.11.1",
    "ipykernel==7.4.0",
];

/// A Python environment in the build folder, and the folder with the wheels built for it.
pub struct Wheels {
    folder: PathBuf,
    venv: Venv,
}

impl Wheels {
    /// Creates the virtual environment and installs the packages that are missing, all in the build folder.
    ///
    /// # Errors
    /// What is missing.
    pub fn new() -> Result<Self, String> {
        if !have("python3") {
            return Err("python3 is missing (Debian package: python3 python3-venv)".to_owned());
        }
        let folder = target_folder().join("pytraceloom");
        let venv = Venv {
            folder: folder.join("venv"),
        };
        let wheels = Self { folder, venv };
        wheels.venv.ensure(PACKAGES);
        if wheels.venv.has(PACKAGES) {
            return Ok(wheels);
        }
        let packages = PACKAGES.join(" ");
        let why = "no network, or the Debian package python3-venv is missing?";
        Err(format!(
            "pip cannot install packages of PyPI ({why}): {packages}"
        ))
    }

    /// A file in the folder of the built files.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// A program of the environment.
    pub fn program(&self, name: &str, args: &[&str]) -> Command {
        self.venv.program(name, args)
    }

    /// Cargo on the package's own workspace.
    pub fn cargo(&self, args: &[&str]) -> Command {
        let mut cargo = crate::run::cargo(args);
        cargo.args(["--manifest-path", &manifest()]);
        self.with_build_folders(&mut cargo);
        cargo
    }

    /// Builds the wheel with one of cargo's profiles, and installs it into the environment.
    ///
    /// # Errors
    /// If it does not build.
    pub fn build(&self, profile: &str) -> Result<PathBuf> {
        let out = self.file("wheels");
        if out.exists() {
            std::fs::remove_dir_all(&out)?;
        }
        let out_name = out.display().to_string();
        let args = ["build", "--profile", profile, "--out", &out_name];
        let mut maturin = self.program("maturin", &args);
        maturin.args(["--manifest-path", &manifest()]);
        self.with_build_folders(&mut maturin);
        check(maturin)?;
        let wheel = std::fs::read_dir(&out)?.next();
        let wheel = wheel.context("maturin built no wheel")??.path();
        let pip = ["-m", "pip", "install", "--quiet", "--no-deps"];
        let name = wheel.display().to_string();
        let args = [&pip[..], &["--no-index", "--force-reinstall", &name]].concat();
        check(self.program("python3", &args))?;
        Ok(wheel)
    }

    fn with_build_folders(&self, command: &mut Command) {
        command.env("CARGO_TARGET_DIR", second_build_folder());
        let engine = target_folder().join("engine");
        command.env("TRACELOOM_ENGINE_TARGET_DIR", engine);
    }
}

/// The folder of the package.
pub fn package() -> PathBuf {
    testkit::workspace_root().join("crates/python")
}

fn manifest() -> String {
    let manifest: &Path = &package().join("Cargo.toml");
    manifest.display().to_string()
}
