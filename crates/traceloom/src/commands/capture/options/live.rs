//! The options of the live view.

/// Options of the live view.
#[derive(clap::Args, Clone, Debug)]
pub struct LiveArgs {
    /// Show the recording in the browser while it runs: the last 30 seconds, or the time of --ring
    ///
    /// When the recording ends, the whole trace is written and shown until Ctrl-C.
    #[arg(long, help_heading = "Live")]
    pub live: bool,

    /// Port to serve the page on [default: a free one]
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        hide_default_value = true,
        requires = "live",
        help_heading = "Live"
    )]
    pub port: u16,

    /// Print the URL without opening a browser
    #[arg(long, requires = "live", help_heading = "Live")]
    pub no_open: bool,
}
