//! Not written yet.

/// Says so.
pub fn run() -> anyhow::Result<()> {
    anyhow::bail!("not written yet")
}
