//! What tests, benchmarks and fuzzing share. It depends on nothing of traceloom, so that what it
//! makes is a second opinion: its traces are put together byte by byte from the formats' description.

mod alloc;
mod app;
mod calls;
mod corpus;
mod ftrace_text;
mod method_trace;
mod mutate;
mod replay;
mod rng;
mod samples;

pub use alloc::PeakAlloc;
pub use app::app_trace;
pub use calls::{CallShape, call_trace};
pub use corpus::{Corpus, CorpusFile, READ_CATEGORIES, workspace_root};
pub use ftrace_text::ftrace_text;
pub use method_trace::{Clock, MethodTraceBytes, Record};
pub use mutate::mutate;
pub use replay::replay;
pub use rng::Rng;
pub use samples::{Sample, SampleKind, samples};
