//! Records events to a ring file that survives a crash.
//!
//! ```no_run
//! use traceloom_inapp::recorder::{Format, Options, counter, save, section, start, stop};
//!
//! start(&Options::new("/data/data/com.example/cache/app.ring"))?;
//! {
//!     let _section = section("decode");
//!     counter("queued", 3);
//! }
//! save("/data/data/com.example/cache/last.systrace".as_ref(), Format::Ftrace, None)?;
//! stop();
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! An event costs a clock read and a few stores: no lock, no allocation, no system call. Signal handlers may record,
//! whatever they interrupt. A thread that ends frees its space. A forked child records nothing until it starts a
//! recording itself. All losses are counted in the file.
//!
//! ```text
//! thread ── writes ──► its chunk ─┐                    ┌─► save: ring file, ftrace text, .trace
//! thread ── writes ──► its chunk ─┼─ the mapped file ──┼─► stop
//! handler ─ writes ──► its chunk ─┘   (a pool)         └─► after a crash: the next start, or the host
//! ```

mod api;
mod current;
mod fast;
mod fault;
mod fork;
mod leftovers;
mod lifecycle;
mod map;
mod new_file;
mod notes;
mod options;
mod previous;
mod process;
mod queue;
mod sampled;
mod save;
mod saving;
mod session;
mod short_calls;
mod snapshot;
pub(crate) mod stacks;
mod text;
mod threads;
mod ticks;
mod waits;
mod watch;
mod write;
mod writer;

/// For the C and Java interfaces, whose text need not be UTF-8.
pub(crate) mod raw {
    pub(crate) use super::api::name_bytes as name_id;
    pub(crate) use super::write::text_event;
}

pub use api::{
    Section, async_begin, async_begin_id, async_end, async_end_id, begin, begin_id, counter,
    counter_id, end, instant, instant_id, mark, method_enter, method_exit, name_id, section,
    section_id,
};
pub use current::is_recording;
pub use lifecycle::{Started, start, stop};
pub use options::{ClockSource, Options, Policy, Triggers};
pub use previous::Previous;
pub use save::Format;
pub use saving::{convert, save};
pub(crate) use waits::{prepare as prepare_waits, wait};
pub(crate) use watch::before_saving;
pub use watch::{frame, task_begin, task_end};
