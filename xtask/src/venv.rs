//! Python virtual environments, in the build folder.

use std::path::PathBuf;
use std::process::Command;

use crate::run::{check, command, succeeds};

/// Fails unless the packages in its arguments are installed in these versions.
const ARE_INSTALLED: &str = "import importlib.metadata as m, sys; \
     sys.exit(any(m.version(n) != v for n, v in (p.split('==') for p in sys.argv[1:])))";

/// Arguments of Python for `pip install`, with retries and a timeout for a slow registry.
const PIP_INSTALL: &[&str] = &[
    "-m",
    "pip",
    "install",
    "--quiet",
    "--disable-pip-version-check",
    "--retries=5",
    "--timeout=30",
];

/// An environment, which may not exist yet.
pub struct Venv {
    pub folder: PathBuf,
}

impl Venv {
    /// A program of the environment.
    pub fn program(&self, name: &str, args: &[&str]) -> Command {
        let path = self.folder.join("bin").join(name).display().to_string();
        let mut command = command(&path, args);
        command.env("VIRTUAL_ENV", &self.folder);
        command
    }

    /// Whether all packages are installed, each `name==version`.
    pub fn has(&self, packages: &[&str]) -> bool {
        succeeds(self.program("python3", &[&["-c", ARE_INSTALLED], packages].concat()))
    }

    /// Creates the environment and installs the packages, unless all of them are there. Prints why it cannot.
    pub fn ensure(&self, packages: &[&str]) {
        if self.has(packages) {
            return;
        }
        let folder = self.folder.display().to_string();
        println!("installing Python packages into {folder}");
        let installed = self.create(&folder).and_then(|()| {
            let args = [PIP_INSTALL, packages].concat();
            check(self.program("python3", &args))
        });
        if let Err(error) = installed {
            println!("{error:#}");
        }
    }

    /// Creates the environment, unless it exists and its pip runs. An interrupted run may have left
    /// one without pip. An environment of another version of Python does not start.
    fn create(&self, folder: &str) -> anyhow::Result<()> {
        if succeeds(self.program("python3", &["-m", "pip", "--version"])) {
            return Ok(());
        }
        check(command("python3", &["-m", "venv", "--clear", folder]))
    }
}
