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

mod answer;
mod ask;
mod cancel;
mod engine;
mod error;
mod events;
mod field;
mod frame;
mod ops;
mod preview;
mod scope;
mod text;
mod times;
mod trees;

pub use cancel::Cancel;
pub use engine::Engine;
pub use error::EngineError;
pub use frame::Frame;
