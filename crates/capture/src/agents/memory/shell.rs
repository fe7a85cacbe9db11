//! Where lines of shell run.

use std::process::{Command, Stdio};
use std::time::Duration;

use crate::adb::Device;
use crate::error::{CaptureError, Result};

/// Runs lines of shell on the machine whose `/proc` is looked at.
pub trait ProcShell: Clone + Send + 'static {
    /// What the line prints; how it ends does not matter, as processes end while it looks.
    ///
    /// # Errors
    /// Where it cannot be run.
    fn look(&self, line: &str, limit: Duration) -> Result<Vec<u8>>;
}

impl ProcShell for Device {
    fn look(&self, line: &str, limit: Duration) -> Result<Vec<u8>> {
        Ok(self.run(line, limit)?.stdout)
    }
}

/// This machine's shell.
#[derive(Clone, Copy, Debug, Default)]
pub struct LocalShell;

impl ProcShell for LocalShell {
    fn look(&self, line: &str, _: Duration) -> Result<Vec<u8>> {
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
