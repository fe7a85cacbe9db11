//! `cargo xtask fixtures`: the files of examples/ that are made, not recorded.

use anyhow::{Context, Result};

/// Writes them; the same bytes each time.
pub fn run() -> Result<()> {
    let trace = testkit::app_trace();
    let path = testkit::workspace_root().join("examples/app.trace");
    std::fs::write(&path, trace.to_bytes()).with_context(|| format!("{}", path.display()))?;
    println!("examples/app.trace: {} records", trace.records.len());
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_committed_trace_is_the_one_that_is_made() {
        let path = testkit::workspace_root().join("examples/app.trace");
        let committed = std::fs::read(path).expect("run `cargo xtask fixtures`");
        assert!(
            committed == testkit::app_trace().to_bytes(),
            "examples/app.trace is out of date: run `cargo xtask fixtures`"
        );
    }
}
