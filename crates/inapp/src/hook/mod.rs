//! Catching what libraries write to the kernel's `trace_marker`.
//!
//! A library calls `write` through a pointer that the linker filled in. [`Hook::install`] finds these pointers in the
//! chosen libraries and replaces them by pointers to functions of this crate. Removing the hook restores the pointers
//! and the protection of their pages. The functions pass writes to a `trace_marker` to [`OnMark`], and
//! all others to the original function, with the same arguments and result.
//!
//! ```no_run
//! use traceloom_inapp::hook::{Hook, Options};
//!
//! fn on_mark(payload: &[u8]) { /* `B|123|name`; must not block, allocate or write */ }
//!
//! # fn main() -> Result<(), traceloom_inapp::hook::HookError> {
//! let hook = Hook::install(&Options::default(), on_mark)?;
//! // … libraries write to trace_marker …
//! drop(hook);
//! # Ok(())
//! # }
//! ```
//!
//! | file | |
//! |---|---|
//! | `handle` | `Hook`: installs and removes |
//! | `options` | which libraries to hook, and the result |
//! | `scan` | walks the libraries and decides which words to change |
//! | `slots` | changes a word, whatever the protection of its page |
//! | `replacements` | the functions that replace `write` and `__write_chk` |
//! | `waits`, `binder` | the functions that replace those in which threads wait |
//! | `loads` | the functions that replace `dlopen` and `dlsym`, to notice newly loaded libraries |
//! | `marker` | which file descriptors are a `trace_marker`, and what happens to a mark |
//! | `lock` | a lock for one scan at a time |

mod binder;
mod handle;
mod loads;
mod lock;
mod marker;
mod options;
mod replacements;
mod scan;
mod slots;
mod waits;

pub use handle::{Hook, HookError};
pub use marker::{MAGIC_FD, OnMark};
pub(crate) use marker::{errno, is_trace_marker, set_errno};
pub use options::{Libraries, Options, Removed, Report};
pub use waits::{OnWait, Wait};
