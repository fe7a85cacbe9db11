//! `--perfetto`: options for recording with the device's own perfetto.

/// Options for recording with perfetto.
#[derive(clap::Args, Clone, Debug)]
pub struct PerfettoArgs {
    /// Record with the device's own perfetto instead of atrace (Android 9); implied by -o FILE.pftrace
    ///
    /// The trace is written to a file on the device, so that no buffer limits its length.
    #[arg(long, help_heading = "Perfetto")]
    pub perfetto: bool,

    /// Record the log too
    #[arg(long, help_heading = "Perfetto")]
    pub logcat: bool,

    /// Print the configuration for these options instead of recording; edit it, and use it with --config
    #[arg(long, help_heading = "Perfetto")]
    pub print_config: bool,
}
