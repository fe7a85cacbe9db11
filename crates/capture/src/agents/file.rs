//! A trace that was recorded earlier.

use std::fs::File;
use std::io::Read;
use std::path::PathBuf;
use std::time::Duration;

use crate::agent::{Agent, PartKind, Sink};
use crate::error::{CaptureError, Result};

/// Hands over a file.
#[derive(Debug)]
pub struct FileAgent {
    path: PathBuf,
}

impl FileAgent {
    /// An agent for the file at `path`.
    pub fn new(path: PathBuf) -> Self {
        Self { path }
    }

    fn error(&self, source: std::io::Error) -> CaptureError {
        CaptureError::Local {
            path: self.path.display().to_string(),
            source,
        }
    }
}

impl Agent for FileAgent {
    fn name(&self) -> &str {
        "file"
    }

    fn start(&mut self, _: Duration) -> Result<Vec<String>> {
        File::open(&self.path).map_err(|error| self.error(error))?;
        Ok(Vec::new())
    }

    fn collect(&mut self, _: Duration, sink: &mut dyn Sink) -> Result<()> {
        let mut file = File::open(&self.path).map_err(|error| self.error(error))?;
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        sink.begin(PartKind::File, &name)
            .map_err(CaptureError::Sink)?;
        let mut buffer = vec![0; 1 << 20];
        loop {
            let length = file.read(&mut buffer).map_err(|error| self.error(error))?;
            if length == 0 {
                return Ok(());
            }
            sink.data(&buffer[..length]).map_err(CaptureError::Sink)?;
        }
    }
}
