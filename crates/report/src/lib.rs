#![doc = include_str!("../README.md")]
// Input may be anything: code that handles it must not panic.
#![warn(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::unreachable,
    clippy::todo,
    clippy::unimplemented
)]

mod base64_decoder;
mod columns;
mod decoder;
mod error;
mod writer;

pub use base64_decoder::Base64Decoder;
pub use columns::{Block, BlockDecoder, ColumnsError, VERSION, decode, encode};
pub use decoder::{Decoder, is_report};
pub use error::DecodeError;
pub use writer::{META, write_trace};
