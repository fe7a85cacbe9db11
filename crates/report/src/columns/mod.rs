//! The trace as compact, versioned columns. [`encode`] turns a trace into a few blocks of bytes, and
//! [`decode`] turns them back.

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

pub use decode::decode;
pub use encode::{BLOCKS, Block, VERSION, encode, encode_block};
pub use error::ColumnsError;
