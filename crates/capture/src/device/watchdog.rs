//! Ends a device's recording if this program dies: a shell that stays open on the device.
//!
//! ```text
//! this program ── connection ── shell: read a line ─┬─ "done": nothing to do
//!      ✗ kill -9, unplugged                         └─ end of input: stop recording, wait for --resume,
//!                                                      then restore the settings and remove the program
//! ```

use std::time::Duration;

use super::ext::DeviceExt;
use crate::adb::{Device, Shell, quote};
use crate::error::Result;

/// The folder of the file that marks an abandoned recording. It has the program that can end it.
const FOLDER: &str = "/data/local/tmp";

/// The name of that file.
const MARK: &str = "traceloom-abandoned";

/// How to end a recording.
#[derive(Clone, Debug)]
pub(crate) struct Ending {
    /// The quoted program that records.
    pub program: String,
    /// Whether the program was pushed for this recording, so that it has to be removed at the end.
    pub is_pushed: bool,
    /// How long the stopped recording is kept for `--resume`.
    pub keep: Duration,
    /// A folder for temporary files instead of the usual one.
    pub folder: Option<String>,
}

impl Ending {
    fn commands(&self) -> String {
        let program = &self.program;
        let removed = if self.is_pushed {
            format!("; rm -f {program}")
        } else {
            String::new()
        };
        format!("{program} -t 0 >/dev/null 2>&1{removed}")
    }
}

/// The open shell.
#[derive(Debug)]
pub(crate) struct Watchdog(Shell);

impl Watchdog {
    /// Starts the shell.
    ///
    /// # Errors
    /// If the device is gone.
    pub fn start(device: &Device, ending: &Ending) -> Result<Self> {
        let mark = quote(&mark(ending.folder.as_deref()));
        let stop = "for d in /sys/kernel/tracing /sys/kernel/debug/tracing; do \
                    test -e $d/trace_marker && echo 0 > $d/tracing_on && break; done 2>/dev/null";
        let (program, seconds) = (&ending.program, ending.keep.as_secs());
        let end = ending.commands();
        let script = format!(
            "trap '' HUP INT TERM PIPE; read x; test \"$x\" = done && exit; \
             n=0; {{ echo {program} > {mark}; }} 2>/dev/null || n={seconds}; {stop}; \
             while test -e {mark} && test $n -lt {seconds}; do sleep 1; n=$((n+1)); done; \
             test $n -lt {seconds} || {{ {end}; rm -f {mark}; }}"
        );
        Self::run(device, &script)
    }

    /// Starts a shell with another script, which reads `done` if the recording was ended properly.
    ///
    /// # Errors
    /// If the device is gone.
    pub fn run(device: &Device, script: &str) -> Result<Self> {
        Ok(Self(device.shell(script)?))
    }

    /// Ends the shell: the recording was ended properly.
    pub fn dismiss(mut self) {
        // If the device is gone, the shell notices that by itself.
        _ = self.0.send_stdin(b"done\n");
        self.0.limit(Some(Duration::from_secs(5)));
        while self.0.next_event().is_ok_and(|event| !is_exit(event)) {}
    }
}

fn is_exit(event: crate::adb::ShellEvent<'_>) -> bool {
    matches!(event, crate::adb::ShellEvent::Exit(_))
}

fn mark(folder: Option<&str>) -> String {
    format!("{}/{MARK}", folder.unwrap_or(FOLDER))
}

/// The program that can end an abandoned recording on the device, if there is one.
///
/// # Errors
/// If the device is gone.
pub(crate) fn abandoned(
    device: &Device,
    folder: Option<&str>,
    limit: Duration,
) -> Result<Option<String>> {
    let command = format!("cat {} 2>/dev/null || true", quote(&mark(folder)));
    let program = device.run_ok(&command, limit)?.text();
    Ok(Some(program).filter(|program| !program.is_empty()))
}

/// Ends an abandoned recording without fetching it.
///
/// # Errors
/// If the device is gone.
pub(crate) fn clean_up(device: &Device, ending: &Ending, limit: Duration) -> Result<()> {
    let mark = quote(&mark(ending.folder.as_deref()));
    device.run_ok(&format!("{}; rm -f {mark}", ending.commands()), limit)?;
    Ok(())
}
