//! What systrace puts together in one file: its agents' data as texts beside the events, and the
//! markers that tie their clocks together.

use traceloom_trace::{ClockKind, ClockRow, Place, RepairKind, RowId, SourceId, TraceBuilder};

use super::event::Event;
use super::interpret::Interpreter;
use super::json::{Value, micros_to_ns, unescape};
use super::members::MOST_MEMBERS;
use crate::error::ReadError;
use crate::format::Target;
use crate::format_id;
use crate::unwrap::Inner;

impl Interpreter {
    /// A trace in a string: ftrace text, as Chromium on Linux writes it, and what else systrace put
    /// into its JSON.
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
            Err(error @ (ReadError::TooDeep { .. } | ReadError::TooBig { .. })) => {
                return Err(error);
            }
            Err(error) => out.repair(RepairKind::SkippedEntry, 1, Place::default(), || {
                format!("{key}: {error}")
            }),
        }
        Ok(())
    }

    /// Keeps one whose clock is its own, to be read when all else is.
    pub(super) fn hold_deferred(&mut self, key: &str, text: &[u8], place: Place) {
        match text {
            [b'"', inside @ .., b'"'] => {
                self.deferred.add(key, unescape(inside).into_owned());
                self.read_inner = true;
            }
            _ => self.hold_member(key, text, place),
        }
    }

    /// A marker that another block of the same page may have too; that block's clock then counts.
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
        if let Some(row) = out.trace().clocks.iter().find(|row| row.name == name) {
            self.shift = row.ts.saturating_sub(issued);
            return;
        }
        if self.clocks.len() >= MOST_MEMBERS {
            self.members_beyond += 1;
            return;
        }
        // Who issued it does not know when the other side took notice, only when it was asked to
        // and when it had.
        self.clocks.push(ClockRow {
            source: SourceId::NONE,
            clock: ClockKind::Trace,
            ts: issued,
            value_ns: issued,
            precision_ns: ts.saturating_sub(issued).max(0),
            name,
        });
    }

    /// Markers that nobody else had so far: others may look for them.
    pub(super) fn put_clocks(&mut self, out: &mut TraceBuilder) {
        for mut row in std::mem::take(&mut self.clocks) {
            row.ts = row.ts.saturating_add(self.shift);
            row.value_ns = row.ts;
            out.clock(row);
        }
    }
}
