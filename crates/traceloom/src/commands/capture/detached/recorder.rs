//! The side of the recorder, which runs in the background.

use std::io::{PipeWriter, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;

use super::folder::{About, Ending, Folder};

/// Connects a recorder in the background with its folder.
#[derive(Clone, Debug)]
pub struct Detached {
    folder: Folder,
    /// The pipe to `start`. A byte in it means that the recording has begun.
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

    /// Reports to `start` that the recording has begun.
    ///
    /// # Errors
    /// If that cannot be stored.
    pub fn begun(&self, about: &About) -> Result<()> {
        self.folder.write("about", &serde_json::to_vec(about)?)?;
        let mut ready = self.ready.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(mut ready) = ready.take() {
            // If `start` was killed, the recording continues.
            _ = ready.write_all(&[1]);
        }
        Ok(())
    }

    /// The output file that was given to `stop`.
    pub fn asked_output(&self) -> Option<PathBuf> {
        let asked = std::fs::read(self.folder.file("output")).ok()?;
        serde_json::from_slice(&asked).ok()
    }

    /// Stores how the recording ended: the file that was written, or `None` if that failed.
    pub(super) fn ended(&self, written: Option<PathBuf>) -> Result<()> {
        let ending = serde_json::to_vec(&Ending { written })?;
        self.folder.write("result", &ending)
    }
}
