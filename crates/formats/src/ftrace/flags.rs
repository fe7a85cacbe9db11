//! The flags column of a line: interrupts off, need to reschedule, interrupt context, preemption count.
//!
//! ```text
//! <idle>-0     (-----) [000] d.h4  1213.465138: sched_wakeup: …      in an interrupt
//!     sh-7     (    7) [000] d..4  1213.465138: sched_wakeup: …      not in one
//!     sh-7     (    7) [000] ....  1213.465138: sched_wakeup: …      unknown
//!     sh-7     2-0x9 1213.465138: sched_wakeup: …                    trace-cmd report -l -R
//! ```
//! A kernel wakes threads with interrupts off or preemption disabled, so a column of dots is only a placeholder.

use traceloom_trace::NO_FLAG;

/// `TRACE_FLAG_HARDIRQ` and `TRACE_FLAG_SOFTIRQ` of the kernel.
const IN_INTERRUPT: u8 = 0x8 | 0x10;

/// Whether an event happened in an interrupt, by the text before its name: 1 yes, 0 no, -1 unknown.
#[inline(never)]
pub(super) fn shown_context(before: &[u8]) -> i8 {
    let flags = flags(before).unwrap_or_default();
    if let Some(number) = flags.strip_prefix(b"-0x") {
        return of_number(number);
    }
    let is_flag = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'#');
    let is_set = |byte: &u8| *byte != b'.';
    if !flags.iter().all(is_flag) || !flags.iter().any(is_set) {
        return NO_FLAG;
    }
    i8::from(flags.iter().any(|flag| b"hHsZz".contains(flag)))
}

fn of_number(digits: &[u8]) -> i8 {
    let number = std::str::from_utf8(digits).ok();
    match number.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
        None | Some(0) => NO_FLAG,
        Some(flags) => i8::from(flags & IN_INTERRUPT != 0),
    }
}

/// The flags, without the CPU's number that `latency-format` puts before them.
fn flags(before: &[u8]) -> Option<&[u8]> {
    let time = before.trim_ascii_end().strip_suffix(b":")?;
    let time = time.strip_suffix(b" ").unwrap_or(time);
    let time = match time {
        [time @ .., b'+' | b'!' | b'#' | b'*' | b'@' | b'$'] => time,
        time => time,
    };
    let time = time.strip_suffix(b"us").unwrap_or(time);
    let is_time = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
    let end = time.iter().rposition(|byte| !is_time(byte))? + 1;
    let column = time.get(..end)?.trim_ascii_end();
    let start = memchr::memrchr(b' ', column)? + 1;
    let column = column.get(start..)?;
    let cpu = column.iter().take_while(|byte| byte.is_ascii_digit());
    column.get(cpu.count()..)
}

#[cfg(test)]
mod tests {
    use super::shown_context;

    #[test]
    fn every_layout_of_the_flags() {
        for (before, expected) in [
            (
                "          <idle>-0     (-----) [000] d.h4  1213.465138: ",
                1,
            ),
            ("a-1 [000] dNs5. 1213.465138: ", 1),
            ("a-1 [000] d.H5 12.465138: ", 1),
            ("a-1 [000] d..2 12.465138: ", 0),
            ("a-1 [000] ...1 12.465138: ", 0),
            ("a-1 (77) [000] d..112.000345: ", 0),
            ("a-1 (77) [000] dNh112.000345: ", 1),
            ("  <idle>-0         2d.h2. 259445.106966: ", 1),
            ("   sleep-2304      1d..2. 7843065108us!: ", 0),
            ("   sleep-2304      1d..2. 7843065108us : ", 0),
            ("trace-cm-6973    2-0x9 259445.106948920: ", 1),
            ("trace-cm-6973    2-0x1 259445.106948: ", 0),
            ("trace-cm-6973    2-0x0 259445.106948: ", -1),
            ("a-1 [000] .... 12.465138: ", -1),
            ("a-1 [000]    12.465138: ", -1),
            (
                "a 2 0 1 00000002 00000003 [308562e99] 13.641ms (+0.004ms): ",
                -1,
            ),
            ("", -1),
            (":", -1),
        ] {
            assert_eq!(shown_context(before.as_bytes()), expected, "{before}");
        }
    }
}
