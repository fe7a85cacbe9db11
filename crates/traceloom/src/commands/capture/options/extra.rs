//! The options of the recorders that run next to the trace.

use super::battor::BattorArgs;

/// Options of the additional recorders.
#[derive(clap::Args, Clone, Debug)]
pub struct ExtraArgs {
    /// Record processes, their threads and their memory at intervals
    #[arg(long, help_heading = "Beside the trace")]
    pub process_dump: bool,

    /// Interval in milliseconds [default: 5000]
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u32).range(100..), help_heading = "Beside the trace")]
    pub process_dump_interval: Option<u32>,

    /// Record detailed memory of these processes: all, apps, or names separated by commas
    #[arg(
        long,
        value_name = "all|apps|NAME,…",
        help_heading = "Beside the trace"
    )]
    pub process_dump_full: Option<String>,

    /// List the memory mappings of the processes of --process-dump-full
    #[arg(long, help_heading = "Beside the trace")]
    pub process_dump_mmaps: bool,

    /// Include the measurements of the WALT app: latencies of touch, display and sound
    #[arg(long, help_heading = "Beside the trace")]
    pub walt: bool,

    #[command(flatten)]
    pub battor: BattorArgs,
}
