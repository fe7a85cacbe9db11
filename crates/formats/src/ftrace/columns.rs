//! The columns before a payload as kernels print them for systrace and atrace, read eight bytes at
//! a time.
//!
//! ```text
//!  com.example.app-1412    (   1412) [003] .....  4977.000029: ext4_da_write_begin: dev 254,0
//! |               16|tid   |tgid?    |cpu |flags? time        |rest
//! ```
//! Only what nearly every line has is read here: numbers of up to seven digits, at most seven
//! spaces between columns, times in microseconds. Every other line goes through
//! [`after_dash`](super::line), which reads what is read here the same.

use super::digits::skip_spaces;
use super::eight::{
    bytes_before, eight_digits, eight_times, leading_digits, no_digits, zero_bytes,
};
use super::event::NO_TGID;
use super::known::HEAD;
use super::line::{MOST_CPUS, Prefix, USUAL_DASH};

/// All columns end within so many bytes.
const FRONT: usize = 64;

/// The first bytes of a line.
pub(super) type Front = [u8; FRONT];

/// What the columns before the CPU say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Who<'a> {
    pub comm: &'a [u8],
    pub tid: i32,
    pub tgid: i32,
}

/// What the CPU and the columns behind it say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct When<'a> {
    pub cpu: u32,
    pub ts: i64,
    pub rest: &'a [u8],
}

/// Bytes that hardly two of [`who`]'s answers have in common: the name's end and the number.
#[inline(always)]
pub(super) fn head(front: &Front) -> &[u8; HEAD] {
    front[8..].first_chunk().unwrap_or(&[0; HEAD])
}

/// The columns of a line whose dash is at its usual place, and where the CPU's bracket stands, which is
/// the last byte they depend on. `None` says only that something about them is not usual.
#[inline(always)]
pub(super) fn who(front: &Front) -> Option<(Who<'_>, usize)> {
    if front[USUAL_DASH] != b'-' {
        return None;
    }
    let (tid, at) = number(front, USUAL_DASH + 1)?;
    let (tgid, bracket) = tgid(front, gap(front, at)?)?;
    behind(front, bracket, b'[')?;
    let comm = &front[name_start(front)?..USUAL_DASH];
    let tid = tid as i32;
    Some((Who { comm, tid, tgid }, bracket))
}

/// The columns from the bracket on. `None` as of [`who`].
#[inline(always)]
pub(super) fn when<'a>(line: &'a [u8], front: &Front, bracket: usize) -> Option<When<'a>> {
    let (cpu, at) = number(front, bracket + 1)?;
    let at = flags(front, gap(front, behind(front, at, b']')?)?)?;
    let (ts, colon) = time(front, at)?;
    let rest = &line[skip_spaces(line, colon + 1)..];
    (cpu < MOST_CPUS).then_some(When { cpu, ts, rest })
}

/// All of them.
#[inline(always)]
pub(super) fn usual_columns(line: &[u8]) -> Option<Prefix<'_>> {
    let front: &Front = line.first_chunk()?;
    let (Who { comm, tid, tgid }, bracket) = who(front)?;
    let When { cpu, ts, rest } = when(line, front, bracket)?;
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
fn word(front: &Front, at: usize) -> Option<u64> {
    if at > FRONT - 8 {
        return None;
    }
    let eight = front[at..].first_chunk()?;
    Some(u64::from_le_bytes(*eight))
}

/// Where the text behind a byte begins.
#[inline(always)]
fn behind(front: &Front, at: usize, byte: u8) -> Option<usize> {
    (front.get(at) == Some(&byte)).then_some(at + 1)
}

/// One to seven digits, and where they end.
#[inline(always)]
fn number(front: &Front, at: usize) -> Option<(u32, usize)> {
    match leading_digits(word(front, at)?) {
        (value, count @ 1..8) => Some((value as u32, at + count)),
        _ => None,
    }
}

/// Where up to seven spaces end.
#[inline(always)]
fn gap(front: &Front, at: usize) -> Option<usize> {
    let count = bytes_before(word(front, at)? ^ eight_times(b' '));
    (count < 8).then_some(at + count)
}

/// `(   1412)` or `(-------)` and the spaces behind it, or nothing.
#[inline(always)]
fn tgid(front: &Front, at: usize) -> Option<(i32, usize)> {
    let Some(at) = behind(front, at, b'(') else {
        return Some((NO_TGID, at));
    };
    let dashes = bytes_before(word(front, at)? ^ eight_times(b'-'));
    let (tgid, at) = match dashes {
        0 => {
            let (tgid, at) = number(front, gap(front, at)?)?;
            (tgid as i32, at)
        }
        _ => (NO_TGID, at + dashes),
    };
    Some((tgid, gap(front, behind(front, at, b')')?)?))
}

/// Where the time begins: behind up to seven flags, if the text does not begin with a digit.
#[inline(always)]
fn flags(front: &Front, at: usize) -> Option<usize> {
    let word = word(front, at)?;
    if (word as u8).is_ascii_digit() {
        return Some(at);
    }
    let count = bytes_before(zero_bytes(word ^ eight_times(b' ')));
    if count == 8 {
        return None;
    }
    gap(front, at + count)
}

/// `4977.000029:`, ns, and where the colon stands.
#[inline(always)]
fn time(front: &Front, at: usize) -> Option<(i64, usize)> {
    let (seconds, point) = number(front, at)?;
    let fraction = word(front, behind(front, point, b'.')?)?;
    let value = fraction ^ eight_times(b'0');
    let is_whole = bytes_before(no_digits(value)) == 6 && (fraction >> 48) as u8 == b':';
    let us = eight_digits(value << 16);
    let ns = i64::from(seconds) * 1_000_000_000 + i64::from(us) * 1000;
    is_whole.then_some((ns, point + 7))
}

/// Where the name begins that ends at the dash.
#[inline(always)]
fn name_start(front: &Front) -> Option<usize> {
    let mut at = bytes_before(word(front, 0)? ^ eight_times(b' '));
    if at == 8 {
        at += bytes_before(word(front, 8)? ^ eight_times(b' '));
    }
    (front[at] != b'\t').then_some(at)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::line::after_dash;
    use super::*;

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

    /// A line with some bytes of its columns replaced, taken out or doubled.
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
        fn they_are_read_as_by_the_general_rule(line in changed()) {
            if let Some(found) = usual_columns(&line) {
                prop_assert_eq!(Some(found), after_dash(&line, USUAL_DASH));
            }
        }
    }
}
