//! Recording pages: what can be asked for, and what does not go with it.

use anyhow::{Result, bail};
use traceloom_capture::raw::RawOptions;

use super::args::{CaptureArgs, OutputKind};

/// Choices for recording pages.
#[derive(clap::Args, Clone, Debug)]
pub struct RawArgs {
    /// Record the kernel's own pages instead of text: cheaper, and what -o FILE.dat writes
    ///
    /// On a device it needs traceloom's own atrace there: --push-agent.
    #[arg(long, help_heading = "Pages")]
    pub raw: bool,

    /// The version of the .dat file [default: 6, which every reader knows]
    #[arg(long, value_name = "6|7", value_parser = ["6", "7"], help_heading = "Pages")]
    pub raw_version: Option<String>,

    /// Pack version 7 of the .dat file
    #[arg(long, value_name = "HOW", value_parser = ["none", "zlib", "zstd"], help_heading = "Pages")]
    pub raw_compression: Option<String>,
}

impl RawArgs {
    /// What the recorder is told.
    pub fn options(&self) -> RawOptions {
        RawOptions {
            version: self.raw_version.clone(),
            compression: self.raw_compression.clone(),
        }
    }
}

impl CaptureArgs {
    /// Whether pages are recorded.
    pub fn is_raw(&self) -> bool {
        self.raw.raw || self.kind().is_ok_and(|kind| kind == OutputKind::Dat)
    }

    /// Refuses what does not go with pages.
    ///
    /// # Errors
    /// Says what.
    pub fn check_raw(&self) -> Result<()> {
        let (version, packed) = (&self.raw.raw_version, &self.raw.raw_compression);
        if !self.is_raw() {
            if version.is_some() || packed.is_some() {
                bail!("--raw-version and --raw-compression are for --raw, or for -o FILE.dat");
            }
            return Ok(());
        }
        if self.from_file.is_some() {
            bail!("pages are recorded; no file can be turned into them");
        }
        if self.is_live() {
            bail!("--live, --ring and --until read text while it comes; they do not go with pages");
        }
        if self.method.method.is_some() && self.chosen().is_empty() {
            bail!("--raw is for the system's trace: name categories to record it beside --method");
        }
        let is_packed = packed.as_ref().is_some_and(|name| name != "none");
        if version.as_deref() == Some("6") && is_packed {
            bail!("version 6 of trace.dat has no compression; --raw-version 7 has");
        }
        Ok(())
    }
}
