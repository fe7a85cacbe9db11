//! Method traces: all `.trace` files written by Traceview, Dalvik and ART.
//!
//! ```text
//!            ┌ key section (text) ┐┌ header ┐┌ body ─────────────────────────────┐
//! v1 v2 v3   *version … *end       SLOW       records of one size
//! streaming                        SLOW       records, names and a summary between them
//! a1 a2 b                          SLOW       packets with deltas
//! ```
//!
//! [`key`] and [`header`] read the front, [`classic`] decodes records; [`records`], [`streaming`]
//! and [`v2`] turn the body into events with the help of [`emit`]. None of these depends on tables;
//! [`interpret`] fills them.

mod classic;
mod clocks;
mod emit;
mod header;
mod ids;
mod interpret;
mod key;
mod leb;
mod long_running;
mod opening;
mod parser;
mod reader;
mod records;
mod streaming;
mod two_pass;
mod v2;
mod v2_header;
mod write;

pub use classic::{ByWidth, MethodRecord, MethodRecords, WidthRecords};
pub(crate) use long_running::LongRunning;

use crate::format::{Confidence, Format, ReadOptions, Reader, Writer};
use crate::format_id;

/// `.trace` files of Dalvik and ART.
pub(crate) struct ArtMethod;

impl Format for ArtMethod {
    fn id(&self) -> &'static str {
        format_id::METHOD_TRACE
    }

    fn title(&self) -> &'static str {
        "method trace"
    }

    fn sniff(&self, head: &[u8]) -> Confidence {
        if key::begins(head) {
            return Confidence::Certain;
        }
        match header::peek_version(head) {
            Some(version) if header::is_known(version) => Confidence::Certain,
            Some(_) => Confidence::Likely,
            None => Confidence::No,
        }
    }

    fn reader(&self, _: &ReadOptions) -> Option<Box<dyn Reader>> {
        Some(Box::<reader::MethodReader>::default())
    }

    fn writer(&self) -> Option<&dyn Writer> {
        Some(&write::TraceWriter)
    }
}
