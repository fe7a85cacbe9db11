//! The engine behind the page: a trace in, answers to the page's questions out.
//!
//! The live server runs it natively; a report carries it as WebAssembly beside the trace's
//! columns. So every number on the page comes from one implementation, that of `traceloom-analyze`.
//! `PROTOCOL.md` beside this crate lists the questions and the answers.
//!
//! ```
//! use traceloom_engine::{Cancel, Engine};
//! use traceloom_trace::TraceBuilder;
//!
//! let engine = Engine::new(TraceBuilder::new().finish());
//! let answer = engine.answer(br#"{"op":"meta"}"#, &Cancel::default());
//! assert!(answer.len() > 8);
//! ```

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
