//! The trace as compact, versioned columns. [`encode`] converts a trace to a few blocks of bytes,
//! and [`decode`] converts them back.

mod bytes;
mod check;
mod decode;
mod encode;
mod error;
mod group;
mod nest;
mod pack;
mod read;
mod rule;
mod schema;
mod states;
mod transform;
mod value;
mod write;

pub use decode::{BlockDecoder, decode};
pub use encode::{BLOCKS, Block, VERSION, encode, encode_block};
pub use error::ColumnsError;
