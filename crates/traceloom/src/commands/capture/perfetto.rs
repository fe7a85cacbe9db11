//! Records a device with its own perfetto.

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use traceloom_capture::adb::Device;
use traceloom_capture::agents::AtraceAgent;
use traceloom_capture::perfetto::{
    PerfettoAgent, PerfettoConfig, PerfettoOptions, PerfettoSupport, leftovers, perfetto_support,
};
use traceloom_capture::{Agent, CaptureError};

use super::atrace_options::atrace_options;
use super::console::Console;
use super::device_folder::device_folder;
use super::options::{CaptureArgs, OutputKind};
use super::record::limits;
use crate::output::print;
use crate::print::plain;

/// The recorder of a device's system trace.
pub enum Recorder {
    /// Android's atrace, or ours.
    Atrace,
    /// The device's perfetto.
    Perfetto(PerfettoSupport),
}

/// Chooses the recorder. If a device has no perfetto, atrace records what it can.
///
/// # Errors
/// If the device has no perfetto, but only perfetto can record what was asked for.
pub fn recorder(args: &CaptureArgs, console: &Console, device: &Device) -> Result<Recorder> {
    if !args.is_perfetto() {
        return Ok(Recorder::Atrace);
    }
    let reason = match perfetto_support(device, limits(args).start_stop)? {
        Ok(support) => return Ok(Recorder::Perfetto(support)),
        Err(reason) => reason,
    };
    let needs = [
        (args.perfetto_config().is_some(), "--config"),
        (args.kind()? == OutputKind::Perfetto, "a .pftrace"),
        (args.perfetto.logcat, "--logcat"),
        (!args.linux.event.is_empty(), "--event"),
    ];
    if let Some((_, need)) = needs.iter().find(|(is_needed, _)| *is_needed) {
        bail!("{reason}; {need} needs it");
    }
    console.say(&format!("Recording with atrace: {reason}."));
    Ok(Recorder::Atrace)
}

/// The agent that records with perfetto.
///
/// # Errors
/// If the configuration cannot be read, or the device is gone.
pub fn perfetto(
    args: &CaptureArgs,
    console: &Console,
    device: &Device,
    support: PerfettoSupport,
) -> Result<Box<dyn Agent>> {
    let config = match args.perfetto_config() {
        Some(path) => given(path)?,
        None => PerfettoConfig::Options(options(args, console, device)?),
    };
    let spool = tempfile::tempfile().context("cannot create a temporary file")?;
    let keep = limits(args).collect;
    let folder = device_folder();
    Ok(Box::new(PerfettoAgent::new(
        device.clone(),
        support,
        config,
        spool,
        keep,
        folder,
    )))
}

/// The configuration of `--config`.
fn given(path: &Path) -> Result<PerfettoConfig> {
    let shown = path.display().to_string();
    let bytes = std::fs::read(path).with_context(|| plain(&shown).into_owned())?;
    PerfettoConfig::given(bytes).with_context(|| plain(&shown).into_owned())
}

/// The agent that fetches an abandoned recording of perfetto, if the device has one.
///
/// # Errors
/// If the device is gone.
pub fn resumed(args: &CaptureArgs, device: &Device) -> Result<Option<Box<dyn Agent>>> {
    let folder = device_folder();
    let left = leftovers(device, folder.as_deref(), limits(args).start_stop)?;
    let newest = left.into_iter().next_back();
    Ok(newest
        .map(|left| -> Box<dyn Agent> { Box::new(PerfettoAgent::resume(device.clone(), left)) }))
}

/// Prints the configuration as text.
///
/// # Errors
/// If the device is gone.
pub fn print_config(args: &CaptureArgs, console: &Console, device: &Device) -> Result<ExitCode> {
    let config = options(args, console, device)?.to_text();
    print(|out| Ok(out.write_all(config.as_bytes())?))?;
    Ok(ExitCode::SUCCESS)
}

/// Converts the options to perfetto's options. Reports categories that the device does not have.
fn options(args: &CaptureArgs, console: &Console, device: &Device) -> Result<PerfettoOptions> {
    let (categories, missing) = categories(args, device)?;
    let has_more = args.android.app.is_some() || !args.linux.event.is_empty();
    if categories.is_empty() && !has_more {
        let reason = |name: &String| format!("{name}: this device has no such category");
        let reasons = missing.iter().map(reason).collect();
        return Err(CaptureError::NothingToRecord { reasons }.into());
    }
    if !missing.is_empty() {
        let missing = missing.join(" ");
        console.say(&format!("These categories are unavailable: {missing}"));
    }
    let memory = args.extra.process_dump;
    Ok(PerfettoOptions {
        categories,
        events: args
            .linux
            .event
            .iter()
            .map(|event| path_of(event))
            .collect(),
        apps: args.android.app.clone(),
        buffer_kb: args.buf_size,
        duration: args
            .time
            .filter(|&seconds| seconds > 0)
            .map(|seconds| Duration::from_secs(seconds.into())),
        logcat: args.perfetto.logcat,
        memory_ms: memory.then(|| args.extra.process_dump_interval.unwrap_or(5000)),
    })
}

/// `group/name` or `group/*`, for an event of `--event`.
fn path_of(event: &str) -> String {
    let path = event.replace(':', "/");
    if path.contains('/') {
        path
    } else {
        path + "/*"
    }
}

/// The chosen categories that the device has, and the others.
fn categories(args: &CaptureArgs, device: &Device) -> Result<(Vec<String>, Vec<String>)> {
    if args.chosen().is_empty() && !args.linux.event.is_empty() {
        return Ok((Vec::new(), Vec::new()));
    }
    let atrace = AtraceAgent::new(device.clone(), atrace_options(args))?;
    Ok(atrace.choose(limits(args).start_stop)?)
}
