//! `--raw`: options for recording the kernel's raw pages.

use traceloom_capture::raw::RawOptions;

/// Options for recording raw pages.
#[derive(clap::Args, Clone, Debug)]
pub struct RawArgs {
    /// Record the kernel's raw pages instead of text: cheaper, and implied by -o FILE.dat
    ///
    /// Without it, this machine is recorded as text if the whole recording fits into the kernel's buffer.
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
