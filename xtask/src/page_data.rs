//! `cargo xtask page-data`: synthetic traces for the page's tests.

use std::fs;

use anyhow::{Context, Result};

/// Writes them to target/page-tests/data.
pub fn run() -> Result<()> {
    let folder = testkit::workspace_root().join("target/page-tests/data");
    fs::create_dir_all(&folder).with_context(|| format!("{}", folder.display()))?;
    for extreme in testkit::extremes() {
        let path = folder.join(extreme.name);
        fs::write(&path, extreme.bytes).with_context(|| format!("{}", path.display()))?;
    }
    Ok(())
}
