#![doc = include_str!("../README.md")]

mod answer;
mod ask;
mod cancel;
mod engine;
mod error;
mod frame;
mod ops;
mod scope;
mod text;
mod times;
mod trees;

pub use cancel::Cancel;
pub use engine::Engine;
pub use error::EngineError;
pub use frame::Frame;
