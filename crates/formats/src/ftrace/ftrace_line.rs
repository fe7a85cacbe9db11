//! Reads single lines, for a caller that watches a stream while it is recorded.

use super::fast::prefix;

/// A parsed line of ftrace text. The reader parses lines in the same way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FtraceLine<'a> {
    /// The tid.
    pub tid: i32,
    /// Time in ns, on the trace's clock.
    pub ts_ns: i64,
    /// The event's name, such as `sched_switch`.
    pub event: &'a [u8],
    /// The text after the name.
    pub payload: &'a [u8],
}

impl<'a> FtraceLine<'a> {
    /// Parses a line; `None` if it is not an event.
    pub fn read(line: &'a [u8]) -> Option<Self> {
        let prefix = prefix(line)?;
        let end = prefix.rest.iter().position(|&byte| byte == b':')?;
        let (event, payload) = prefix.rest.split_at(end);
        Some(Self {
            tid: prefix.tid,
            ts_ns: prefix.ts,
            event,
            payload: payload[1..].trim_ascii(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::FtraceLine;

    #[test]
    fn a_mark_and_what_is_no_event() {
        let line = b" RenderThread-345   (  300) [001] ...1   123.000004: tracing_mark_write: B|300|draw: it";
        let read = FtraceLine::read(line).unwrap();
        assert_eq!((read.tid, read.ts_ns), (345, 123_000_004_000));
        assert_eq!(
            (read.event, read.payload),
            (&b"tracing_mark_write"[..], &b"B|300|draw: it"[..])
        );
        assert_eq!(FtraceLine::read(b"CPU:1 [LOST 12 EVENTS]"), None);
        assert_eq!(FtraceLine::read(b"# tracer: nop"), None);
    }
}
