//! The layout of the ring file: what an app records about itself, in one memory-mapped file that outlives a crash.
//!
//! `traceloom-inapp` writes it while the app runs, `traceloom-formats` reads it. This crate depends on
//! nothing, so that the library in the app stays small and both sides agree on every byte.
//!
//! ```
//! use traceloom_ring::{Event, FileHeader, Image, Name, Owner, Recording, What};
//!
//! let mut image = Image::new(FileHeader::default());
//! let main = image.owner(Owner { pid: 7, tid: 7, name: *b"main\0\0\0\0\0\0\0\0\0\0\0\0" });
//! image.push(main, 1_000, &What::Begin(Name::Text(b"draw")));
//! image.push(main, 4_000, &What::End);
//!
//! let bytes = image.into_bytes();
//! let recording = Recording::open(&bytes).unwrap();
//! let times: Vec<i64> = recording.events().map(|Event { ts_ns, .. }| ts_ns).collect();
//! assert_eq!(times, [1_000, 4_000]);
//! ```
//!
//! [`layout`] draws the file; [`Recording`] reads it, whatever happened to it; [`Image`] writes one that
//! nobody else writes to. What several threads write at once, and how, is the recorder's business.

mod bytes;
mod chunk;
mod clock;
mod events;
mod header;
mod image;
pub mod layout;
mod merge;
mod names;
mod note;
mod record;
mod recording;
mod stream;

pub use bytes::fixed;
pub use chunk::{ChunkHeader, ClaimState, Owner, claim_of, state_of};
pub use clock::{ClockMap, SyncPoint};
pub use events::{Event, Name, What};
pub use header::{ClockSource, FileHeader, FileState, Losses, OpenError, Policy};
pub use image::{Image, OwnerIndex};
pub use merge::Events;
pub use names::{method_parts, unnamed_id, unnamed_method};
pub use note::{Note, NoteKind, note_cells};
pub use record::{Kind, MAX_DELTA, Words, is_event, pieces, record_bytes, word};
pub use recording::{Chunk, Faults, Recording, Thread};
