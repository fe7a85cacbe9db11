//! The machines of a Perfetto trace, one by one, as its reader passes them to the archive around it.
//!
//! ```text
//! archive   a.pftrace   machine 0   rows in the trace itself    clocks, facts
//!                       machine 7   a trace of its own          clocks, facts
//! ```
//! Two files may contain the same machine, and their machines may have different clocks. Only the archive has all
//! files.

use std::sync::{Arc, Mutex};

use traceloom_trace::{ClockKind, ClockRow, Trace};

/// The machines of a file, filled by its reader.
#[derive(Clone, Default)]
pub(crate) struct Parts(Arc<Mutex<Vec<Part>>>);

impl Parts {
    /// Adds a machine.
    pub fn push(&self, part: Part) {
        if let Ok(mut parts) = self.0.lock() {
            parts.push(part);
        }
    }

    /// All machines, in the order in which they were added.
    pub fn take(&self) -> Vec<Part> {
        self.0
            .lock()
            .map(|mut parts| std::mem::take(&mut *parts))
            .unwrap_or_default()
    }
}

impl std::fmt::Debug for Parts {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Parts")
    }
}

/// A machine of a file.
pub(crate) struct Part {
    /// Its number in the packets; 0 for the machine that recorded.
    pub raw: u32,
    /// Its known properties, by column of the table `machine`.
    pub facts: Vec<(&'static str, MachineFact)>,
    /// Its clocks.
    pub clocks: MachineClocks,
    /// Where its rows are.
    pub rows: PartRows,
}

/// A fact about a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum MachineFact {
    Number(i64),
    Text(String),
}

/// Where the rows of a machine are.
pub(crate) enum PartRows {
    /// In the file's own trace.
    Shared,
    /// In a trace of its own.
    Own(Box<Trace>),
}

/// The clocks of a machine.
#[derive(Clone, Debug, Default)]
pub(crate) struct MachineClocks {
    /// The clock of the timestamps in its rows; `None` if the file does not name it.
    pub own: Option<ClockKind>,
    /// Readings of its other clocks at times of its rows.
    pub rows: Vec<ClockRow>,
    /// Whether simultaneous clock readings connect it with the machine that recorded.
    pub is_synced: bool,
}
