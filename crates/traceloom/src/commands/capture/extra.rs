//! What is recorded beside the trace: memory of processes, latency, power.

use std::time::Duration;

use anyhow::{Result, bail};
use traceloom_capture::Agent;
use traceloom_capture::adb::Device;
use traceloom_capture::agents::{
    CgroupAgent, FullDump, LocalShell, MemoryAgent, MemoryOptions, WaltAgent,
};

use super::android::device_folder;
use super::args::{CaptureArgs, OutputKind, Target};
use super::battor::BattorArgs;

/// Choices for what is recorded beside the trace.
#[derive(clap::Args, Clone, Debug)]
pub struct ExtraArgs {
    /// Look at the processes, their threads and their memory while recording
    #[arg(long, help_heading = "Beside the trace")]
    pub process_dump: bool,

    /// How often to look, milliseconds [default: 5000]
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u32).range(100..), help_heading = "Beside the trace")]
    pub process_dump_interval: Option<u32>,

    /// Whose memory to look at page by page: all, apps, or names of processes with commas between them
    #[arg(
        long,
        value_name = "all|apps|NAME,…",
        help_heading = "Beside the trace"
    )]
    pub process_dump_full: Option<String>,

    /// List what the processes that --process-dump-full names have mapped
    #[arg(long, help_heading = "Beside the trace")]
    pub process_dump_mmaps: bool,

    /// Take what the app of a WALT measures: latencies of touch screens, displays, sound
    #[arg(long, help_heading = "Beside the trace")]
    pub walt: bool,

    #[command(flatten)]
    pub battor: BattorArgs,
}

impl CaptureArgs {
    /// Refuses what cannot be recorded beside a trace.
    ///
    /// # Errors
    /// Says what.
    pub fn check_extra(&self) -> Result<()> {
        let extra = &self.extra;
        if extra.walt && self.target == Target::Linux {
            bail!("--walt is for Android");
        }
        extra.battor.check(self.from_file.is_some())?;
        let asked = [
            (extra.process_dump, "--process-dump"),
            (extra.walt, "--walt"),
            (extra.battor.battor, "--battor"),
        ];
        let has_place = matches!(self.kind()?, OutputKind::Page | OutputKind::Json);
        for (_, option) in asked.iter().filter(|(is_asked, _)| *is_asked) {
            if !has_place && self.from_file.is_none() {
                bail!("{option} needs a file that has a place for it: .html or .json");
            }
        }
        Ok(())
    }

    /// Says what has no effect.
    pub fn warn_of_extra(&self) {
        let extra = &self.extra;
        let is_asked = extra.process_dump || extra.walt || extra.battor.battor;
        if is_asked && self.from_file.is_some() {
            eprintln!(
                "Warning: --process-dump, --walt and --battor are for recording; they have no effect with --from-file."
            );
        }
        let is_detailed = extra.process_dump_interval.is_some()
            || extra.process_dump_full.is_some()
            || extra.process_dump_mmaps;
        if is_detailed && !extra.process_dump {
            eprintln!("Warning: --process-dump-… has no effect without --process-dump.");
        }
        if !extra.battor.battor && extra.battor.battor_path.is_some() {
            eprintln!("Warning: --battor-path has no effect without --battor.");
        }
    }

    fn memory(&self) -> MemoryOptions {
        let usual = MemoryOptions::default();
        let interval = self.extra.process_dump_interval;
        MemoryOptions {
            interval: interval.map_or(usual.interval, |ms| Duration::from_millis(ms.into())),
            full: full(self.extra.process_dump_full.as_deref()),
            mmaps: self.extra.process_dump_mmaps,
        }
    }
}

fn full(text: Option<&str>) -> FullDump {
    match text {
        None | Some("") => FullDump::None,
        Some("all") => FullDump::All,
        Some("apps") => FullDump::Apps,
        Some(names) => FullDump::Named(names.split(',').map(str::to_owned).collect()),
    }
}

/// The agents that record beside the trace of a device.
///
/// # Errors
/// If a power meter is asked for, and it is not clear which.
pub fn beside_device(args: &CaptureArgs, device: &Device) -> Result<Vec<Box<dyn Agent>>> {
    let mut agents: Vec<Box<dyn Agent>> = Vec::new();
    let chosen = args.chosen();
    // Among these categories are the events of groups.
    if chosen.is_empty() || chosen.iter().any(|name| name == "sched") {
        agents.push(Box::new(CgroupAgent::new(device.clone())));
    }
    if args.extra.process_dump {
        agents.push(Box::new(MemoryAgent::new(device.clone(), args.memory())));
    }
    if args.extra.walt {
        let folder = device_folder();
        agents.push(Box::new(WaltAgent::new(device.clone(), folder.as_deref())));
    }
    agents.extend(args.extra.battor.agent(Some(device))?);
    Ok(agents)
}

/// The agents that record beside the trace of this machine.
///
/// # Errors
/// If a power meter is asked for, and it is not clear which.
#[cfg(target_os = "linux")]
pub fn beside_machine(args: &CaptureArgs) -> Result<Vec<Box<dyn Agent>>> {
    let mut agents: Vec<Box<dyn Agent>> = Vec::new();
    if args.extra.process_dump {
        agents.push(Box::new(MemoryAgent::new(LocalShell, args.memory())));
    }
    agents.extend(args.extra.battor.agent(None)?);
    Ok(agents)
}
