//! Block devices and file systems.

use traceloom_trace::TraceBuilder;

use super::args::Fields;
use super::{At, Interpreter};

/// The row of a thread that its file operations stand on.
const ROW: &str = "disk";

impl Interpreter {
    /// `block_rq_issue`: the device works on a request until `block_rq_complete` of its sector.
    pub(super) fn request_begin(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let track = format!("block {}", fields.shown("dev")?);
        let sector = fields.int("sector")?;
        self.lane_begin(at, (&track, sector), fields.text("rwbs")?, fields, out);
        Some(())
    }

    pub(super) fn request_end(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let track = format!("block {}", fields.shown("dev")?);
        self.lane_end(at, (&track, fields.int("sector")?), fields, out)
    }

    /// `block_rq_requeue`: the device gave the request back, and will get it again.
    pub(super) fn request_requeued(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        self.request_end(at, fields, out)?;
        None
    }

    pub(super) fn ext4_sync(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        self.thread_begin(at, ROW, b"ext4_sync_file", fields, out)
    }

    pub(super) fn ext4_sync_end(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        self.thread_end(at, ROW, b"ext4_sync_file", fields, out)
    }

    pub(super) fn ext4_write(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        self.thread_begin(at, ROW, b"ext4_write", fields, out)
    }

    pub(super) fn ext4_write_end(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        self.thread_end(at, ROW, b"ext4_write", fields, out)
    }

    pub(super) fn f2fs_sync(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        self.thread_begin(at, ROW, b"f2fs_sync_file", fields, out)
    }

    pub(super) fn f2fs_sync_end(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        self.thread_end(at, ROW, b"f2fs_sync_file", fields, out)
    }

    pub(super) fn f2fs_write(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        self.thread_begin(at, ROW, b"f2fs_write", fields, out)
    }

    pub(super) fn f2fs_write_end(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        self.thread_end(at, ROW, b"f2fs_write", fields, out)
    }
}
