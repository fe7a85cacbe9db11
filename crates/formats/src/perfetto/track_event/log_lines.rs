//! Log messages in track events (`LogMessage`), which Chrome writes with `LOG(…)`.

use traceloom_trace::{ArgValue, TraceBuilder};

use super::super::wire::Fields;
use super::event::Event;
use super::interpret::{At, TrackEvents};
use super::names::{Names, interned};

/// The field number in `TrackEvent`.
const LOG_MESSAGE: u32 = 21;

/// The priority of messages without one. The page shows no messages below this priority.
const INFO: i64 = 4;

impl<'s> TrackEvents<'s> {
    /// Adds the log message of an event, if it has one, to the lines of Android's log.
    pub(super) fn log_line(&mut self, at: &At<'s>, event: &Event<'s>, out: &mut TraceBuilder) {
        let mut fields = event.others.iter();
        let Some(message) = fields.find(|field| field.number == LOG_MESSAGE) else {
            return;
        };
        let Some(utid) = self.thread_of(at, event, out) else {
            return;
        };
        let line = Line::read(message.fields(), &at.names);
        let Some(text) = line.text else {
            return;
        };
        let mut cells = vec![
            ("utid", utid.into()),
            ("prio", ArgValue::Int(line.priority)),
            ("log_source", ArgValue::Text(out.intern(b"android_logcat"))),
            ("msg", ArgValue::Text(out.intern(text))),
        ];
        if let Some(place) = line.place {
            cells.push(("tag", ArgValue::Text(out.intern(&place))));
        }
        out.record(at.ts, "__intrinsic_logs", &cells);
    }
}

struct Line<'s> {
    priority: i64,
    text: Option<&'s [u8]>,
    /// The source file and line of the message.
    place: Option<Vec<u8>>,
}

impl<'s> Line<'s> {
    fn read(message: Fields<'s>, names: &Names<'s>) -> Self {
        let mut line = Line {
            priority: INFO,
            text: None,
            place: None,
        };
        for field in message {
            match field.number {
                1 => line.place = place(field.uint(), names),
                2 => line.text = names.text(interned::LOG_MESSAGES, field.uint()),
                3 => line.priority = field.int(),
                _ => {}
            }
        }
        line
    }
}

/// A source location: `file:line`.
fn place(iid: u64, names: &Names<'_>) -> Option<Vec<u8>> {
    let (mut file, mut line) = (&b""[..], 0);
    for field in names.message(interned::SOURCE_LOCATIONS, iid)? {
        match field.number {
            2 => file = field.bytes(),
            4 => line = field.uint(),
            _ => {}
        }
    }
    Some([file, format!(":{line}").as_bytes()].concat())
}
