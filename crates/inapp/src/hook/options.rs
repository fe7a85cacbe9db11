//! The choice of hooks, and the result.

/// Which libraries to hook. The library that contains this crate is never hooked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Libraries {
    /// All loaded libraries.
    #[default]
    All,
    /// Libraries with these file names or SONAMEs, such as `libcutils.so`.
    Named(Vec<String>),
}

/// How to catch marks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Which libraries to hook.
    pub libraries: Libraries,
    /// Whether libraries that are loaded later are hooked as soon as a function is looked up in them (x86-64 and aarch64
    /// only). Otherwise they are hooked by the next [`Hook::refresh`](super::Hook::refresh).
    pub watch_loads: bool,
    /// Whether the kernel gets the marks too, if there is a `trace_marker`.
    pub pass_on: bool,
}

impl Default for Options {
    /// All libraries, including those loaded later; the kernel gets the marks too.
    fn default() -> Self {
        Self {
            libraries: Libraries::All,
            watch_loads: true,
            pass_on: true,
        }
    }
}

/// The result of a walk over the libraries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// Number of libraries visited.
    pub libraries: usize,
    /// Number of words changed.
    pub changed: usize,
    /// Number of words in libraries that the linker has not finished binding. The next walk covers them.
    pub unfinished: usize,
    /// Number of words not changed, because their page cannot be made writable, or because too many other hooks exist.
    pub refused: usize,
    /// Number of tables that point outside their library. The rest of such a table was skipped.
    pub broken: usize,
}

/// The result of removing a hook.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Removed {
    /// Number of words restored.
    pub restored: usize,
    /// Number of words not restored, because other code has changed them since. If they still lead to this crate, writes
    /// pass through it unchanged.
    pub left_alone: usize,
}
