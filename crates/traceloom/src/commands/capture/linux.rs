//! The agents that record this machine.

use std::process::ExitCode;

use anyhow::Result;
#[cfg(target_os = "linux")]
use traceloom_capture::{
    Agent, LinuxAgent, LinuxOptions, LiveLinuxAgent, LocalProcessAgent, RawLinuxAgent, tracefs,
};
#[cfg(target_os = "linux")]
use traceloom_tracefs::spool_folder;

use super::args::CaptureArgs;
use super::console::Console;
#[cfg(target_os = "linux")]
use super::run::{print_list, record};
#[cfg(target_os = "linux")]
use super::tape::tape;
use super::wait::Wait;

/// Records this machine.
///
/// # Errors
/// If nothing could be recorded or written.
#[cfg(target_os = "linux")]
pub fn linux(args: &CaptureArgs, console: &mut Console, wait: &Wait) -> Result<ExitCode> {
    let tree = tracefs()?;
    let ftrace = LinuxAgent::new(&tree, options(args));
    if args.list_categories {
        let all = ftrace.list();
        print_list(all.iter().map(|(name, title)| (name, title)));
        return Ok(ExitCode::SUCCESS);
    }
    let processes = Box::new(LocalProcessAgent::default());
    let ftrace: Box<dyn Agent> = if args.is_raw() {
        let folder = spool_folder(Some(&args.output()));
        Box::new(RawLinuxAgent::new(ftrace, &args.raw.options(), folder)?)
    } else if args.is_live() {
        Box::new(LiveLinuxAgent::new(ftrace, &tree, tape(args, wait))?)
    } else {
        Box::new(ftrace)
    };
    record(args, console, wait, vec![processes, ftrace])
}

#[cfg(target_os = "linux")]
fn options(args: &CaptureArgs) -> LinuxOptions {
    let functions = args.ktr.as_deref().unwrap_or_default().split(',');
    let functions = functions.filter(|name| !name.is_empty()).map(str::to_owned);
    LinuxOptions {
        categories: args.chosen(),
        events: args.linux.event.clone(),
        functions: functions.collect(),
        instance: args.linux.instance.clone(),
        buffer_kb: args.buf_size.unwrap_or(LinuxOptions::default().buffer_kb),
        ..LinuxOptions::default()
    }
}

/// Records nothing: this is no Linux.
///
/// # Errors
/// Always.
#[cfg(not(target_os = "linux"))]
pub fn linux(_: &CaptureArgs, _: &mut Console, _: &Wait) -> Result<ExitCode> {
    anyhow::bail!("--target linux records the machine it runs on, and this is not Linux");
}
