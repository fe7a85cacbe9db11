#![doc = include_str!("../README.md")]
#![warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod elf;
mod functions;
mod kernel;
mod search;

use std::path::PathBuf;

use traceloom_formats::{CodeFile, CodePlaces, Symbolizer};

use search::Folders;

/// Names functions from ELF files on this machine: files in folders that the user names, separate debug symbols, and
/// the files that the trace names. Their build ids must match the trace.
#[derive(Debug)]
pub struct LocalSymbols {
    folders: Folders,
}

impl LocalSymbols {
    /// Searches these folders first, including their subfolders.
    pub fn new(folders: Vec<PathBuf>) -> Self {
        Self {
            folders: Folders::new(folders),
        }
    }
}

impl Symbolizer for LocalSymbols {
    fn name_functions(
        &self,
        file: &CodeFile<'_>,
        places: &[u64],
        found: &mut dyn FnMut(usize, &str),
    ) {
        match file.places {
            CodePlaces::Kernel => kernel::name_functions(file, places, found),
            kind => elf::name_functions(&self.folders.candidates(file), kind, places, found),
        }
    }
}
