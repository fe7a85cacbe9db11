//! `cargo xtask device atrace`: builds programs of Android's for this machine, as judges to compare
//! with. Their source is Debian's package `android-platform-tools`; what they need of a device and
//! this machine lacks is stood in for. Root and Debian are needed; elsewhere the tests that compare
//! skip themselves.

mod atrace;
mod source;

use std::path::PathBuf;

use anyhow::{Result, bail};

/// Builds what is named.
pub fn run(args: &[String]) -> Result<()> {
    match args {
        [name] if name == "atrace" => {
            let path = atrace::build()?;
            println!("{}", path.display());
            Ok(())
        }
        _ => bail!("device knows atrace"),
    }
}

/// Builds everything that is missing; what could not be built is an error.
pub fn set_up() -> Result<()> {
    atrace::build().map(drop)
}

/// Where the programs are.
fn folder() -> PathBuf {
    testkit::workspace_root().join("target/device")
}
