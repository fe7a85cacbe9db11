//! Thread names from descriptors and events. The kernel stores only the first 15 bytes of a name, so these names take
//! precedence.

use traceloom_trace::{StringId, ThreadId, TraceBuilder};

/// The names, in the order of the input.
#[derive(Debug, Default)]
pub(super) struct ThreadNames {
    /// Names of descriptors.
    own: Vec<(ThreadId, StringId)>,
    /// Names of Chrome's thread types, and from its metadata events. They are only used for threads whose descriptor
    /// has no name.
    others: Vec<(ThreadId, StringId)>,
}

impl ThreadNames {
    /// Adds the name of a descriptor, unless it is empty.
    pub fn keep(&mut self, utid: ThreadId, name: &[u8], out: &mut TraceBuilder) {
        if !name.is_empty() {
            self.own.push((utid, out.intern(name)));
        }
    }

    /// Adds a name from another source.
    pub fn keep_other(&mut self, utid: ThreadId, name: &[u8], out: &mut TraceBuilder) {
        if !name.is_empty() {
            self.others.push((utid, out.intern(name)));
        }
    }

    /// Names the threads. Must be called last, because it overrides other names.
    pub fn apply(&self, out: &mut TraceBuilder) {
        for (utid, name) in self.others.iter().chain(&self.own) {
            out.name_thread(*utid, *name);
        }
    }
}
