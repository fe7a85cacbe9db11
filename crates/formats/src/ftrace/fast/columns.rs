//! The fast reader for a line's columns. It processes eight bytes at a time and expects the columns
//! where kernels print them for systrace and atrace.
//!
//! ```text
//!  com.example.app-1412    (   1412) [003] .....  4977.000029: ext4_da_write_begin: dev 254,0
//! |               16|tid   |tgid?    |cpu |flags? time        |rest
//! ```
//! It handles numbers of up to seven digits, up to seven spaces between columns, and times in
//! microseconds. Every other line is left to [`general_prefix`], which reads these lines the same
//! way.

use crate::ftrace::digits::skip_spaces;
use crate::ftrace::event::{MOST_CPUS, NO_TGID};
use crate::ftrace::prefix::{Prefix, USUAL_DASH, general_prefix};
use crate::ftrace::swar::{
    bytes_before, leading_digits, non_digits, parse_eight, splat, zero_bytes,
};

use super::task_cache::KEY_BYTES;

/// All columns end within this many bytes.
const HEAD_BYTES: usize = 64;

/// The first bytes of a line.
pub(crate) type LineHead = [u8; HEAD_BYTES];

/// The columns before the CPU.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Who<'a> {
    pub comm: &'a [u8],
    pub tid: i32,
    pub tgid: i32,
}

/// The CPU and the columns after it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct When<'a> {
    pub cpu: u32,
    pub ts: i64,
    pub rest: &'a [u8],
}

/// Splits a line with the fast reader if possible, otherwise with the general rule.
#[inline(always)]
pub(crate) fn prefix(line: &[u8]) -> Option<Prefix<'_>> {
    match usual_columns(line) {
        Some(prefix) => Some(prefix),
        None => general_prefix(line),
    }
}

/// The bytes in which the columns of different threads are most likely to differ: the end of the
/// name, and the tid.
#[inline(always)]
pub(crate) fn cache_key(head: &LineHead) -> &[u8; KEY_BYTES] {
    head[8..].first_chunk().unwrap_or(&[0; KEY_BYTES])
}

/// Parses the columns before the CPU if the dash is where `%16s` puts it. Also returns the position
/// of the CPU's bracket, the last byte that the columns depend on. `None` only means "not usual".
#[inline(always)]
pub(crate) fn who(head: &LineHead) -> Option<(Who<'_>, usize)> {
    if head[USUAL_DASH] != b'-' {
        return None;
    }
    let (tid, at) = number(head, USUAL_DASH + 1)?;
    let (tgid, bracket) = tgid(head, gap(head, at)?)?;
    after_byte(head, bracket, b'[')?;
    let comm = &head[name_start(head)?..USUAL_DASH];
    let tid = tid as i32;
    Some((Who { comm, tid, tgid }, bracket))
}

/// Parses the columns from the bracket on. `None` has the same meaning as in [`who`].
#[inline(always)]
pub(crate) fn when<'a>(line: &'a [u8], head: &LineHead, bracket: usize) -> Option<When<'a>> {
    let (cpu, at) = number(head, bracket + 1)?;
    let at = flags(head, gap(head, after_byte(head, at, b']')?)?)?;
    let (ts, colon) = time(head, at)?;
    let rest = &line[skip_spaces(line, colon + 1)..];
    (cpu < MOST_CPUS).then_some(When { cpu, ts, rest })
}

/// Parses all columns. `None` has the same meaning as in [`who`].
#[inline(always)]
fn usual_columns(line: &[u8]) -> Option<Prefix<'_>> {
    let head: &LineHead = line.first_chunk()?;
    let (Who { comm, tid, tgid }, bracket) = who(head)?;
    let When { cpu, ts, rest } = when(line, head, bracket)?;
    Some(Prefix {
        comm,
        tid,
        tgid,
        cpu,
        ts,
        rest,
    })
}

#[inline(always)]
fn word(head: &LineHead, at: usize) -> Option<u64> {
    if at > HEAD_BYTES - 8 {
        return None;
    }
    let word = head[at..].first_chunk()?;
    Some(u64::from_le_bytes(*word))
}

/// The position after this byte, if it is at `at`.
#[inline(always)]
fn after_byte(head: &LineHead, at: usize, byte: u8) -> Option<usize> {
    (head.get(at) == Some(&byte)).then_some(at + 1)
}

/// Parses one to seven digits. Also returns where they end.
#[inline(always)]
fn number(head: &LineHead, at: usize) -> Option<(u32, usize)> {
    match leading_digits(word(head, at)?) {
        (value, count @ 1..8) => Some((value as u32, at + count)),
        _ => None,
    }
}

/// The end of up to seven spaces.
#[inline(always)]
fn gap(head: &LineHead, at: usize) -> Option<usize> {
    let count = bytes_before(word(head, at)? ^ splat(b' '));
    (count < 8).then_some(at + count)
}

/// Parses `(   1412)` or `(-------)` and the spaces after it, or nothing.
#[inline(always)]
fn tgid(head: &LineHead, at: usize) -> Option<(i32, usize)> {
    let Some(at) = after_byte(head, at, b'(') else {
        return Some((NO_TGID, at));
    };
    let dashes = bytes_before(word(head, at)? ^ splat(b'-'));
    let (tgid, at) = match dashes {
        0 => {
            let (tgid, at) = number(head, gap(head, at)?)?;
            (tgid as i32, at)
        }
        _ => (NO_TGID, at + dashes),
    };
    Some((tgid, gap(head, after_byte(head, at, b')')?)?))
}

/// The start of the time: after up to seven flags, unless the text begins with a digit.
#[inline(always)]
fn flags(head: &LineHead, at: usize) -> Option<usize> {
    let word = word(head, at)?;
    if (word as u8).is_ascii_digit() {
        return Some(at);
    }
    let count = bytes_before(zero_bytes(word ^ splat(b' ')));
    if count == 8 {
        return None;
    }
    gap(head, at + count)
}

/// Parses `4977.000029:` to ns. Also returns the position of the colon.
#[inline(always)]
fn time(head: &LineHead, at: usize) -> Option<(i64, usize)> {
    let (seconds, point) = number(head, at)?;
    let fraction = word(head, after_byte(head, point, b'.')?)?;
    let value = fraction ^ splat(b'0');
    let is_whole = bytes_before(non_digits(value)) == 6 && (fraction >> 48) as u8 == b':';
    let us = parse_eight(value << 16);
    let ns = i64::from(seconds) * 1_000_000_000 + i64::from(us) * 1000;
    is_whole.then_some((ns, point + 7))
}

/// The start of the name before the dash.
#[inline(always)]
fn name_start(head: &LineHead) -> Option<usize> {
    let mut at = bytes_before(word(head, 0)? ^ splat(b' '));
    if at == 8 {
        at += bytes_before(word(head, 8)? ^ splat(b' '));
    }
    (head[at] != b'\t').then_some(at)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::ftrace::prefix::after_dash;

    const LINE: &str =
        " com.example.app-1412    (   1412) [003] .....  4977.000029: ext4_da_write_end: dev 254,0";

    #[test]
    fn the_usual_line() {
        for line in [
            LINE,
            "          <idle>-0       (-----) [003] d..2  1000.000004: irq_handler_entry: irq=27 name=x",
            "            adbd-14446 [000] d.h4  1213.465138: sched_wakeup: comm=atrace pid=14446",
            "                -1     [000] 1213.465138: sched_wakeup: comm=atrace pid=14446 prio=120 x",
        ] {
            let line = line.as_bytes();
            let found = usual_columns(line);
            assert!(found.is_some());
            assert_eq!(found, after_dash(line, USUAL_DASH));
        }
    }

    /// A line in which some bytes of its columns are replaced, removed or doubled.
    fn changed() -> impl Strategy<Value = Vec<u8>> {
        const BYTES: &[u8] = b" \t-()[].:0159adN\xff\r";
        let change = (0..64usize, 0..3u8, proptest::sample::select(BYTES));
        proptest::collection::vec(change, 0..4).prop_map(|changes| {
            let mut line = LINE.as_bytes().to_vec();
            for (at, kind, byte) in changes {
                match kind {
                    0 => line[at] = byte,
                    1 => drop(line.remove(at)),
                    _ => line.insert(at, byte),
                }
            }
            line
        })
    }

    proptest! {
        #[test]
        fn they_equal_the_general_rule(line in changed()) {
            if let Some(found) = usual_columns(&line) {
                prop_assert_eq!(Some(found), after_dash(&line, USUAL_DASH));
            }
        }
    }
}
