//! The text of `strace`, which lists the system calls of processes.
//!
//! ```text
//! 1000  1700000052.321000 openat(AT_FDCWD, "/etc/passwd", O_RDONLY) = 3 <0.000042>   a complete call
//! 1000  1700000052.321100 futex(0x7f01, FUTEX_WAIT, 2, NULL <unfinished ...>         another thread continues
//! 1001  1700000052.321200 --- SIGCHLD {si_signo=SIGCHLD, si_pid=1002} ---            a signal arrives
//! 1000  1700000052.321300 <... futex resumed>) = 0 <0.000200>
//! 1001  1700000052.321400 +++ exited with 0 +++
//! ```
//! Each line begins with the number of its thread (`-f`; on a terminal, `[pid 1000]`). The time is a date (`-ttt`), a
//! time of day (`-t`, `-tt`), or the time since the previous line (`-r`). `-T` adds the duration of each call. A log
//! may have no times at all. Sources:
//! strace's manual and its code (`src/strace.c`, `printleader` and `tprint_sysret_end`).

mod clock;
mod line;
mod message;
mod names;
mod reader;
mod tasks;
#[cfg(test)]
mod tests;
mod tracees;
mod untimed;

use crate::format::{Confidence, Format, ReadOptions, Reader};
use crate::format_id;

/// The text of strace.
pub(crate) struct Strace;

impl Format for Strace {
    fn id(&self) -> &'static str {
        format_id::STRACE
    }

    fn title(&self) -> &'static str {
        "strace log"
    }

    fn sniff(&self, head: &[u8]) -> Confidence {
        if line::begins_log(head) {
            Confidence::Likely
        } else if untimed::begins_log(head) {
            Confidence::Maybe
        } else {
            Confidence::No
        }
    }

    fn reader(&self, options: &ReadOptions) -> Option<Box<dyn Reader>> {
        Some(Box::new(reader::StraceReader::new(&options.name)))
    }
}
