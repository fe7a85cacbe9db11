//! `cargo xtask fixtures`: the generated files of examples/, and the systrace page of the recorded one.

use anyhow::{Context, Result};
use testkit::{DatCompression, Machine};

use crate::run::{cargo, check};

/// Text of a system trace. Compressed, because its three megabytes are too large for a repository.
const JANK: &str = "examples/jank.ftrace.gz";

/// Ring buffer pages as trace-cmd records them.
const DAT: &str = "examples/app.dat";

/// Writes the files. The result is always the same.
pub fn run() -> Result<()> {
    let trace = testkit::app_trace();
    let path = testkit::workspace_root().join("examples/app.trace");
    std::fs::write(&path, trace.to_bytes()).with_context(|| format!("{}", path.display()))?;
    println!("examples/app.trace: {} records", trace.records.len());
    jank()?;
    std::fs::write(testkit::workspace_root().join(DAT), dat()).context(DAT)?;
    println!("{DAT}: {} events", testkit::small_dat_events().len());
    page()
}

/// A small recording with every kind of event that the testkit can generate.
fn dat() -> Vec<u8> {
    testkit::small_dat(7, Machine::USUAL, DatCompression::Zstd).to_bytes()
}

/// A system trace of a list that scrolls with jank.
fn jank() -> Result<()> {
    let text = testkit::jank_trace();
    let path = testkit::workspace_root().join(JANK);
    std::fs::write(&path, testkit::gzip(text.as_bytes()))
        .with_context(|| format!("{}", path.display()))?;
    println!("{JANK}: {} lines", text.lines().count());
    Ok(())
}

/// The recorded system trace as a systrace page.
fn page() -> Result<()> {
    const FROM: &str = "examples/linux.ftrace";
    const TO: &str = "examples/linux.html";
    let program = ["run", "--quiet", "-p", "traceloom", "--"];
    let convert = ["convert", FROM, "-o", TO];
    check(cargo(&[&program[..], &convert].concat()))?;
    println!("{TO}: from {FROM}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{DAT, JANK};

    #[test]
    fn the_committed_dat_is_up_to_date() {
        let path = testkit::workspace_root().join(DAT);
        let committed = std::fs::read(path).expect("run `cargo xtask fixtures`");
        assert!(
            committed == super::dat(),
            "{DAT} is out of date: run `cargo xtask fixtures`"
        );
    }

    #[test]
    fn the_committed_jank_is_up_to_date() {
        let path = testkit::workspace_root().join(JANK);
        let committed = std::fs::read(path).expect("run `cargo xtask fixtures`");
        // Another version of the compressor may compress the same text differently.
        assert!(
            testkit::gunzip(&committed) == testkit::jank_trace().as_bytes(),
            "{JANK} is out of date: run `cargo xtask fixtures`"
        );
    }

    #[test]
    fn the_committed_trace_is_up_to_date() {
        let path = testkit::workspace_root().join("examples/app.trace");
        let committed = std::fs::read(path).expect("run `cargo xtask fixtures`");
        assert!(
            committed == testkit::app_trace().to_bytes(),
            "examples/app.trace is out of date: run `cargo xtask fixtures`"
        );
    }
}
