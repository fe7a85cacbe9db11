//! The names that descriptors and events give to threads. The kernel knows only the first 15 letters of a name, so they
//! count more.

use traceloom_trace::{StringId, ThreadId, TraceBuilder};

/// The names, in order.
#[derive(Debug, Default)]
pub(super) struct ThreadNames {
    /// Names of descriptors.
    own: Vec<(ThreadId, StringId)>,
    /// What Chrome calls the kinds of threads, and what its metadata calls them: only for threads without a name of
    /// their own.
    others: Vec<(ThreadId, StringId)>,
}

impl ThreadNames {
    /// Keeps the name of a descriptor, unless it is empty.
    pub fn keep(&mut self, utid: ThreadId, name: &[u8], out: &mut TraceBuilder) {
        if !name.is_empty() {
            self.own.push((utid, out.intern(name)));
        }
    }

    /// Keeps another name.
    pub fn keep_other(&mut self, utid: ThreadId, name: &[u8], out: &mut TraceBuilder) {
        if !name.is_empty() {
            self.others.push((utid, out.intern(name)));
        }
    }

    /// Names the threads, after everything else.
    pub fn apply(&self, out: &mut TraceBuilder) {
        for (utid, name) in self.others.iter().chain(&self.own) {
            out.name_thread(*utid, *name);
        }
    }
}
