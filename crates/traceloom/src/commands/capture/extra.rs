//! Recorders that run next to the trace: process memory, input latency (WALT), power (BattOr).

use std::time::Duration;

use anyhow::Result;
use traceloom_capture::Agent;
use traceloom_capture::adb::Device;
#[cfg(target_os = "linux")]
use traceloom_capture::agents::LocalShell;
use traceloom_capture::agents::{CgroupAgent, FullDump, MemoryAgent, MemoryOptions, WaltAgent};

#[cfg(all(target_os = "linux", feature = "battor"))]
use super::battor;
use super::device_folder::device_folder;
use super::options::{BattorArgs, CaptureArgs, ExtraArgs};

/// The agents that record in addition to the trace of a device.
///
/// # Errors
/// If a power meter is requested and it is not clear which one.
pub fn agents_for_device(args: &CaptureArgs, device: &Device) -> Result<Vec<Box<dyn Agent>>> {
    let mut agents: Vec<Box<dyn Agent>> = Vec::new();
    let chosen = args.chosen();
    // The events for groups belong to one of these categories.
    if chosen.is_empty() || chosen.iter().any(|name| name == "sched") {
        agents.push(Box::new(CgroupAgent::new(device.clone())));
    }
    if args.extra.process_dump {
        agents.push(Box::new(MemoryAgent::new(
            device.clone(),
            memory(&args.extra),
        )));
    }
    if args.extra.walt {
        let folder = device_folder();
        agents.push(Box::new(WaltAgent::new(device.clone(), folder.as_deref())));
    }
    agents.extend(battor_agent(&args.extra.battor, Some(device))?);
    Ok(agents)
}

/// The agents that record in addition to the trace of this machine.
///
/// # Errors
/// If a power meter is requested and it is not clear which one.
#[cfg(target_os = "linux")]
pub fn agents_for_machine(args: &CaptureArgs) -> Result<Vec<Box<dyn Agent>>> {
    let mut agents: Vec<Box<dyn Agent>> = Vec::new();
    if args.extra.process_dump {
        agents.push(Box::new(MemoryAgent::new(LocalShell, memory(&args.extra))));
    }
    agents.extend(battor_agent(&args.extra.battor, None)?);
    Ok(agents)
}

/// The agent for the power meter, if `--battor` was given.
fn battor_agent(args: &BattorArgs, device: Option<&Device>) -> Result<Option<Box<dyn Agent>>> {
    if !args.battor {
        return Ok(None);
    }
    #[cfg(all(target_os = "linux", feature = "battor"))]
    return battor::agent(args, device).map(Some);
    #[cfg(not(all(target_os = "linux", feature = "battor")))]
    {
        _ = device;
        args.check(false)?;
        Ok(None)
    }
}

fn memory(extra: &ExtraArgs) -> MemoryOptions {
    let usual = MemoryOptions::default();
    let interval = extra.process_dump_interval;
    MemoryOptions {
        interval: interval.map_or(usual.interval, |ms| Duration::from_millis(ms.into())),
        full: full(extra.process_dump_full.as_deref()),
        mmaps: extra.process_dump_mmaps,
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
