//! Requests to block devices.

use traceloom_trace::{LaneKey, TraceBuilder};

use super::args::Fields;
use super::interpreter::Interpreter;
use super::open_pairs::Request;
use super::pairs::missing_ends;
use super::position::At;
use super::slices::lane_key;
use crate::ftrace::event::Value;

impl Interpreter {
    /// `block_rq_issue`: the device works on a request until `block_rq_complete` of its last
    /// sector. A second request for the same sector replaces the first, whose end must be missing.
    pub(super) fn request_begin(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let (dev, sector) = (fields.get("dev")?, fields.int("sector")?);
        let name = fields.text("rwbs")?;
        let key = self.request(dev, sector, out);
        let left = fields.int("nr_sector").unwrap_or(0);
        if let Some(earlier) = self.requests.insert(key, Request { key, left })
            && self.lanes.end(out, earlier.key, at.ts).is_some()
        {
            missing_ends(at, 1, out);
        }
        self.lane_begin(at, key, name, fields, out);
        Some(())
    }

    /// `block_rq_complete`. If it has fewer sectors than the request, the rest completes later,
    /// starting at the next sector.
    pub(super) fn request_end(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let (dev, sector) = (fields.get("dev")?, fields.int("sector")?);
        let key = self.request(dev, sector, out);
        let Some(request) = self.requests.remove(&key) else {
            self.history.unmatched(at);
            return None;
        };
        let done = fields.int("nr_sector").unwrap_or(0);
        if done > 0 && done < request.left {
            let rest = LaneKey {
                cookie: sector.saturating_add(done),
                ..key
            };
            let left = request.left - done;
            self.requests.insert(rest, Request { left, ..request });
            return None;
        }
        self.lane_end(at, request.key, fields, out).map(drop)
    }

    /// The key of a request to a device, which is usually the same device as for the last request.
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

    /// `block_rq_requeue`: the device returned the request, and will receive it again.
    pub(super) fn request_requeued(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let (dev, sector) = (fields.get("dev")?, fields.int("sector")?);
        let key = self.request(dev, sector, out);
        if let Some(request) = self.requests.remove(&key) {
            self.lane_end(at, request.key, fields, out);
        }
        None
    }
}
