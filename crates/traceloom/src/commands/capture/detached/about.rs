//! Describes a background recording from its options.

use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Result;
use traceloom_capture::agents::ExtraBuffer;
use traceloom_tracefs::Probe;

use super::super::options::CaptureArgs;
use super::folder::{About, boot};

/// Describes the recording that has just begun in this process.
///
/// # Errors
/// If a probe is written wrong.
pub fn about(args: &CaptureArgs) -> Result<About> {
    let began = SystemTime::now().duration_since(UNIX_EPOCH);
    Ok(About {
        pid: std::process::id(),
        boot: boot(),
        began_s: began.map_or(0, |began| began.as_secs()),
        what: what(args)?,
        buffers: buffers(args),
        output: args.output(),
    })
}

/// The options, with the output file that was given to `stop`.
pub fn redirected(args: &CaptureArgs) -> CaptureArgs {
    let mut args = args.clone();
    let detached = args.detached.as_ref();
    if let Some(output) = detached.and_then(|detached| detached.asked_output()) {
        args.output = Some(output);
        args.json = false;
    }
    args
}

/// The categories, events and probes in the main buffer.
fn what(args: &CaptureArgs) -> Result<Vec<String>> {
    let mut what = [args.chosen(), args.linux.event.clone()].concat();
    what.extend(args.linux.probes.all()?.iter().flat_map(Probe::events));
    Ok(what)
}

/// The names of all buffers and their instances.
fn buffers(args: &CaptureArgs) -> Vec<(String, String)> {
    let main = args.linux.instance.clone().unwrap_or_default();
    let others = args.linux.buffer.iter().enumerate();
    let others = others.map(|(number, buffer)| (buffer.name(), ExtraBuffer::instance(number)));
    std::iter::once((main.clone(), main))
        .chain(others)
        .collect()
}
