//! What to record of processes and their memory.

use std::time::Duration;

/// Which processes to dump in full: with the memory sizes of all their pages, which is slow.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub enum FullDump {
    /// None.
    #[default]
    None,
    /// All processes.
    All,
    /// Apps.
    Apps,
    /// Processes with these names.
    Named(Vec<String>),
}

/// What to record of processes and their memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MemoryOptions {
    /// How often to look at all processes. The machine's own memory is read ten times a second.
    pub interval: Duration,
    /// Which processes to dump in full.
    pub full: FullDump,
    /// Whether to list the memory regions of processes in [`FullDump::Named`].
    pub mmaps: bool,
}

impl Default for MemoryOptions {
    /// Every five seconds, no full dumps.
    fn default() -> Self {
        Self {
            interval: Duration::from_secs(5),
            full: FullDump::None,
            mmaps: false,
        }
    }
}
