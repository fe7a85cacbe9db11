//! What can be asked for.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use traceloom_capture::live::Trigger;

use super::extra::ExtraArgs;
use super::live::LiveArgs;
use super::raw::RawArgs;
use crate::times::parse_time;

/// Record what a device or this machine does, and show it
///
/// Takes systrace's options. Without --time it records until Enter or Ctrl-C.
#[derive(clap::Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  traceloom capture -t 5 -o trace.html sched freq gfx view -a com.example.app\n  traceloom capture --target linux -t 5 -o trace.html sched freq idle disk\n  traceloom capture --live --target linux sched"
)]
pub struct CaptureArgs {
    /// Categories to record; -l lists them [default: what systrace records]
    #[arg(value_name = "CATEGORY")]
    pub categories: Vec<String>,

    /// The file to write: .html, .json, .txt, .gz, .dat [default: trace.html, or trace.json with --json]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Write systrace's JSON
    #[arg(short, long)]
    pub json: bool,

    /// Record for N seconds
    #[arg(short, long, value_name = "N")]
    pub time: Option<u32>,

    /// Keep only the last seconds (30s, 500ms), until Enter, Ctrl-C or --until
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub ring: Option<i64>,

    /// Stop when this happens: 'slice:NAME>32ms' (a slice took longer) or 'event:NAME'; * at the end of NAME for any letters
    #[arg(long, value_name = "WHAT", value_parser = parse_trigger)]
    pub until: Option<Trigger>,

    #[command(flatten)]
    pub live: LiveArgs,

    /// The buffer of each CPU, KB
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

    /// Kernel functions to trace, with commas between them
    #[arg(short, long, visible_alias = "ktrace", value_name = "F,…")]
    pub ktr: Option<String>,

    /// How long an agent may take to start or stop, seconds
    #[arg(long, value_name = "S", help_heading = "Limits")]
    pub timeout: Option<u32>,

    /// How long an agent may take to hand over what it has, seconds
    #[arg(long, value_name = "S", help_heading = "Limits")]
    pub collection_timeout: Option<u32>,

    #[command(flatten)]
    pub old: OldArgs,
}

/// What is recorded.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// A device over adb.
    Android,
    /// This machine.
    Linux,
}

/// Choices for devices.
#[derive(clap::Args, Clone, Debug)]
pub struct AndroidArgs {
    /// The device, where there are several [env: ANDROID_SERIAL]
    #[arg(short = 'e', long, value_name = "SERIAL", help_heading = "Android")]
    pub serial: Option<String>,

    /// Apps whose own sections are recorded, with commas between them
    #[arg(short, long, value_name = "APP,…", help_heading = "Android")]
    pub app: Option<String>,

    /// Categories, with commas between them
    #[arg(
        long,
        value_name = "CATEGORY,…",
        value_delimiter = ',',
        help_heading = "Android"
    )]
    pub atrace_categories: Vec<String>,

    /// Use traceloom's own atrace, copied to the device for this recording
    ///
    /// Without FILE it is the one for the device's processor beside this program (dist/), or in target/dist.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, help_heading = "Android")]
    pub push_agent: Option<Option<PathBuf>>,

    /// Have the device send the trace as it is
    #[arg(long, help_heading = "Android")]
    pub no_compress: bool,
}

/// Choices for method traces.
#[derive(clap::Args, Clone, Debug)]
pub struct MethodArgs {
    /// Record the methods of this app, alone or beside categories: on one time line
    #[arg(long, value_name = "PROCESS", help_heading = "Methods")]
    pub method: Option<String>,

    /// Sample the stacks so often, microseconds, instead of recording each call
    #[arg(long, value_name = "US", requires = "method", help_heading = "Methods")]
    pub sampling: Option<u32>,

    /// The clocks of the trace: wall, thread-cpu or dual (Android 14)
    #[arg(long, value_name = "CLOCK", requires = "method", value_parser = ["wall", "thread-cpu", "dual"], help_heading = "Methods")]
    pub clock_type: Option<String>,

    /// Write the trace while it is recorded, so that no buffer limits it
    #[arg(long, requires = "method", help_heading = "Methods")]
    pub streaming: bool,

    /// Start this activity (package/.Name) afresh and record from its first moment
    #[arg(
        long,
        value_name = "ACTIVITY",
        requires = "method",
        help_heading = "Methods"
    )]
    pub start: Option<String>,

    /// Over the debugger port of a debuggable process, without the activity manager
    #[arg(long, requires = "method", conflicts_with_all = ["start", "streaming", "clock_type"], help_heading = "Methods")]
    pub ddms: bool,
}

/// Choices for this machine.
#[derive(clap::Args, Clone, Debug)]
pub struct LinuxArgs {
    /// Categories, with commas between them
    #[arg(
        long,
        value_name = "CATEGORY,…",
        value_delimiter = ',',
        help_heading = "Linux"
    )]
    pub ftrace_categories: Vec<String>,

    /// A kernel event, group/name, or a whole group; may be given several times
    #[arg(long, value_name = "GROUP/NAME", help_heading = "Linux")]
    pub event: Vec<String>,

    /// Record in a tracefs instance of its own
    #[arg(long, value_name = "NAME", help_heading = "Linux")]
    pub instance: Option<String>,
}

/// Options of older systraces: taken, and without effect, as what they chose is always done.
#[derive(clap::Args, Clone, Debug)]
pub struct OldArgs {
    #[arg(long, hide = true)]
    no_fix_threads: bool,
    #[arg(long, hide = true)]
    no_fix_tgids: bool,
    #[arg(long, hide = true)]
    no_fix_circular: bool,
    #[arg(long, hide = true)]
    link_assets: bool,
    #[arg(long, hide = true)]
    asset_dir: Option<String>,
}

/// How the result is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OutputKind {
    /// The page, with the text in it.
    Page,
    /// systrace's JSON.
    Json,
    /// What was recorded, as it came: ftrace text, or a method trace.
    Text,
    /// The same, compressed.
    Gzip,
    /// The kernel's own pages.
    Dat,
}

/// `slice:NAME>TIME`, `slice:NAME`, `event:NAME`.
fn parse_trigger(text: &str) -> Result<Trigger, String> {
    let wrong = || format!("{text} is nothing to wait for; write slice:NAME>32ms or event:NAME");
    match text.split_once(':').ok_or_else(wrong)? {
        ("event", name) if !name.is_empty() => Ok(Trigger::event(name)),
        ("slice", rest) if !rest.is_empty() => {
            // A name may hold such a sign itself; the last one is ours.
            let (name, time) = rest.rsplit_once('>').unwrap_or((rest, "0ns"));
            Ok(Trigger::slice(name, parse_time(time.trim())?))
        }
        _ => Err(wrong()),
    }
}

impl CaptureArgs {
    /// Whether the recording is watched while it goes on.
    pub fn is_live(&self) -> bool {
        self.ring.is_some() || self.until.is_some() || self.live.live
    }

    /// Refuses what does not go together.
    ///
    /// # Errors
    /// Says what.
    pub fn check(&self) -> Result<()> {
        if self.old.link_assets || self.old.asset_dir.is_some() {
            bail!("--link-assets and --asset-dir are deprecated.");
        }
        if self.target == Target::Linux && self.android.app.is_some() {
            bail!("--app is for Android; on Linux every program's own marks are recorded");
        }
        if self.target == Target::Linux && self.method.method.is_some() {
            bail!("--method is for Android");
        }
        if self.target == Target::Android && !self.linux.event.is_empty() {
            bail!("--event is for Linux: --target linux");
        }
        if (self.ring.is_some() || self.until.is_some()) && self.from_file.is_some() {
            bail!("--ring and --until are for recording, not for a file");
        }
        if self.from_file.as_ref() == Some(&self.output()) {
            bail!(
                "{} is what is read; -o names another file to write",
                self.output().display()
            );
        }
        self.kind()?;
        self.check_extra()?;
        self.check_live()?;
        self.check_raw()
    }

    /// Where the result goes.
    pub fn output(&self) -> PathBuf {
        let ending = if self.json { "json" } else { "html" };
        match (&self.output, &self.from_file) {
            (Some(output), _) => output.clone(),
            (None, Some(file)) => file.with_extension(ending),
            (None, None) => Path::new("trace").with_extension(ending),
        }
    }

    /// How the result is written: as --json says, else by the file's ending.
    ///
    /// # Errors
    /// If the ending says nothing.
    pub fn kind(&self) -> Result<OutputKind> {
        let output = self.output();
        let ending = output.extension().unwrap_or_default().to_string_lossy();
        Ok(match ending.to_ascii_lowercase().as_str() {
            _ if self.json => OutputKind::Json,
            "html" | "htm" => OutputKind::Page,
            "json" => OutputKind::Json,
            "gz" => OutputKind::Gzip,
            "dat" => OutputKind::Dat,
            "txt" | "ftrace" | "systrace" | "trace" => OutputKind::Text,
            _ => bail!(
                "{}: the ending says how to write it: .html, .json, .txt, .gz or .dat",
                output.display()
            ),
        })
    }

    /// The categories that were chosen for the target.
    pub fn chosen(&self) -> Vec<String> {
        match self.target {
            _ if !self.categories.is_empty() => self.categories.clone(),
            Target::Android => self.android.atrace_categories.clone(),
            Target::Linux => self.linux.ftrace_categories.clone(),
        }
    }

    /// The device's serial, from the option or the environment.
    pub fn serial(&self) -> Option<String> {
        let given = || {
            std::env::var("ANDROID_SERIAL")
                .ok()
                .filter(|serial| !serial.is_empty())
        };
        self.android.serial.clone().or_else(given)
    }
}
