//! The choice of an additional buffer.

/// A separate buffer for some events.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExtraBuffer {
    /// Categories, single events (`system/name`) and whole systems.
    pub items: Vec<String>,
    /// Size of each CPU's buffer, KB.
    pub buffer_kb: u32,
}

impl ExtraBuffer {
    /// Its name in the trace.
    pub fn name(&self) -> String {
        self.items.join(",")
    }

    /// The name of the trace instance for this process's additional buffer `number`. No other
    /// recording uses it.
    pub fn instance(number: usize) -> String {
        format!("traceloom-{}-{number}", std::process::id())
    }
}
