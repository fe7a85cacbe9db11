//! Shells that can read `/proc`.

use std::process::{Command, Stdio};
use std::time::Duration;

use crate::adb::Device;
use crate::error::{CaptureError, Result};

/// A shell on the machine whose `/proc` is read.
pub trait ProcShell: Clone + Send + 'static {
    /// Runs a command line and returns its output. Its exit status is ignored, since processes may
    /// end while their files are read.
    ///
    /// # Errors
    /// If the command line cannot be run.
    fn output(&self, line: &str, limit: Duration) -> Result<Vec<u8>>;
}

impl ProcShell for Device {
    fn output(&self, line: &str, limit: Duration) -> Result<Vec<u8>> {
        Ok(self.run(line, limit)?.stdout)
    }
}

/// The shell of this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct LocalShell;

impl ProcShell for LocalShell {
    fn output(&self, line: &str, _: Duration) -> Result<Vec<u8>> {
        let mut shell = Command::new("sh");
        shell.args(["-c", line]).stdin(Stdio::null());
        let output = shell.stderr(Stdio::null()).output();
        let output = output.map_err(|source| CaptureError::Local {
            path: "sh".to_owned(),
            source,
        })?;
        Ok(output.stdout)
    }
}
