//! The options of `capture` for a BattOr power meter.

use std::path::PathBuf;

use anyhow::{Result, bail};

/// Whether this program can use a BattOr.
const IS_SUPPORTED: bool = cfg!(all(target_os = "linux", feature = "battor"));

/// Options for a BattOr. Without support they are accepted, since systrace had them, but hidden.
#[derive(clap::Args, Clone, Debug)]
pub struct BattorArgs {
    /// Measure the power that the device draws from its battery, with a BattOr
    #[arg(long, hide = !IS_SUPPORTED, help_heading = "Beside the trace")]
    pub battor: bool,

    /// Serial port of the BattOr, such as /dev/ttyUSB0 [default: the only BattOr that is attached]
    #[arg(
        long,
        value_name = "FILE",
        hide = !IS_SUPPORTED,
        help_heading = "Beside the trace"
    )]
    pub battor_path: Option<PathBuf>,

    /// JSON file that maps devices to BattOrs, if several are attached: [{"phone": SERIAL, "battor": SERIAL}]
    #[arg(
        long,
        value_name = "FILE",
        default_value = "serial_map.json",
        hide = !IS_SUPPORTED,
        help_heading = "Beside the trace"
    )]
    pub serial_map: PathBuf,

    // systrace accepted it without effect.
    #[arg(long, hide = true)]
    pub battor_categories: Option<String>,
}

impl BattorArgs {
    /// Checks that a measurement is possible, unless an existing file is converted.
    ///
    /// # Errors
    /// If this program does not support BattOrs.
    pub fn check(&self, is_from_file: bool) -> Result<()> {
        if !self.battor || is_from_file || IS_SUPPORTED {
            return Ok(());
        }
        if cfg!(target_os = "linux") {
            bail!("this build has no BattOr support: build traceloom with --features battor");
        }
        bail!("--battor needs Linux");
    }
}
