//! Task states: the letters of `prev_state`.

use std::fmt;

/// A task state as the kernel reports it: a set of flags.
///
/// The letters are those of `include/linux/sched.h` (`task_index_to_char`) and of the `sched_switch` event: `R`
/// runnable, `S` sleeping, `D` uninterruptible, `T` stopped, `t` traced, `X` dead, `Z` zombie, `P` parked, `I` idle;
/// older kernels add `x` dead, `K` wake-kill, `W` waking, `N` no-load. `+` means that the task was preempted while
/// runnable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(transparent)]
pub struct TaskState(pub u16);

/// The letters in the order of their bits.
const LETTERS: &[u8; 14] = b"RSDTtXZPIxKWN+";

impl TaskState {
    /// Unknown: the trace starts or ends during this state.
    pub const UNKNOWN: Self = Self(0);
    /// On the run queue, waiting for a CPU.
    pub const RUNNABLE: Self = Self(1);
    /// Sleeping until something wakes it.
    pub const SLEEPING: Self = Self(1 << 1);
    /// Sleeping, and not woken by signals: mostly I/O and kernel locks.
    pub const UNINTERRUPTIBLE: Self = Self(1 << 2);
    /// Exited.
    pub const DEAD: Self = Self(1 << 5);
    /// Exited, and not yet waited for.
    pub const ZOMBIE: Self = Self(1 << 6);
    /// On the run queue because another thread took the CPU.
    pub const PREEMPTED: Self = Self(1 | 1 << 13);
    /// Stopped by a signal.
    pub const STOPPED: Self = Self(1 << 3);
    /// Created, and not on a run queue yet. Only kernels other than Linux report this.
    pub const CREATED: Self = Self(1 << 14);
    /// On a CPU. It never occurs in `prev_state`; only the thread_state table uses it.
    pub const RUNNING: Self = Self(1 << 15);

    /// Parses the letters of `prev_state`, such as `S`, `R+`, `D|K`; `None` for anything else.
    pub fn parse(text: &[u8]) -> Option<Self> {
        let mut bits = 0u16;
        for letter in text.iter().filter(|&&byte| byte != b'|') {
            bits |= 1 << LETTERS.iter().position(|known| known == letter)?;
        }
        (bits != 0).then_some(Self(bits))
    }

    /// Whether the thread is ready to run but has no CPU.
    pub fn is_runnable(self) -> bool {
        self.0 & 1 != 0
    }

    /// Whether it waits for something other than a CPU.
    pub fn is_blocked(self) -> bool {
        !matches!(self, Self::UNKNOWN | Self::RUNNING | Self::CREATED) && !self.is_runnable()
    }

    /// Whether the thread will not run again.
    pub fn is_final(self) -> bool {
        const FINAL: u16 = TaskState::DEAD.0 | TaskState::ZOMBIE.0 | 1 << 9;
        self.0 & FINAL != 0
    }
}

impl fmt::Display for TaskState {
    /// Writes the letters as the kernel does; `Running` for a thread on a CPU.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::RUNNING {
            return f.write_str("Running");
        }
        if *self == Self::CREATED {
            return f.write_str("Created");
        }
        let mut first = true;
        for (bit, letter) in LETTERS.iter().enumerate() {
            if self.0 & 1 << bit == 0 {
                continue;
            }
            if !first && *letter != b'+' {
                f.write_str("|")?;
            }
            write!(f, "{}", *letter as char)?;
            first = false;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_read_and_print_the_same() {
        for text in [
            "R", "R+", "S", "D", "D|K", "t", "X", "Z", "P", "I", "D|W", "x", "D|N",
        ] {
            let state = TaskState::parse(text.as_bytes()).expect(text);
            assert_eq!(state.to_string(), text);
        }
        assert_eq!(TaskState::parse(b"Q"), None);
        assert_eq!(TaskState::parse(b""), None);
    }
}
