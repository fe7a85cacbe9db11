//! The manifest of an archive of Perfetto traces: JSON that gives the machine of each file and relates its clock to
//! the clocks of other files.
//!
//! ```text
//! {"perfetto_manifest": {"version": 1,
//!   "trace_time": {"clock": "BOOTTIME", "file": "phone.pftrace"},
//!   "files": [{"path": "phone.pftrace", "machine": {"name": "phone"}},
//!             {"path": "app.json", "clocks": {"sync_to": {"file": "phone.pftrace", "clock": "BOOTTIME"},
//!                                             "offset_ns": 500}}],
//!   "attributes": {"benchmark": "startup"}}}
//! ```
//! Source: google/perfetto, `docs/reference/perfetto-manifest.md` for the fields, `plugins/perfetto_manifest` for the
//! behaviour.

mod check;
mod json;

use crate::error::ReadError;

/// The first key of a manifest.
const KEY: &[u8] = b"{\"perfetto_manifest\"";

/// The bytes at the beginning of a file that show whether it is a manifest.
pub(crate) const HEAD_BYTES: u64 = 256;

/// The maximum size of a manifest, bytes.
pub(crate) const MOST_BYTES: u64 = 4 << 20;

/// A clock, by its number in Perfetto.
pub(super) type Clock = u32;

/// The content of a manifest.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Manifest {
    /// The clock of the time line.
    pub trace_time: Option<TimeLine>,
    pub files: Vec<File>,
    /// Facts about the archive.
    pub attributes: Vec<(String, String)>,
}

/// The clock of the time line.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TimeLine {
    pub clock: Clock,
    pub file: Option<String>,
    pub machine: Option<String>,
}

/// The manifest's entry for a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct File {
    pub path: String,
    /// The machine of the whole file.
    pub machine: Option<String>,
    /// The names of the machines in it, by their numbers.
    pub machines: Vec<(u32, String)>,
    pub clocks: Option<Relation>,
}

/// How a clock of a file relates to one of another file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Relation {
    /// The clock of this file; `None` for its own time line.
    pub clock: Option<Clock>,
    pub machine: Option<String>,
    pub to_file: String,
    pub to_machine: Option<String>,
    /// The clock of the other file; `None` for its own time line.
    pub to_clock: Option<Clock>,
    /// The value of the other clock when this file's clock shows 0, ns.
    pub offset_ns: i64,
}

impl Manifest {
    /// Whether a file begins like a manifest.
    pub fn begins(head: &[u8]) -> bool {
        let mut seen = head.iter().filter(|byte| !byte.is_ascii_whitespace());
        KEY.iter().all(|byte| seen.next() == Some(byte))
    }

    /// Reads a manifest.
    ///
    /// # Errors
    /// [`ReadError::Manifest`] if a field is missing or has a value that is not allowed.
    pub fn parse(text: &[u8]) -> Result<Self, ReadError> {
        let manifest = Self::from_json(text).map_err(refuse)?;
        manifest.check().map_err(refuse)?;
        Ok(manifest)
    }

    /// The entry for a file.
    pub fn file(&self, path: &str) -> Option<&File> {
        self.files.iter().find(|file| file.path == path)
    }

    /// The names of all machines, in the order in which they are named first.
    pub fn machines(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for file in &self.files {
            for name in file.names() {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        names
    }
}

impl File {
    /// The names of its machines.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let several = self.machines.iter().map(|(_, name)| name.as_str());
        self.machine.as_deref().into_iter().chain(several)
    }

    /// Whether it gives the file's clocks or the names of its machines.
    pub fn overrides(&self) -> bool {
        self.clocks.is_some() || self.names().next().is_some()
    }
}

/// The error for an invalid manifest.
pub(super) fn refuse(reason: String) -> ReadError {
    ReadError::Manifest { reason }
}

#[cfg(test)]
mod tests;
