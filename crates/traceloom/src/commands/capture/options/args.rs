//! The options of `traceloom capture`.

use std::path::{Path, PathBuf};

use anyhow::Result;
use traceloom_capture::agents::ExtraBuffer;
use traceloom_capture::live::Trigger;

#[cfg(target_os = "linux")]
use super::super::detached::Detached;
use super::extra::ExtraArgs;
use super::kind::{OutputKind, is_options_file};
use super::live::LiveArgs;
use super::parse::{parse_buffer, parse_filter, parse_trigger};
use super::perfetto::PerfettoArgs;
use super::probes::ProbeArgs;
use super::raw::RawArgs;
use crate::times::{parse_number, parse_time};

/// Record a device over adb, or this machine
///
/// Accepts the options of systrace. Without --time, it records until Enter or Ctrl-C.
#[derive(clap::Args, Clone, Debug)]
pub struct CaptureArgs {
    /// Categories to record; -l lists them [default: systrace's categories]
    #[arg(value_name = "CATEGORY")]
    pub categories: Vec<String>,

    /// The file to write: .html, .json, .txt, .gz, .dat or .pftrace [default: trace.html, or trace.json with --json]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Take options from this file (.toml); any other file is a configuration for --perfetto
    ///
    /// Each key is the name of a long option, such as time = 5 or event = ["block/block_rq_issue"].
    /// The keys categories and command are lists: CATEGORY and COMMAND of the command line. Options on
    /// the command line win. A configuration for --perfetto is a TraceConfig, as text or binary; it
    /// says what is recorded.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,

    /// Write systrace's JSON
    #[arg(short, long)]
    pub json: bool,

    /// Record for N seconds
    #[arg(short, long, value_name = "N", value_parser = parse_number::<u32>)]
    pub time: Option<u32>,

    /// Keep only the last TIME (30s, 500ms), until Enter, Ctrl-C or --until
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub ring: Option<i64>,

    /// Stop at this event: 'slice:NAME>32ms' (a slice that took longer) or 'event:NAME'; NAME may end in *
    #[arg(long, value_name = "WHAT", value_parser = parse_trigger)]
    pub until: Option<Trigger>,

    #[command(flatten)]
    pub live: LiveArgs,

    /// Buffer size per CPU in KB
    #[arg(short, long, visible_alias = "buffer-size", value_name = "KB", value_parser = clap::value_parser!(u32).range(1..))]
    pub buf_size: Option<u32>,

    /// List the categories that can be recorded
    #[arg(short, long)]
    pub list_categories: bool,

    /// What to record: android (over adb) or linux (this machine)
    #[arg(long, value_name = "TARGET", default_value = "android")]
    pub target: Target,

    /// Read a trace from a file instead of recording
    #[arg(long, value_name = "FILE")]
    pub from_file: Option<PathBuf>,

    #[command(flatten)]
    pub android: AndroidArgs,

    #[command(flatten)]
    pub method: MethodArgs,

    #[command(flatten)]
    pub linux: LinuxArgs,

    #[command(flatten)]
    pub extra: ExtraArgs,

    #[command(flatten)]
    pub raw: RawArgs,

    #[command(flatten)]
    pub perfetto: PerfettoArgs,

    /// Also trace these functions of the kernel, separated by commas
    #[arg(short, long, visible_alias = "ktrace", value_name = "F,…")]
    pub ktr: Option<String>,

    /// Seconds that a recorder may take to start or stop [default: 20]
    #[arg(long, value_name = "S", value_parser = parse_number::<u32>, help_heading = "Limits")]
    pub timeout: Option<u32>,

    /// Seconds that a recorder may take to deliver its data [default: 600]
    #[arg(long, value_name = "S", value_parser = parse_number::<u32>, help_heading = "Limits")]
    pub collection_timeout: Option<u32>,

    /// Record while this command runs
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<String>,

    #[command(flatten)]
    pub old: OldArgs,

    /// The connection of a recorder in the background.
    #[cfg(target_os = "linux")]
    #[arg(skip)]
    pub detached: Option<Detached>,
}

/// The machine to record.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// An Android device, over adb
    Android,
    /// This machine
    Linux,
}

/// Options for Android devices.
#[derive(clap::Args, Clone, Debug)]
pub struct AndroidArgs {
    /// Serial number of the device, if several are connected [env: ANDROID_SERIAL]
    #[arg(short = 'e', long, value_name = "SERIAL", help_heading = "Android")]
    pub serial: Option<String>,

    /// Apps whose own sections are recorded, separated by commas
    #[arg(short, long, value_name = "APP,…", help_heading = "Android")]
    pub app: Option<String>,

    /// Categories, separated by commas
    #[arg(
        long,
        value_name = "CATEGORY,…",
        value_delimiter = ',',
        help_heading = "Android"
    )]
    pub atrace_categories: Vec<String>,

    /// Fetch a recording from a device that was lost before it handed over the trace
    ///
    /// The device keeps a stopped recording for the time of --collection-timeout, and then restores its
    /// settings.
    #[arg(long, conflicts_with_all = ["live", "ring", "until", "from_file", "raw"], help_heading = "Android")]
    pub resume: bool,

    /// Record with traceloom's own atrace, copied to the device for this recording
    ///
    /// Without FILE, the program for the device's processor is taken from the folder dist/ next to
    /// this program, or from target/dist.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, help_heading = "Android")]
    pub push_agent: Option<Option<PathBuf>>,

    /// Have the device send the trace uncompressed
    #[arg(long, help_heading = "Android")]
    pub no_compress: bool,
}

/// Options for method traces.
#[derive(clap::Args, Clone, Debug)]
pub struct MethodArgs {
    /// Record the methods of this app, alone or together with categories on one time line
    #[arg(long, value_name = "PROCESS", help_heading = "Methods")]
    pub method: Option<String>,

    /// Sample stacks every US microseconds instead of recording each call
    #[arg(long, value_name = "US", requires = "method", value_parser = parse_number::<u32>, help_heading = "Methods")]
    pub sampling: Option<u32>,

    /// Clocks to record: wall, thread-cpu or dual (Android 14)
    #[arg(long, value_name = "CLOCK", requires = "method", value_parser = ["wall", "thread-cpu", "dual"], help_heading = "Methods")]
    pub clock_type: Option<String>,

    /// Write the trace while recording, so that no buffer limits it
    #[arg(long, requires = "method", help_heading = "Methods")]
    pub streaming: bool,

    /// Restart this activity (package/.Name) and record from its first moment
    #[arg(
        long,
        value_name = "ACTIVITY",
        requires = "method",
        help_heading = "Methods"
    )]
    pub start: Option<String>,

    /// Use the debugger port of a debuggable process instead of the activity manager
    #[arg(long, requires = "method", conflicts_with_all = ["start", "streaming", "clock_type"], help_heading = "Methods")]
    pub ddms: bool,
}

/// Options for this machine.
#[derive(clap::Args, Clone, Debug)]
pub struct LinuxArgs {
    /// Categories, separated by commas
    #[arg(
        long,
        value_name = "CATEGORY,…",
        value_delimiter = ',',
        help_heading = "Linux"
    )]
    pub ftrace_categories: Vec<String>,

    /// A kernel event (group/name) or a whole group; repeatable; also for --perfetto
    #[arg(long, value_name = "GROUP/NAME", help_heading = "Linux")]
    pub event: Vec<String>,

    /// Record an event only if this is true: 'sched_switch: prev_prio < 100'; repeatable
    #[arg(long, value_name = "EVENT: EXPR", value_parser = parse_filter, help_heading = "Linux")]
    pub filter: Vec<(String, String)>,

    /// Record only the events of these threads and processes, and of their children
    #[arg(
        long,
        value_name = "PID,…",
        value_delimiter = ',',
        help_heading = "Linux"
    )]
    pub pid: Vec<u32>,

    /// Record this event with the kernel's stack; repeatable
    #[arg(long, value_name = "EVENT", help_heading = "Linux")]
    pub stacks: Vec<String>,

    #[command(flatten)]
    pub probes: ProbeArgs,

    /// Record these categories or events in a buffer of their own: 'sched:64M', 'irq,block/block_rq_issue:8M'; repeatable
    ///
    /// The size is that of each CPU's buffer: K, M or G, or KB without a letter. The trace has all buffers
    /// on one time line. Without other categories, the main buffer only has the marks of programs.
    #[arg(long, value_name = "WHAT:SIZE", value_parser = parse_buffer, help_heading = "Linux")]
    pub buffer: Vec<ExtraBuffer>,

    /// Record in a separate tracefs instance of this name
    #[arg(long, value_name = "NAME", help_heading = "Linux")]
    pub instance: Option<String>,
}

/// Options of older systraces. They are accepted and ignored: what they enabled is always done.
#[derive(clap::Args, Clone, Debug)]
pub struct OldArgs {
    #[arg(long, hide = true)]
    no_fix_threads: bool,
    #[arg(long, hide = true)]
    no_fix_tgids: bool,
    #[arg(long, hide = true)]
    no_fix_circular: bool,
    #[arg(long, hide = true)]
    pub(super) link_assets: bool,
    #[arg(long, hide = true)]
    pub(super) asset_dir: Option<String>,
}

impl CaptureArgs {
    /// Whether events are examined while they are recorded.
    pub fn is_live(&self) -> bool {
        self.ring.is_some() || self.until.is_some() || self.live.live
    }

    /// Whether raw pages are recorded.
    pub fn is_raw(&self) -> bool {
        self.raw.raw || self.kind().is_ok_and(|kind| kind == OutputKind::Dat)
    }

    /// The path of the output file.
    pub fn output(&self) -> PathBuf {
        let ending = if self.json { "json" } else { "html" };
        match (&self.output, &self.from_file) {
            (Some(output), _) => output.clone(),
            (None, Some(file)) => file.with_extension(ending),
            (None, None) => Path::new("trace").with_extension(ending),
        }
    }

    /// The name of the recording, live and saved: that of the output file.
    pub fn name(&self) -> String {
        let output = self.output();
        let name = output.file_name().unwrap_or(output.as_os_str());
        name.to_string_lossy().into_owned()
    }

    /// The kind of output: JSON if `--json` is given, else by the ending of the file name.
    ///
    /// # Errors
    /// If the ending is unknown.
    pub fn kind(&self) -> Result<OutputKind> {
        if self.json {
            return Ok(OutputKind::Json);
        }
        OutputKind::of(&self.output())
    }

    /// The file with a configuration for perfetto.
    pub fn perfetto_config(&self) -> Option<&Path> {
        let given = self.config.as_deref();
        given.filter(|path| !is_options_file(path))
    }

    /// The categories chosen for the target.
    pub fn chosen(&self) -> Vec<String> {
        match self.target {
            _ if !self.categories.is_empty() => self.categories.clone(),
            Target::Android => self.android.atrace_categories.clone(),
            Target::Linux => self.linux.ftrace_categories.clone(),
        }
    }

    /// The serial number of the device, from the option or the environment.
    pub fn serial(&self) -> Option<String> {
        let given = || {
            std::env::var("ANDROID_SERIAL")
                .ok()
                .filter(|serial| !serial.is_empty())
        };
        self.android.serial.clone().or_else(given)
    }
}
