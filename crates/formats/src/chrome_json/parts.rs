//! Data that systrace embeds in one file: the outputs of its agents as strings next to the events,
//! and the markers that synchronise their clocks.

use traceloom_trace::{ClockKind, ClockRow, Place, RepairKind, RowId, SourceId, TraceBuilder};

use super::event::Event;
use super::interpret::Interpreter;
use super::members::MOST_MEMBERS;
use crate::error::ReadError;
use crate::format::Target;
use crate::format_id;
use crate::json::{Value, micros_to_ns, unescape};
use crate::unwrap::Inner;

impl Interpreter {
    /// Reads a trace in a string: ftrace text, as Chromium on Linux writes it, and the other texts
    /// of systrace.
    pub(super) fn inner(
        &mut self,
        key: &str,
        text: &[u8],
        out: &mut Target<'_>,
    ) -> Result<(), ReadError> {
        let [b'"', inside @ .., b'"'] = text else {
            self.hold_member(key, text, Place::default());
            return Ok(());
        };
        let mut inner = Inner::new(format_id::CHROME_JSON, &self.options);
        let plain = unescape(inside);
        let result = inner.feed(&plain, out).and_then(|()| inner.finish(out));
        match result {
            Ok(()) => self.read_inner = true,
            Err(error) if error.is_limit() => {
                return Err(error);
            }
            Err(error) => out.repair(RepairKind::SkippedEntry, 1, Place::default(), || {
                format!("{key}: {error}")
            }),
        }
        Ok(())
    }

    /// Keeps a text with its own clock until everything else is read.
    pub(super) fn hold_deferred(&mut self, key: &str, text: &[u8], place: Place) {
        match text {
            [b'"', inside @ .., b'"'] => {
                self.deferred.add(key, unescape(inside).into_owned());
                self.read_inner = true;
            }
            _ => self.hold_member(key, text, place),
        }
    }

    /// Processes a sync marker. If another block of the page also has it, that block's clock is
    /// used.
    pub(super) fn clock_sync(
        &mut self,
        event: &Event<'_>,
        ts: i64,
        place: Place,
        out: &mut TraceBuilder,
    ) {
        let name = event.argument(b"sync_id");
        let Some(name) = name.as_ref().and_then(Value::text) else {
            return out.repair(RepairKind::BadClockSync, 1, place, || {
                "no sync_id".to_owned()
            });
        };
        let name = String::from_utf8_lossy(name).into_owned();
        let issued = event.argument(b"issue_ts");
        let issued = issued.as_ref().and_then(Value::text);
        let issued = issued.and_then(micros_to_ns).unwrap_or(ts);
        if let Some(row) = out.clock_named(&name) {
            self.shift = row.ts.saturating_sub(issued);
            return;
        }
        if self.clocks.len() >= MOST_MEMBERS {
            self.members_beyond += 1;
            return;
        }
        // The issuer cannot measure when the other side received the marker, only when it sent the request and
        // received the answer.
        self.clocks.push(ClockRow {
            source: SourceId::NONE,
            clock: ClockKind::Trace,
            ts: issued,
            value_ns: issued,
            precision_ns: ts.saturating_sub(issued).max(0),
            name,
        });
    }

    /// Adds markers that no earlier block had, for later blocks.
    pub(super) fn put_clocks(&mut self, out: &mut TraceBuilder) {
        for mut row in std::mem::take(&mut self.clocks) {
            row.ts = row.ts.saturating_add(self.shift);
            row.value_ns = row.ts;
            out.clock(row);
        }
    }
}
