#![doc = include_str!("../README.md")]
#![warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod bytes;
mod chunk;
mod clock;
mod events;
mod fault;
mod header;
mod image;
pub mod layout;
mod mark;
mod merge;
mod names;
mod note;
mod record;
mod recording;
mod stream;

pub use bytes::fixed;
pub use chunk::{ChunkHeader, ClaimState, Owner, claim_of, state_of};
pub use clock::ClockMap;
pub use events::{Event, Name, What};
pub use header::{ClockSource, FileHeader, FileState, Losses, OpenError, Policy, SyncPoint};
pub use image::{Image, OwnerIndex};
pub use merge::Events;
pub use names::{method_parts, unnamed_id, unnamed_method};
pub use note::{NoteKind, note_cells};
pub use record::{Kind, MAX_DELTA, Records, count_events, first_word, parts_of};
pub use recording::{Faults, Recording, Thread};
