//! Records this machine.

use std::process::ExitCode;
#[cfg(target_os = "linux")]
use std::sync::Arc;

use anyhow::Result;
#[cfg(target_os = "linux")]
use traceloom_capture::{
    Agent,
    agents::{LinuxAgent, LinuxOptions, LocalProcessAgent, local_tracefs},
    live::{LiveLinuxAgent, PageWindow},
    raw::RawLinuxAgent,
};
#[cfg(target_os = "linux")]
use traceloom_tracefs::{EventLimits, Mounted, RawCapture, spool_folder};

use super::console::Console;
#[cfg(target_os = "linux")]
use super::extra::agents_for_machine;
#[cfg(target_os = "linux")]
use super::live::{Show, listed, window_limits};
use super::options::CaptureArgs;
#[cfg(target_os = "linux")]
use super::record::{print_list, record};
#[cfg(target_os = "linux")]
use super::tape::page_tape;
use super::wait::Wait;

/// Records this machine.
///
/// # Errors
/// If nothing could be recorded, or the result cannot be written.
#[cfg(target_os = "linux")]
pub fn linux(args: &CaptureArgs, console: &mut Console, wait: &Wait) -> Result<ExitCode> {
    check_pids(&args.linux.pid)?;
    let tree = local_tracefs()?;
    let is_drained = is_drained(args, &tree);
    let ftrace = LinuxAgent::new(&tree, options(args, is_drained)?);
    if args.list_categories {
        let all = ftrace.list();
        print_list(all.iter().map(|(name, title)| (name, title)), "")?;
        return Ok(ExitCode::SUCCESS);
    }
    let live_processes = || listed(&mut LocalProcessAgent::default());
    let limits = window_limits(args);
    let window = args.live.live.then(|| Arc::new(PageWindow::new(limits)));
    let show = window
        .clone()
        .map(|window| Show::new(args, wait, window, Box::new(live_processes)));
    let show = show.transpose()?;
    let processes = Box::new(LocalProcessAgent::default());
    let ftrace: Box<dyn Agent> = if args.is_live() {
        let tape = page_tape(args, wait, show.as_ref(), window);
        Box::new(LiveLinuxAgent::new(ftrace, &tree, tape)?)
    } else if is_drained {
        let folder = spool_folder(Some(&args.output()));
        let pages = RawLinuxAgent::new(ftrace, &args.raw.options(), folder)?;
        Box::new(if args.is_raw() || !args.linux.buffer.is_empty() {
            pages
        } else {
            pages.or_text()
        })
    } else {
        Box::new(ftrace)
    };
    let mut agents: Vec<Box<dyn Agent>> = vec![processes, ftrace];
    agents.extend(agents_for_machine(args)?);
    record(args, console, wait, show, agents)
}

/// Whether pages are read during the recording.
#[cfg(target_os = "linux")]
fn is_drained(args: &CaptureArgs, tree: &Mounted) -> bool {
    let is_asked = args.is_live() || args.is_raw() || !args.linux.buffer.is_empty();
    is_asked || RawCapture::is_possible(tree)
}

#[cfg(target_os = "linux")]
fn options(args: &CaptureArgs, is_drained: bool) -> Result<LinuxOptions> {
    let functions = args.ktr.as_deref().unwrap_or_default().split(',');
    let functions = functions.filter(|name| !name.is_empty()).map(str::to_owned);
    Ok(LinuxOptions {
        categories: args.chosen(),
        events: args.linux.event.clone(),
        functions: functions.collect(),
        instance: args.linux.instance.clone(),
        limits: EventLimits {
            filters: args.linux.filter.clone(),
            pids: args.linux.pid.clone(),
            stacks: args
                .linux
                .stacks
                .iter()
                .map(|name| name.replace(':', "/"))
                .collect(),
        },
        is_drained,
        buffers: args.linux.buffer.clone(),
        buffer_kb: args.buf_size.unwrap_or(LinuxOptions::default().buffer_kb),
        probes: args.linux.probes.all()?,
        ..LinuxOptions::default()
    })
}

/// Refuses threads that do not exist: the recording would be empty.
#[cfg(target_os = "linux")]
fn check_pids(pids: &[u32]) -> Result<()> {
    let exists = |pid: u32| std::path::Path::new("/proc").join(pid.to_string()).exists();
    match pids.iter().find(|&&pid| !exists(pid)) {
        Some(pid) => anyhow::bail!("there is no process or thread {pid} (--pid)"),
        None => Ok(()),
    }
}

/// Always fails, because this system is not Linux.
///
/// # Errors
/// Always.
#[cfg(not(target_os = "linux"))]
pub fn linux(_: &CaptureArgs, _: &mut Console, _: &Wait) -> Result<ExitCode> {
    anyhow::bail!("--target linux records the machine it runs on, and this is not Linux");
}
