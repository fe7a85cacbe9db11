//! The bits of `prev_state`, which differ between versions of the kernel.
//!
//! ```text
//! bit       1  2  4  8  10 20 | 40 80 100 200 400 800 1000
//! 4.14 on   S  D  T  t  X  Z  | P  I  +                      only reported states
//! before    S  D  T  t  X  Z  | x  K  W   P   N   +   + (from 4.8)
//! ```
//! Source: `include/linux/sched.h` and `include/trace/events/sched.h` of these versions.

use traceloom_trace::TaskState;

/// The major and minor version of a kernel.
pub(super) type KernelVersion = (u32, u32);

/// The bits that are the same in all versions. In [`TaskState`] they are one place higher, because its first bit is
/// `R`.
const COMMON: u16 = 0x3f;

/// Bits whose letters depend on the version.
type Letters = &'static [(u16, &'static [u8])];

const REPORTED: Letters = &[(0x40, b"P"), (0x80, b"I")];
const RAW: Letters = &[
    (0x40, b"x"),
    (0x80, b"K"),
    (0x100, b"W"),
    (0x200, b"P"),
    (0x400, b"N"),
];

/// Parses `5.10.107-android13-4`.
pub(super) fn kernel_version(release: &[u8]) -> Option<KernelVersion> {
    let text = std::str::from_utf8(release).ok()?;
    let mut numbers = text.split(|c: char| !c.is_ascii_digit());
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

/// The state of a thread that is switched out. Traces without a version are assumed to come from old kernels.
pub(super) fn task_state(bits: i64, version: Option<KernelVersion>) -> TaskState {
    let version = version.unwrap_or((4, 4));
    let (letters, preempted) = match version {
        (4, 14..) | (5.., _) => (REPORTED, 0x100),
        (4, 8..) => (RAW, 0x1000),
        _ => (RAW, 0x800),
    };
    let bits = bits as u16;
    let mut state = (bits & COMMON) << 1;
    for (bit, letter) in letters {
        if bits & bit != 0 {
            state |= TaskState::parse(letter).unwrap_or_default().0;
        }
    }
    match state {
        0 if bits & preempted != 0 => TaskState::PREEMPTED,
        0 if bits == 0 => TaskState::RUNNABLE,
        _ if state == letters_of(b"D|N") => TaskState(letters_of(b"I")),
        _ => TaskState(state),
    }
}

fn letters_of(text: &[u8]) -> u16 {
    TaskState::parse(text).unwrap_or_default().0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_depend_on_the_version() {
        let letters = |bits, version| task_state(bits, version).to_string();
        let (new, old) = (Some((5, 10)), Some((4, 9)));
        assert_eq!(
            [0, 1, 2, 0x100, 0x80].map(|bits| letters(bits, new)),
            ["R", "S", "D", "R+", "I"]
        );
        assert_eq!(
            [0x1000, 0x402, 0x82].map(|bits| letters(bits, old)),
            ["R+", "I", "D|K"]
        );
        assert_eq!(letters(0x800, None), "R+");
        assert_eq!(task_state(0x200, new), TaskState::UNKNOWN);
    }

    #[test]
    fn versions_are_read() {
        assert_eq!(kernel_version(b"5.10.107-android13-4"), Some((5, 10)));
        assert_eq!(kernel_version(b"unknown"), None);
    }
}
