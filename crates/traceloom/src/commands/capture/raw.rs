//! `--raw`: options for recording the kernel's raw pages.

use anyhow::{Result, bail};
use traceloom_capture::raw::RawOptions;

use super::args::{CaptureArgs, OutputKind};

/// Options for recording raw pages.
#[derive(clap::Args, Clone, Debug)]
pub struct RawArgs {
    /// Record the kernel's raw pages instead of text: cheaper, and implied by -o FILE.dat
    ///
    /// On a device this needs traceloom's own atrace: add --push-agent.
    #[arg(long, help_heading = "Pages")]
    pub raw: bool,

    /// Version of the .dat file [default: 6, which every reader supports]
    #[arg(long, value_name = "6|7", value_parser = ["6", "7"], help_heading = "Pages")]
    pub raw_version: Option<String>,

    /// Compress a .dat file of version 7
    #[arg(long, value_name = "HOW", value_parser = ["none", "zlib", "zstd"], help_heading = "Pages")]
    pub raw_compression: Option<String>,
}

impl RawArgs {
    /// The options for the recorder.
    pub fn options(&self) -> RawOptions {
        RawOptions {
            version: self.raw_version.clone(),
            compression: self.raw_compression.clone(),
        }
    }
}

impl CaptureArgs {
    /// Whether raw pages are recorded.
    pub fn is_raw(&self) -> bool {
        self.raw.raw || self.kind().is_ok_and(|kind| kind == OutputKind::Dat)
    }

    /// Refuses options that cannot be combined with raw pages.
    ///
    /// # Errors
    /// Names the option.
    pub fn check_raw(&self) -> Result<()> {
        let (version, packed) = (&self.raw.raw_version, &self.raw.raw_compression);
        if !self.is_raw() {
            if version.is_some() || packed.is_some() {
                bail!("--raw-version and --raw-compression are for --raw, or for -o FILE.dat");
            }
            return Ok(());
        }
        if self.from_file.is_some() {
            bail!("--raw records pages; it cannot convert a file");
        }
        if self.is_live() {
            bail!("--live, --ring and --until read text and cannot be combined with raw pages");
        }
        if self.method.method.is_some() && self.chosen().is_empty() {
            bail!(
                "--raw applies to the system trace: add categories to record one beside --method"
            );
        }
        let is_packed = packed.as_ref().is_some_and(|name| name != "none");
        if version.as_deref() == Some("6") && is_packed {
            bail!("version 6 of trace.dat has no compression; use --raw-version 7");
        }
        Ok(())
    }
}
