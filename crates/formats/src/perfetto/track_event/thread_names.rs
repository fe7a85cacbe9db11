//! The names that descriptors give to threads. The kernel knows only the first 15 letters of a name, so they count more.

use traceloom_trace::{StringId, ThreadId, TraceBuilder};

/// The names, in the order of the file.
#[derive(Debug, Default)]
pub(super) struct ThreadNames(Vec<(ThreadId, StringId)>);

impl ThreadNames {
    /// Keeps a name, unless it is empty.
    pub fn keep(&mut self, utid: ThreadId, name: &[u8], out: &mut TraceBuilder) {
        if !name.is_empty() {
            self.0.push((utid, out.intern(name)));
        }
    }

    /// Names the threads, after everything else.
    pub fn apply(&self, out: &mut TraceBuilder) {
        for (utid, name) in &self.0 {
            out.name_thread(*utid, *name);
        }
    }
}
