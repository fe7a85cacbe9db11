//! Payloads with each number twice, as the kernel prints them with the option `fields` (Linux 6.4): the fields of the
//! event's memory, instead of its format.
//!
//! ```text
//! prev_comm=a prev_pid=0x7382 (29570) prev_prio=0x78 (120) prev_state=0x1 (1) next_comm=…
//! ```

use traceloom_trace::{NO_CPU, TaskState};

use super::digits::{bare_hex, digits, int32, whole_int};
use super::event::{CpuValue, CpuValueKind, MOST_CPUS};
use super::payload::{SwitchTasks, TaskReader, WokenTask, after, comm};

/// A number and where its text ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Twice {
    /// The number without a sign.
    pub bits: u64,
    /// The number with its sign, if it has 32 bits.
    pub signed: Option<i32>,
    pub end: usize,
}

/// Parses `0x7382 (29570)` at `at`.
pub(super) fn twice(text: &[u8], at: usize) -> Option<Twice> {
    let hex = text.get(at..)?.strip_prefix(b"0x")?;
    let length = hex
        .iter()
        .take_while(|byte| byte.is_ascii_hexdigit())
        .count();
    let bits = bare_hex(&hex[..length])?;
    let at = at + 2 + length;
    let inside = text.get(at..)?.strip_prefix(b" (")?;
    let start = at + 2;
    let signed = int32(text, start).map(|(number, _)| number);
    let minus = usize::from(inside.first() == Some(&b'-'));
    let (_, end) = digits(text, start + minus)?;
    (text.get(end) == Some(&b')')).then_some(Twice {
        bits,
        signed,
        end: end + 1,
    })
}

/// Parses a text that is one number in both forms.
pub(super) fn whole(text: &[u8]) -> Option<i64> {
    let number = twice(text, 0).filter(|number| number.end == text.len())?;
    // The number in parentheses has a sign. A number of more than 32 bits is taken from the hexadecimal form.
    let bits = || number.bits as i64;
    Some(number.signed.map_or_else(bits, i64::from))
}

/// The name of a function. `name+0x0/0xd0 (-2126679760)` also has the offset, the size and the address.
pub(super) fn function(text: &[u8]) -> Option<&[u8]> {
    let plus = memchr::memchr(b'+', text)?;
    let rest = text[plus..].strip_prefix(b"+0x0/0x")?.strip_suffix(b")")?;
    let space = memchr::memchr(b' ', rest)?;
    bare_hex(&rest[..space])?;
    whole_int(rest[space..].strip_prefix(b" (")?)?;
    Some(&text[..plus])
}

/// Parses a switch.
#[cold]
pub(super) fn switch<'a, T: TaskReader<'a>>(
    text: &'a [u8],
    tasks: &mut T,
) -> Option<SwitchTasks<T::Task>> {
    let text = text.strip_prefix(b"prev_comm=")?;
    let (prev_comm, at) = comm(text, b" prev_pid=")?;
    let prev = twice(text, at)?;
    let prev_prio = twice(text, after(text, prev.end, b" prev_prio=")?)?;
    let prev_state = twice(text, after(text, prev_prio.end, b" prev_state=")?)?;
    let text = &text[after(text, prev_state.end, b" next_comm=")?..];
    let (next_comm, at) = comm(text, b" next_pid=")?;
    let next = twice(text, at)?;
    let next_prio = twice(text, after(text, next.end, b" next_prio=")?)?;
    Some(SwitchTasks {
        prev: tasks.task(prev_comm, prev.signed?),
        next: tasks.task(next_comm, next.signed?),
        prev_prio: prev_prio.signed?,
        next_prio: next_prio.signed?,
        prev_state: state(prev_state.bits),
    })
}

/// Parses a wake-up.
#[cold]
pub(super) fn wake<'a, T: TaskReader<'a>>(
    text: &'a [u8],
    tasks: &mut T,
) -> Option<WokenTask<T::Task>> {
    let text = text.strip_prefix(b"comm=")?;
    let (comm, at) = comm(text, b" pid=")?;
    let task = twice(text, at)?;
    let prio = twice(text, after(text, task.end, b" prio=")?)?;
    let cpu = after(text, prio.end, b" target_cpu=").and_then(|at| twice(text, at));
    let cpu = cpu.and_then(|cpu| u32::try_from(cpu.bits).ok());
    Some(WokenTask {
        task: tasks.task(comm, task.signed?),
        prio: prio.signed?,
        target_cpu: cpu.filter(|cpu| *cpu < MOST_CPUS).unwrap_or(NO_CPU),
    })
}

/// Parses `state=0x1 (1) cpu_id=0x0 (0)`.
pub(super) fn cpu_value(kind: CpuValueKind, text: &[u8]) -> Option<CpuValue> {
    let value = twice(text, "state=".len()).filter(|_| text.starts_with(b"state="))?;
    let rest = text.get(value.end..)?.strip_prefix(b" cpu_id=")?;
    let cpu = twice(rest, 0)?;
    Some(CpuValue {
        kind,
        cpu: u32::try_from(cpu.bits)
            .ok()
            .filter(|cpu| *cpu < MOST_CPUS)?,
        value: value.bits as i64,
    })
}

/// The state with these bits since Linux 4.14, where the lowest bit beyond the states means that the thread was
/// preempted.
pub(super) fn state(bits: u64) -> TaskState {
    const LETTERS: [&[u8]; 8] = [b"S", b"D", b"T", b"t", b"X", b"Z", b"P", b"I"];
    const PREEMPTED: u64 = 0x100;
    if bits & PREEMPTED != 0 {
        return TaskState::PREEMPTED;
    }
    let mut state = TaskState(0);
    for (bit, letter) in LETTERS.iter().enumerate() {
        if bits & 1 << bit != 0 {
            state.0 |= TaskState::parse(letter).unwrap_or(TaskState(0)).0;
        }
    }
    if state.0 == 0 {
        TaskState::RUNNABLE
    } else {
        state
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_where_both_fit() {
        assert_eq!(whole(b"0x7382 (29570)"), Some(29_570));
        assert_eq!(whole(b"0xffffffff (-1)"), Some(-1));
        assert_eq!(
            whole(b"0xffffffff8307f9b8 (-2096629320)"),
            Some(-2_096_629_320)
        );
        for text in [
            "0x7382",
            "0x7382 (x)",
            "0x (1)",
            "7382 (1)",
            "0x1 (1) x",
            "0x1 (1",
            "",
        ] {
            assert_eq!(whole(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn functions_lose_what_is_not_their_name() {
        assert_eq!(function(b"tick+0x0/0xd0 (-2126679760)"), Some(&b"tick"[..]));
        for text in ["tick+0x4/0xd0 (-1)", "tick (1)", "a+b (1)", "tick+0x0/0xd0"] {
            assert_eq!(function(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn states_are_those_of_new_kernels() {
        let read = |bits| state(bits).to_string();
        assert_eq!(
            [0, 1, 2, 0x10, 0x20, 0x80, 0x100].map(read),
            ["R", "S", "D", "X", "Z", "I", "R+"]
        );
    }
}
