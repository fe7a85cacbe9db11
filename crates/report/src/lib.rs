#![doc = include_str!("../README.md")]

mod base64_decoder;
mod columns;
mod decoder;
mod error;
mod writer;

pub use base64_decoder::Base64Decoder;
pub use columns::{BLOCKS, Block, ColumnsError, VERSION, decode, encode, encode_block};
pub use decoder::{Decoder, is_report};
pub use error::DecodeError;
pub use writer::{META, write_trace};
