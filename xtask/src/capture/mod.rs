//! `cargo xtask capture-fixture`: records examples/linux.ftrace on the running kernel, in a separate
//! trace instance, so that it does not disturb other recordings.

mod instance;
mod redact;
mod workload;

use anyhow::{Result, ensure};

use instance::Instance;

/// Committed files stay small.
const MAX_BYTES: usize = 300_000;

/// Records the workload and writes the file.
pub fn run() -> Result<()> {
    let instance = Instance::create("traceloom-fixture")?;
    // The trace shows the workload's name, not this program's.
    std::fs::write("/proc/self/comm", workload::MAIN)?;
    instance.enable(workload::WRITER)?;
    instance.start()?;
    let result = workload::run(&instance);
    instance.stop()?;
    result?;
    let text = redact::redact(&instance.read()?)?;
    ensure!(text.len() <= MAX_BYTES, "{} bytes are too many", text.len());
    let path = testkit::workspace_root().join("examples/linux.ftrace");
    std::fs::write(path, &text)?;
    println!("examples/linux.ftrace: {} lines", text.lines().count());
    Ok(())
}
