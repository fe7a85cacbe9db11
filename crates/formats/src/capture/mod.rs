//! Test support: captures the contents of containers byte by byte.

mod format;
mod run;

pub(crate) use format::Capture;
pub(crate) use run::{capture, captured, corpus, corpus_root};
