//! Payloads that programs write to trace_marker: `B|pid|name` and its relatives.
//!
//! Writers are libcutils (`trace.h`, `trace-dev.inc`), bionic and ART on Android, and hitrace on
//! OpenHarmony. Names may contain `|`, so numbers are searched from the right.

use super::digits::{int32, timestamp, whole_int};
use super::event::{Cookie, CounterValue, Mark};
use super::hitrace;

/// The length to which libcutils truncates its messages, without the NUL (`ATRACE_MESSAGE_LENGTH`).
pub(crate) const CUT_LENGTH: usize = 1023;

/// The argument that keeps the cookie of an asynchronous slice.
pub(crate) const COOKIE: &str = "cookie";

/// The arguments of an asynchronous slice that began again while it was open: the number of its begins, and the time
/// of the last one, ns. Perfetto has them, too.
pub(crate) const BEGIN_COUNT: &str = "legacy_unnestable_begin_count";
/// See [`BEGIN_COUNT`].
pub(crate) const LAST_BEGIN: &str = "legacy_unnestable_last_begin_ts";

const SYNC: &[u8] = b"trace_event_clock_sync:";

/// Parses a payload. Anything unknown becomes [`Mark::Text`].
#[inline]
pub(crate) fn mark(payload: &[u8]) -> Mark<'_> {
    let text = trim_end(payload);
    let read = match text {
        [b'B', b'|', rest @ ..] => pid_and(rest).map(|(pid, name)| Mark::Begin { pid, name }),
        [b'E', b'|', rest @ ..] => Some(Mark::End {
            pid: int32(rest, 0).map_or(0, |(pid, _)| pid),
        }),
        [b'E'] => Some(Mark::End { pid: 0 }),
        [kind, b'|', rest @ ..] => uncommon_marker(*kind, rest),
        _ if text.starts_with(SYNC) => Some(sync(&text[SYNC.len()..])),
        _ => None,
    };
    read.unwrap_or(Mark::Text { text })
}

#[inline]
fn trim_end(mut text: &[u8]) -> &[u8] {
    while let [rest @ .., b'\n' | b'\r' | 0] = text {
        text = rest;
    }
    text
}

/// Parses `123|…`. The rest is empty for a single number.
#[inline]
fn pid_and(text: &[u8]) -> Option<(i32, &[u8])> {
    let (pid, end) = int32(text, 0)?;
    match text.get(end) {
        None => Some((pid, &[])),
        Some(b'|') => Some((pid, &text[end + 1..])),
        Some(_) => None,
    }
}

fn uncommon_marker(kind: u8, text: &[u8]) -> Option<Mark<'_>> {
    let (pid, rest) = pid_and(text)?;
    let track = None;
    Some(match kind {
        b'C' => counter(pid, rest)?,
        b'S' => {
            let (name, cookie) = name_and_cookie(rest)?;
            Mark::AsyncBegin {
                pid,
                track,
                name,
                cookie,
            }
        }
        b'F' => {
            let (name, cookie) = name_and_cookie(rest)?;
            Mark::AsyncEnd {
                pid,
                track,
                name,
                cookie,
            }
        }
        b'I' => Mark::Instant {
            pid,
            track,
            name: rest,
        },
        b'N' => {
            let (track, name) = split_first(rest)?;
            Mark::Instant {
                pid,
                track: Some(track),
                name,
            }
        }
        b'G' => {
            let (track, rest) = split_first(rest)?;
            let (name, cookie) = name_and_cookie(rest)?;
            Mark::AsyncBegin {
                pid,
                track: Some(track),
                name,
                cookie,
            }
        }
        b'H' => track_end(pid, rest)?,
        _ => return None,
    })
}

/// Parses `name|value`, in newer versions `name|value|category`. OpenHarmony's hitrace writes a space instead of the bar
/// before version 19.
fn counter(pid: i32, text: &[u8]) -> Option<Mark<'_>> {
    let Some((name, last)) = split_last(text) else {
        let (name, value) = split_space(text)?;
        return Some(Mark::Counter {
            pid,
            name,
            value: CounterValue::Whole(value),
            category: b"",
        });
    };
    if let Some(value) = number(last) {
        return Some(Mark::Counter {
            pid,
            name,
            value,
            category: b"",
        });
    }
    let (name, value) = split_last(name)?;
    number(value).map(|value| Mark::Counter {
        pid,
        name,
        value,
        category: last,
    })
}

/// Parses `track|cookie` and `track|name|cookie`.
fn track_end(pid: i32, text: &[u8]) -> Option<Mark<'_>> {
    let (track, rest) = split_first(text)?;
    let (name, cookie) = name_and_cookie(rest).unwrap_or((&[], cookie(rest)));
    Some(Mark::AsyncEnd {
        pid,
        track: Some(track),
        name,
        cookie,
    })
}

/// Parses `name|cookie`. OpenHarmony's hitrace writes a space instead of the bar; since version 19 it writes a bar and
/// further columns, which stay part of the name.
fn name_and_cookie(text: &[u8]) -> Option<(&[u8], Cookie<'_>)> {
    if let Some(number) = hitrace::cookie(text) {
        return Some((text, cookie(number)));
    }
    if let Some((name, text)) = split_last(text) {
        return Some((name, cookie(text)));
    }
    let (name, number) = split_space(text)?;
    Some((name, Cookie::Number(number)))
}

/// Parses a name and a number with a space between them.
fn split_space(text: &[u8]) -> Option<(&[u8], i64)> {
    let space = memchr::memrchr(b' ', text)?;
    let number = whole_int(&text[space + 1..])?;
    Some((&text[..space], number))
}

fn cookie(text: &[u8]) -> Cookie<'_> {
    whole_int(text).map_or(Cookie::Text(text), Cookie::Number)
}

fn number(text: &[u8]) -> Option<CounterValue> {
    match whole_int(text) {
        Some(value) => Some(CounterValue::Whole(value)),
        None => {
            let number = std::str::from_utf8(text).ok()?.trim().parse();
            number.ok().map(CounterValue::Float)
        }
    }
}

fn split_first(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let bar = memchr::memchr(b'|', text)?;
    Some((&text[..bar], &text[bar + 1..]))
}

fn split_last(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let bar = memchr::memrchr(b'|', text)?;
    Some((&text[..bar], &text[bar + 1..]))
}

fn sync(text: &[u8]) -> Mark<'_> {
    let text = text.trim_ascii();
    let read = if let Some(seconds) = text.strip_prefix(b"parent_ts=") {
        timestamp(seconds, 0).map(|(value_ns, _)| Mark::ParentTime {
            value_ns,
            precision_ns: precision_ns(value_ns),
        })
    } else if let Some(ms) = text.strip_prefix(b"realtime_ts=") {
        whole_int(ms).map(|value_ms| Mark::Realtime { value_ms })
    } else {
        text.strip_prefix(b"name=")
            .map(|name| Mark::SyncName { name })
    };
    read.unwrap_or(Mark::BadSync { text })
}

/// The possible error of a printed `parent_ts`, ns. atrace computes it as a 32-bit float, whose 24
/// bits are coarse for uptimes. A value that is not a multiple of the float's step comes from a
/// more precise writer, which has a precision of a microsecond.
fn precision_ns(value_ns: i64) -> i64 {
    const PRINTED_NS: i64 = 1_000;
    let seconds = (value_ns / 1_000_000_000).max(1);
    let step_ns = match seconds.ilog2() {
        exponent @ 0..23 => 1_000_000_000i64 >> (23 - exponent),
        exponent => 1_000_000_000i64.saturating_mul(1 << (exponent - 23).min(30)),
    };
    let off = value_ns.rem_euclid(step_ns.max(1));
    let is_float = off < PRINTED_NS || step_ns - off < PRINTED_NS;
    if is_float {
        step_ns.max(PRINTED_NS)
    } else {
        PRINTED_NS
    }
}

#[cfg(test)]
mod tests;
