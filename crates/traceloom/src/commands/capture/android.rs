//! Records an Android device over adb.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Result;
use traceloom_capture::adb::{Adb, Device};
use traceloom_capture::agents::{
    AtraceAgent, AtraceOptions, DdmsAgent, DdmsOptions, MethodAgent, MethodOptions, ProcessAgent,
};
use traceloom_capture::device::{PushedAtrace, atrace_for, choose_device, is_root};
use traceloom_capture::live::{LiveAtraceAgent, Window};
use traceloom_capture::raw::RawAtraceAgent;
use traceloom_capture::{Agent, Limits};

use super::atrace_options::atrace_options;
use super::console::Console;
use super::device_folder::device_folder;
use super::extra::agents_for_device;
use super::live::{Show, listed, window_limits};
use super::options::{CaptureArgs, MethodArgs};
use super::perfetto::{Recorder, perfetto, print_config, recorder, resumed};
use super::record::{print_list, record};
use super::tape::tape;
use super::wait::Wait;

/// Records a device.
///
/// # Errors
/// If there is no device, nothing could be recorded, or the result cannot be written.
pub fn android(args: &CaptureArgs, console: &mut Console, wait: &Wait) -> Result<ExitCode> {
    let adb = Adb::from_env()?;
    let device = choose_device(&adb, args.serial().as_deref())?;
    let pushed = push_agent(args, &device)?;
    let options = AtraceOptions {
        program: pushed.as_ref().map(|pushed| pushed.path().to_owned()),
        ..atrace_options(args)
    };
    if args.list_categories {
        return list(&AtraceAgent::new(device.clone(), options)?, &device);
    }
    if args.perfetto.print_config {
        return print_config(args, console, &device);
    }
    let mut live_processes = ProcessAgent::new(device.clone());
    let live_processes = Box::new(move || listed(&mut live_processes));
    let limits = window_limits(args);
    let window = args.live.live.then(|| Arc::new(Window::new(limits)));
    let show = window.clone();
    let show = show.map(|window| Show::new(args, wait, window, live_processes));
    let show = show.transpose()?;
    let mut agents: Vec<Box<dyn Agent>> = Vec::new();
    let is_system = args.method.method.is_none() || !args.chosen().is_empty();
    if is_system || args.is_perfetto() {
        agents.extend(system(
            args,
            console,
            wait,
            &device,
            options,
            (show.as_ref(), window),
        )?);
    }
    agents.extend(agents_for_device(args, &device)?);
    if let Some(process) = &args.method.method {
        agents.push(method(&args.method, process, device));
    }
    record(args, console, wait, show, agents)
}

/// The agents that record the system's trace.
fn system(
    args: &CaptureArgs,
    console: &Console,
    wait: &Wait,
    device: &Device,
    options: AtraceOptions,
    shown: (Option<&Show>, Option<Arc<Window>>),
) -> Result<Vec<Box<dyn Agent>>> {
    if args.android.resume
        && let Some(agent) = resumed(args, device)?
    {
        return Ok(vec![agent]);
    }
    if let Recorder::Perfetto(support) = recorder(args, console, device)? {
        return Ok(vec![perfetto(args, console, device, support)?]);
    }
    let atrace = if args.android.resume {
        AtraceAgent::resume(device.clone(), options)?
    } else {
        AtraceAgent::new(device.clone(), options)?
    };
    // Processes come first: their names are needed when the trace is read.
    let processes = Box::new(ProcessAgent::new(device.clone()));
    let atrace: Box<dyn Agent> = if args.is_raw() {
        let options = args.raw.options();
        Box::new(RawAtraceAgent::new(atrace, device.clone(), options))
    } else if args.is_live() {
        let tape = tape(args, wait, shown.0, shown.1)?;
        Box::new(LiveAtraceAgent::new(atrace, tape))
    } else {
        Box::new(atrace)
    };
    Ok(vec![processes, atrace])
}

/// Copies our own atrace to the device, if requested.
fn push_agent(args: &CaptureArgs, device: &Device) -> Result<Option<PushedAtrace>> {
    let Some(program) = &args.android.push_agent else {
        return Ok(None);
    };
    let program = match program {
        Some(program) => program.clone(),
        None => atrace_for(device, &dist())?,
    };
    let folder = device_folder();
    let name = std::process::id().to_string();
    let pushed = PushedAtrace::push(device, &program, &name, folder.as_deref())?;
    Ok(Some(pushed))
}

/// The folder with the programs for devices: next to this program, or in the build folder.
fn dist() -> PathBuf {
    let here = std::env::current_exe().ok();
    let beside = here.and_then(|here| Some(here.parent()?.join("dist")));
    match beside {
        Some(beside) if beside.is_dir() => beside,
        _ => PathBuf::from("target/dist"),
    }
}

fn method(args: &MethodArgs, process: &str, device: Device) -> Box<dyn Agent> {
    let process = process.to_owned();
    if args.ddms {
        let options = DdmsOptions {
            process,
            sampling_us: args.sampling,
        };
        return Box::new(DdmsAgent::new(device, options));
    }
    let options = MethodOptions {
        process,
        sampling_us: args.sampling,
        clock: args.clock_type.clone(),
        streaming: args.streaming,
        start: args.start.clone(),
        folder: device_folder(),
    };
    // No other recording of this machine uses this name.
    let name = std::process::id().to_string();
    Box::new(MethodAgent::new(device, options, &name))
}

fn list(atrace: &AtraceAgent, device: &Device) -> Result<ExitCode> {
    let all = atrace.list(Limits::default().start_stop)?;
    let note = if is_root(device)? {
        ""
    } else {
        "\nNOTE: more categories may be available with adb root\n\n"
    };
    let all = all.iter().map(|category| (&category.name, &category.title));
    print_list(all, note)?;
    Ok(ExitCode::SUCCESS)
}
