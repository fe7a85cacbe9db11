//! Block devices and file systems.

use traceloom_trace::{LaneKey, TraceBuilder};

use super::args::Fields;
use super::interpreter::Interpreter;
use super::position::At;
use super::slices::lane_key;
use crate::ftrace::event::Value;

/// The track of a thread for its file operations.
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
        let (dev, sector) = (fields.get("dev")?, fields.int("sector")?);
        let name = fields.text("rwbs")?;
        let key = self.request(dev, sector, out);
        self.lane_begin(at, key, name, fields, out);
        Some(())
    }

    pub(super) fn request_end(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let (dev, sector) = (fields.get("dev")?, fields.int("sector")?);
        let key = self.request(dev, sector, out);
        self.lane_end(at, key, fields, out)
    }

    /// The key of a request to a device, which is mostly the same as that of the last request.
    fn request(&mut self, dev: Value<'_>, sector: i64, out: &mut TraceBuilder) -> LaneKey {
        if let (Value::Text(dev), Some((last, track))) = (dev, &self.disk)
            && dev == last
        {
            return LaneKey {
                track: *track,
                cookie: sector,
            };
        }
        let key = lane_key(&format!("block {}", dev.shown()), sector, out);
        if let Value::Text(dev) = dev {
            self.disk = Some((dev.to_owned(), key.track));
        }
        key
    }

    /// `block_rq_requeue`: the device returned the request, and will get it again.
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
