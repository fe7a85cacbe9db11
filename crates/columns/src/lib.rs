//! The trace as compact, versioned columns: what a report carries.
//!
//! [`encode`] turns a trace into a few blocks of bytes and [`decode`] turns them back, row by row
//! and bit by bit. Blocks are made for deflate: what follows from other columns is left out
//! (parents, ends of nested slices, where a thread's next state begins), neighbours are put
//! together by track, CPU or thread, numbers are differences. Compressing is left to who writes
//! them: a report deflates them, and the page's browser inflates them.
//!
//! ```
//! use traceloom_columns::{decode, encode};
//! use traceloom_trace::{SliceBegin, TraceBuilder};
//!
//! let mut builder = TraceBuilder::new();
//! let main = builder.thread(42);
//! let track = builder.thread_track(main);
//! let name = builder.intern(b"draw");
//! builder.whole_slice(track, SliceBegin::named(1_000, name), 500);
//! let blocks = encode(&builder.finish());
//!
//! let trace = decode(blocks.iter().map(|block| &block.bytes[..])).unwrap();
//! assert_eq!(trace.slices.dur.get(0), 500);
//! ```
//!
//! # Versions
//! A block says which version it has, and names its tables and columns with their types. What a
//! newer program adds is passed over by an older one, and what an older one lacked is filled in.
//! Only a change of how numbers are packed raises the version.

mod bytes;
mod check;
mod decode;
mod encode;
mod error;
mod group;
mod nest;
mod pack;
mod read;
mod schema;
mod states;
mod transform;
mod value;
mod write;

pub use decode::{decode, decode_into};
pub use encode::{BLOCKS, Block, encode, encode_block};
pub use error::ColumnsError;

/// The version that is written, and the newest that is read.
pub const VERSION: u64 = 1;
