//! Payloads of the events that make up most of a trace, each read by a rule of its own. `None`
//! sends a payload to the general rule.

use traceloom_trace::TaskState;

use super::digits::{digits, int32, skip_spaces};
use super::event::{CpuValue, CpuValueKind};
use super::known::Place;

/// Who makes something of the tasks that payloads name.
pub(super) trait Tasks<'a> {
    type Task;

    /// The task with this name and number.
    fn task(&mut self, comm: &'a [u8], tid: i32) -> Self::Task;

    /// The task that is told of at `start`, whose number stands behind `key`, and where that ends.
    #[inline]
    fn task_at(
        &mut self,
        _place: Place,
        text: &'a [u8],
        start: usize,
        key: &[u8],
    ) -> Option<(Self::Task, usize)> {
        let (comm, tid, end) = task_at(text.get(start..)?, key)?;
        Some((self.task(comm, tid), start + end))
    }
}

/// The name and the number of the task that `text` begins with, and where the number ends.
#[inline]
pub(super) fn task_at<'a>(text: &'a [u8], key: &[u8]) -> Option<(&'a [u8], i32, usize)> {
    let (comm, at) = comm(text, key)?;
    let (tid, end) = int32(text, at)?;
    Some((comm, tid, end))
}

/// `sched_switch`, as far as it is kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SwitchOf<T> {
    pub prev: T,
    pub next: T,
    pub next_prio: i32,
    pub prev_state: TaskState,
}

/// `prev_comm=a prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=b next_pid=2 next_prio=120`,
/// also without the arrow and with the state as a number (trace-cmd).
#[inline]
pub(super) fn switch<'a, T: Tasks<'a>>(text: &'a [u8], tasks: &mut T) -> Option<SwitchOf<T::Task>> {
    if !text.starts_with(b"prev_comm=") {
        return old_switch(text, tasks);
    }
    let (prev, at) = tasks.task_at(Place::Prev, text, 10, b" prev_pid=")?;
    let (_, at) = int32(text, after(text, at, b" prev_prio=")?)?;
    let at = after(text, at, b" prev_state=")?;
    let end = at + text[at..].iter().position(|&byte| byte == b' ')?;
    let prev_state = state(&text[at..end])?;
    let end = after(text, end, b" ==>").unwrap_or(end);
    let at = after(text, end, b" next_comm=")?;
    let (next, at) = tasks.task_at(Place::Next, text, at, b" next_pid=")?;
    let (next_prio, _) = int32(text, after(text, at, b" next_prio=")?)?;
    Some(SwitchOf {
        prev,
        next,
        next_prio,
        prev_state,
    })
}

/// trace-cmd's older form: `a:1 [120] S ==> b:2 [120]`.
#[cold]
fn old_switch<'a, T: Tasks<'a>>(text: &'a [u8], tasks: &mut T) -> Option<SwitchOf<T::Task>> {
    let arrow = memchr::memmem::find(text, b" ==> ")?;
    let ((prev_comm, prev_tid, _), at) = old_task(&text[..arrow])?;
    let prev_state = state(text[at..arrow].trim_ascii())?;
    let ((next_comm, next_tid, next_prio), _) = old_task(&text[arrow + 5..])?;
    Some(SwitchOf {
        prev: tasks.task(prev_comm, prev_tid),
        next: tasks.task(next_comm, next_tid),
        next_prio,
        prev_state,
    })
}

/// A task's name, tid and priority.
type Task<'a> = (&'a [u8], i32, i32);

/// `name:123 [120]`, and where it ends.
fn old_task(text: &[u8]) -> Option<(Task<'_>, usize)> {
    memchr::memchr_iter(b':', text).find_map(|colon| {
        let (tid, at) = int32(text, colon + 1)?;
        let (prio, at) = int32(text, after(text, at, b" [")?)?;
        let at = after(text, at, b"]")?;
        Some(((&text[..colon], tid, prio), at))
    })
}

/// `comm=a pid=1 prio=120 success=1 target_cpu=000`, also trace-cmd's `a:1 [120] …`.
#[inline]
pub(super) fn woken<'a, T: Tasks<'a>>(text: &'a [u8], tasks: &mut T) -> Option<T::Task> {
    match after(text, 0, b"comm=") {
        Some(at) => Some(tasks.task_at(Place::Woken, text, at, b" pid=")?.0),
        None => {
            let ((comm, tid, _), _) = old_task(text)?;
            Some(tasks.task(comm, tid))
        }
    }
}

/// `state=600000 cpu_id=0`.
#[inline]
pub(crate) fn cpu_value(kind: CpuValueKind, text: &[u8]) -> Option<CpuValue> {
    let (value, at) = digits(text, after(text, 0, b"state=")?)?;
    let (cpu, _) = digits(text, after(text, at, b" cpu_id=")?)?;
    Some(CpuValue {
        kind,
        cpu: u32::try_from(cpu)
            .ok()
            .filter(|cpu| *cpu < super::line::MOST_CPUS)?,
        value: value as i64,
    })
}

/// A name that ends where `key` begins; the name may hold spaces and `=`. Gives the name and
/// where the key ends.
#[inline]
fn comm<'a>(text: &'a [u8], key: &[u8]) -> Option<(&'a [u8], usize)> {
    let mut from = 0;
    loop {
        let equals = from + memchr::memchr(b'=', text.get(from..)?)?;
        if let Some(end) = (equals + 1).checked_sub(key.len())
            && &text[end..=equals] == key
        {
            return Some((&text[..end], equals + 1));
        }
        from = equals + 1;
    }
}

/// Where `expected` ends, if it stands at `at`.
#[inline]
fn after(text: &[u8], at: usize, expected: &[u8]) -> Option<usize> {
    let start = if expected[0] == b' ' {
        // trace-cmd pads some fields.
        (skip_spaces(text, at))
            .checked_sub(1)
            .filter(|start| *start >= at)?
    } else {
        at
    };
    text.get(start..)?
        .starts_with(expected)
        .then(|| start + expected.len())
}

/// The letters of a state, or the kernel's number.
#[inline]
fn state(text: &[u8]) -> Option<TaskState> {
    match text {
        b"S" => Some(TaskState::SLEEPING),
        b"R" => Some(TaskState::RUNNABLE),
        b"R+" => Some(TaskState::PREEMPTED),
        _ => TaskState::parse(text).or_else(|| state_number(digits(text, 0)?.0)),
    }
}

/// A raw state. Bits moved between kernels; these are read as the kernels whose tools print raw
/// numbers had them (`include/linux/sched.h` before 4.14). A lone bit beyond the states
/// (`TASK_STATE_MAX`, which grew from 256 to 4096) says that the thread was preempted.
pub(crate) fn state_number(bits: u64) -> Option<TaskState> {
    const LETTERS: [&[u8]; 8] = [b"S", b"D", b"T", b"t", b"Z", b"X", b"x", b"K"];
    match bits {
        0 => return Some(TaskState::RUNNABLE),
        256 | 512 | 1024 | 2048 | 4096 => return Some(TaskState::PREEMPTED),
        128 => return TaskState::parse(b"I"),
        _ => {}
    }
    let mut state = TaskState(0);
    for (bit, letter) in LETTERS.iter().enumerate() {
        if bits & 1 << bit != 0 {
            state.0 |= TaskState::parse(letter)?.0;
        }
    }
    (state.0 != 0).then_some(state)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Names;

    impl<'a> Tasks<'a> for Names {
        type Task = (&'a [u8], i32);

        fn task(&mut self, comm: &'a [u8], tid: i32) -> Self::Task {
            (comm, tid)
        }
    }

    #[test]
    fn every_form_of_a_switch() {
        let expected = SwitchOf {
            prev: (&b"a b=c"[..], 11),
            next: (&b"swapper/1"[..], 0),
            next_prio: 120,
            prev_state: TaskState::PREEMPTED,
        };
        let switch = |text| switch(text, &mut Names);
        for text in [
            "prev_comm=a b=c prev_pid=11 prev_prio=-1 prev_state=R+ ==> next_comm=swapper/1 next_pid=0 next_prio=120",
            "prev_comm=a b=c prev_pid=11 prev_prio=-1 prev_state=4096 next_comm=swapper/1 next_pid=0 next_prio=120",
            "a b=c:11 [-1] R+ ==> swapper/1:0 [120]",
        ] {
            assert_eq!(switch(text.as_bytes()), Some(expected), "{text}");
        }
        assert_eq!(switch(b"prev_comm=bash prev_pid=14840"), None);
        assert_eq!(switch(b""), None);
    }

    #[test]
    fn wakes_and_cpu_values() {
        let expected = Some((&b"rs:main Q:Reg"[..], 7));
        for text in [
            "comm=rs:main Q:Reg pid=7 prio=120 success=1 target_cpu=000",
            "rs:main Q:Reg:7 [120] success=1 CPU:002",
        ] {
            assert_eq!(woken(text.as_bytes(), &mut Names), expected, "{text}");
        }
        let idle = cpu_value(CpuValueKind::Idle, b"state=4294967295 cpu_id=5");
        assert_eq!(
            idle.map(|idle| (idle.cpu, idle.value)),
            Some((5, 4_294_967_295))
        );
    }

    #[test]
    fn states_as_numbers() {
        let read = |bits| state_number(bits).map(|state| state.to_string());
        assert_eq!(read(0).as_deref(), Some("R"));
        assert_eq!(read(1).as_deref(), Some("S"));
        assert_eq!(read(130).as_deref(), Some("D|K"));
        assert_eq!(read(4096).as_deref(), Some("R+"));
    }
}
