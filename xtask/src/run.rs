//! Starts programs.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// A command in the workspace folder, without standard input.
pub fn command(program: &str, args: &[&str]) -> Command {
    let mut command = Command::new(program);
    command
        .args(args)
        .current_dir(testkit::workspace_root())
        .stdin(Stdio::null());
    command
}

/// The cargo that runs this program. Builds for different targets share one page engine.
pub fn cargo(args: &[&str]) -> Command {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let mut cargo = command(&cargo, args);
    cargo.env(
        "TRACELOOM_ENGINE_TARGET_DIR",
        target_folder().join("engine"),
    );
    cargo
}

/// apt-get without questions. It waits while another program installs packages, and retries downloads.
pub fn apt_get(args: &[&str]) -> Command {
    let patient = [
        "--option=Acquire::Retries=5",
        "--option=DPkg::Lock::Timeout=600",
    ];
    let mut apt = command("apt-get", &patient);
    apt.args(args).env("DEBIAN_FRONTEND", "noninteractive");
    apt
}

/// The folder of all built and generated files. Cargo uses the same environment variable.
pub fn target_folder() -> PathBuf {
    let folder = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    testkit::workspace_root().join(folder)
}

/// A second build folder. Cargo locks each build folder, so only builds in different folders run at the same time.
pub fn second_build_folder() -> PathBuf {
    target_folder().join("second")
}

/// Runs a command until it ends. A non-zero exit status is an error.
pub fn check(mut command: Command) -> Result<()> {
    let line = shown(&command);
    let status = command
        .status()
        .with_context(|| format!("cannot start {line}"))?;
    if !status.success() {
        bail!("{line}: {status}");
    }
    Ok(())
}

/// Runs a command until it ends and returns its standard output. Its standard error is not captured.
pub fn printed(mut command: Command) -> Result<String> {
    let line = shown(&command);
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("cannot start {line}"))?;
    if !output.status.success() {
        bail!("{line}: {}", output.status);
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// Whether the command succeeds; false if the program is missing. Its output is dropped.
pub fn succeeds(mut command: Command) -> bool {
    let quiet = command.stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

/// Whether a program is found on the search path.
pub fn have(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// The command as typed in a shell.
pub fn shown(command: &Command) -> String {
    let program = std::path::Path::new(command.get_program());
    let name = program.file_name().unwrap_or(program.as_os_str());
    let mut words = vec![name.to_string_lossy()];
    words.extend(command.get_args().map(|arg| arg.to_string_lossy()));
    words.join(" ")
}
