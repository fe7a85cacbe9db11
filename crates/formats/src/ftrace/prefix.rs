//! The general rule for what precedes the payload of a line: thread, process, CPU, flags, time.
//!
//! ```text
//!           <idle>-0     (-----) [000] d.h4  1213.465138: sched_wakeup: comm=atrace pid=14446
//! comm, padded to 16 | tid | tgid?| cpu | flags? | time | rest
//! ```
//! The source of the layout is the kernel's `trace_print_context` (`kernel/trace/trace_output.c`);
//! trace-cmd's `report` prints the same without flags. With the option `latency-format` (and
//! `trace-cmd report -l`) the kernel cuts names to 8 bytes and joins CPU and flags:
//!
//! ```text
//!   <idle>-0         2d..2. 7843072871us+: sched_switch: prev_comm=swapper/2 prev_pid=0
//! comm | tid       |cpu|flags| time | delay mark | rest
//! ```
//!
//! With the option `verbose` in addition, every column is a number (`trace_print_lat_context`):
//! interrupt flags, preemption count and the event's number. The time is given twice: in brackets
//! as a hexadecimal number, and relative to the start of the buffer:
//!
//! ```text
//!       opt cgu.0   29074   0 1 00000002 00000003 [308562e99] 13024767.641ms (+0.004ms): sched_switch: …
//! comm            | tid | cpu | flags | count | number | time | since begin | delay | rest
//! ```

use super::digits::{digits, int32, skip_spaces, timestamp};
use super::event::{MOST_CPUS, NO_TGID};

/// The part of a line before its payload, and the payload.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Prefix<'a> {
    pub comm: &'a [u8],
    pub tid: i32,
    pub tgid: i32,
    pub cpu: u32,
    pub ts: i64,
    pub rest: &'a [u8],
}

/// The position where the kernel's `%16s` puts the dash between name and number.
pub(super) const USUAL_DASH: usize = 16;

/// The maximum length of a name. The kernel's names have 15 bytes. The limit rejects lines of other
/// formats that contain an ftrace line somewhere.
const LAST_DASH: usize = 128;

/// The maximum number of flags. No kernel prints as many.
const MOST_FLAGS: usize = 8;

/// Splits a line. The name may contain dashes, brackets and anything else: it ends at the first
/// dash after which everything else matches.
#[inline(never)]
pub(super) fn general_prefix(line: &[u8]) -> Option<Prefix<'_>> {
    if line.get(USUAL_DASH) == Some(&b'-')
        && let Some(prefix) = after_dash(line, USUAL_DASH)
    {
        return Some(prefix);
    }
    let front = &line[..line.len().min(LAST_DASH)];
    memchr::memchr_iter(b'-', front)
        .find_map(|dash| after_dash(line, dash))
        .or_else(|| verbose(line))
}

/// The prefix of a line whose name ends at `dash`, if the text after it matches.
#[inline]
pub(super) fn after_dash(line: &[u8], dash: usize) -> Option<Prefix<'_>> {
    let (tid, end) = int32(line, dash + 1).filter(|(tid, _)| *tid >= 0)?;
    let (tgid, at) = tgid(line, skip_spaces(line, end))?;
    let (cpu, ts, end) = match line.get(at)? {
        b'[' => {
            let (cpu, end) = digits(line, at + 1)?;
            let flags = skip_spaces(line, end + 1);
            let (ts, colon) = time_after_flags(line, flags)?;
            (line.get(end) == Some(&b']')).then_some((cpu, ts, colon))?
        }
        b'0'..=b'9' => joined_cpu_and_time(line, at)?,
        _ => return None,
    };
    if cpu >= MOST_CPUS.into() {
        return None;
    }
    let comm_start = skip_spaces(line, 0).min(dash);
    Some(Prefix {
        comm: &line[comm_start..dash],
        tid,
        tgid,
        cpu: cpu as u32,
        ts,
        rest: &line[skip_spaces(line, end + 1)..],
    })
}

/// Parses `(  598)`, `(-----)`, `(-------)` or nothing.
#[inline]
fn tgid(line: &[u8], at: usize) -> Option<(i32, usize)> {
    if line.get(at) != Some(&b'(') {
        return Some((NO_TGID, at));
    }
    let start = skip_spaces(line, at + 1);
    let (tgid, end) = match digits(line, start) {
        Some((tgid, end)) => (i32::try_from(tgid).ok()?, end),
        None => {
            let dashes = line[start..].iter().take_while(|&&byte| byte == b'-');
            (NO_TGID, start + dashes.count())
        }
    };
    (line.get(end) == Some(&b')')).then(|| (tgid, skip_spaces(line, end + 1)))
}

/// The time, after the flags if present, and the position of its colon.
#[inline]
fn time_after_flags(line: &[u8], at: usize) -> Option<(i64, usize)> {
    let time_at = |at| timestamp(line, at).filter(|(_, end)| line.get(*end) == Some(&b':'));
    // Flags never begin with a digit.
    if line.get(at)?.is_ascii_digit() {
        return time_at(at);
    }
    let flags = &line[at..line.len().min(at + MOST_FLAGS + 1)];
    match flags.iter().position(|&byte| byte == b' ') {
        Some(length) => time_at(skip_spaces(line, at + length)),
        None => time_at(end_of_joined_flags(line, at)),
    }
}

/// The end of flags without a space after them: `d..2316.196740:`. There are four flags, or five if the fifth is not a
/// digit.
#[cold]
fn end_of_joined_flags(line: &[u8], at: usize) -> usize {
    let fifth = line.get(at + 4);
    at + 4 + usize::from(fifth.is_some_and(|byte| !byte.is_ascii_digit()))
}

/// Parses `2d..2. 7843072871us+:` or `2d..2. 259445.106966:`, as `latency-format` prints them: CPU,
/// time and the position of the colon. The kernel's source is `lat_print_generic`. `trace-cmd report -l -R` prints the
/// flags as a number: `2-0x1 259445.106966:`.
#[cold]
fn joined_cpu_and_time(line: &[u8], at: usize) -> Option<(u64, i64, usize)> {
    let (cpu, flags) = digits(line, at)?;
    if let Some(number) = line[flags..].strip_prefix(b"-0x") {
        let length = number.iter().take_while(|byte| byte.is_ascii_hexdigit());
        let after = flags + 3 + length.count();
        (line.get(after) == Some(&b' ')).then_some(())?;
        let (ts, colon) = timestamp(line, skip_spaces(line, after))?;
        return (line.get(colon) == Some(&b':')).then_some((cpu, ts, colon));
    }
    // trace-cmd puts no space before a time in ticks.
    let length = match line[flags..].iter().position(|&byte| byte == b' ')? {
        spaced @ ..=MOST_FLAGS => spaced,
        _ => end_of_joined_flags(line, flags) - flags,
    };
    let known = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'.' || *byte == b'#';
    // The first flag shows whether interrupts are off; it is never a digit.
    let is_flags = (3..=MOST_FLAGS).contains(&length)
        && matches!(line[flags], b'.' | b'd' | b'D' | b'b' | b'X')
        && line[flags..flags + length].iter().all(known);
    let start = skip_spaces(line, flags + length);
    let (ts, end) = timestamp(line, start).filter(|_| is_flags)?;
    let (ts, end) = if line[end..].starts_with(b"us") {
        (ts.checked_mul(1000)?, end + 2)
    } else {
        (ts, end)
    };
    // The mark for the delay until the next event: ' ', '+', '!', '#', '*', '@' or '$'.
    let colon = end + usize::from(line.get(end).is_some_and(|byte| b" +!#*@$".contains(byte)));
    (line.get(colon) == Some(&b':')).then_some((cpu, ts, colon))
}

/// Parses a line with the option `verbose`. The name may contain anything, so columns are counted
/// backwards from the time.
#[cold]
fn verbose(line: &[u8]) -> Option<Prefix<'_>> {
    let front = &line[..line.len().min(LAST_DASH)];
    memchr::memmem::find_iter(front, b" [").find_map(|at| {
        let (columns, rest) = (&line[..at], &line[at + 2..]);
        let bracket = memchr::memchr(b']', &rest[..rest.len().min(17)])?;
        let time = i64::from_str_radix(std::str::from_utf8(&rest[..bracket]).ok()?, 16).ok()?;
        // `13024767.641ms (+0.004ms): `, or plain numbers if the clock does not count time.
        let (since, payload) = split_at(&rest[bracket + 1..], b" (+")?;
        let (delay, payload) = split_at(payload, b"): ")?;
        let is_number = |text: &[u8]| {
            let digits = text.strip_suffix(b"ms").unwrap_or(text).trim_ascii();
            digits
                .iter()
                .all(|byte| byte.is_ascii_digit() || *byte == b'.')
        };
        let in_time = since.ends_with(b"ms");
        let (comm, [tid, cpu]) = verbose_columns(columns)?;
        (is_number(since) && is_number(delay)).then_some(Prefix {
            comm,
            tid,
            tgid: NO_TGID,
            cpu: u32::try_from(cpu).ok().filter(|cpu| *cpu < MOST_CPUS)?,
            ts: if in_time {
                time.checked_mul(1_000)?
            } else {
                time
            },
            rest: &payload[skip_spaces(payload, 0)..],
        })
    })
}

fn split_at<'a>(text: &'a [u8], mark: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let at = memchr::memmem::find(text, mark)?;
    Some((&text[..at], &text[at + mark.len()..]))
}

/// The name, and the numbers of thread and CPU, which come before flags, count and event number.
fn verbose_columns(text: &[u8]) -> Option<(&[u8], [i32; 2])> {
    let mut rest = text;
    let mut column = || {
        let end = rest.trim_ascii_end();
        let start = memchr::memrchr(b' ', end)? + 1;
        rest = &end[..start];
        Some(&end[start..])
    };
    for _ in ["number", "count", "flags"] {
        column()?.iter().all(u8::is_ascii_hexdigit).then_some(())?;
    }
    let (cpu, tid) = (column()?, column()?);
    let number = |text: &[u8]| {
        let (number, end) = int32(text, 0).filter(|(number, _)| *number >= 0)?;
        (end == text.len()).then_some(number)
    };
    Some((rest.trim_ascii(), [number(tid)?, number(cpu)?]))
}

#[cfg(test)]
mod tests;
