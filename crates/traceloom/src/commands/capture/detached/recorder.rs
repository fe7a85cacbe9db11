//! The side of the recorder, which runs in the background.

use std::io::{PipeWriter, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Result;
use traceloom_capture::agents::ExtraBuffer;
use traceloom_tracefs::Probe;

use super::super::options::CaptureArgs;
use super::folder::{About, Ending, Folder, boot};

/// Connects a recorder in the background with its folder.
#[derive(Clone, Debug)]
pub struct Detached {
    folder: Folder,
    /// Tells `start` that everything records.
    ready: Arc<Mutex<Option<PipeWriter>>>,
}

impl Detached {
    /// The connection of the recording in `folder`. A byte in `ready` reports that it has begun.
    pub(super) fn new(folder: Folder, ready: PipeWriter) -> Self {
        Self {
            folder,
            ready: Arc::new(Mutex::new(Some(ready))),
        }
    }

    /// Reports that everything records.
    ///
    /// # Errors
    /// If that cannot be stored.
    pub fn begun(&self, args: &CaptureArgs) -> Result<()> {
        let began = SystemTime::now().duration_since(UNIX_EPOCH);
        let about = About {
            pid: std::process::id(),
            boot: boot(),
            began_s: began.map_or(0, |began| began.as_secs()),
            what: what(args)?,
            buffers: buffers(args),
            output: args.output(),
        };
        self.folder.write("about", &serde_json::to_vec(&about)?)?;
        let mut ready = self.ready.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(mut ready) = ready.take() {
            // If `start` was killed, the recording goes on.
            _ = ready.write_all(&[1]);
        }
        Ok(())
    }

    /// The options, with the output file that `stop` asked for.
    pub fn redirected(&self, args: &CaptureArgs) -> CaptureArgs {
        let mut args = args.clone();
        let asked = std::fs::read(self.folder.file("output")).ok();
        let asked: Option<PathBuf> = asked.and_then(|text| serde_json::from_slice(&text).ok());
        if let Some(output) = asked {
            args.output = Some(output);
            args.json = false;
        }
        args
    }

    /// Stores how the recording ended.
    pub(super) fn ended(&self, args: &CaptureArgs, is_written: bool) -> Result<()> {
        let written = is_written.then(|| self.redirected(args).output());
        let ending = serde_json::to_vec(&Ending { written })?;
        self.folder.write("result", &ending)
    }
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
