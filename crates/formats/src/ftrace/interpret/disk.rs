//! Block devices and file systems.

use traceloom_trace::TraceBuilder;

use super::args::Fields;
use super::{At, Interpreter};

/// The row of a thread that its file operations stand on.
pub(super) const ROW: &str = "disk";

/// Names of the slices there.
pub(super) const EXT4_SYNC: &[u8] = b"ext4_sync_file";
pub(super) const EXT4_WRITE: &[u8] = b"ext4_write";
pub(super) const F2FS_SYNC: &[u8] = b"f2fs_sync_file";
pub(super) const F2FS_WRITE: &[u8] = b"f2fs_write";

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
}
