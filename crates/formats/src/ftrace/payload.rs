//! The payloads of scheduler and CPU events, which make up most of a trace. Each has its own rule.
//! If the rule returns `None`, the payload is parsed by [`fields`](super::fields).

use traceloom_trace::{NO_CPU, NO_PRIORITY, TaskState};

use super::digits::{digits, int32, skip_spaces};
use super::event::{CpuValue, CpuValueKind, MOST_CPUS};

/// The place in a line where a task is named. Equal bytes mean the same task only in the same
/// place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TaskPlace {
    /// Before a line's `[`: name, thread and process.
    Columns,
    /// After `prev_comm=` of a switch.
    Prev,
    /// After `next_comm=` of a switch.
    Next,
    /// After `comm=` of a wake-up.
    Woken,
}

/// Converts the tasks that payloads name to values of its own type, such as positions in a list.
pub(super) trait TaskReader<'a> {
    type Task;

    /// The task with this name and number.
    fn task(&mut self, comm: &'a [u8], tid: i32) -> Self::Task;

    /// Like [`read_task`].
    #[inline]
    fn read_task(&mut self, place: TaskPlace, text: &'a [u8]) -> Option<TaskText<Self::Task>> {
        let (comm, read) = read_task(place, text)?;
        Some(read.with_task(self.task(comm, read.task)))
    }
}

/// A task named in a payload.
#[derive(Clone, Copy, Debug)]
pub(super) struct TaskText<T> {
    pub task: T,
    /// Its priority, if the place has one.
    pub prio: i32,
    /// The end of the text.
    pub end: usize,
}

impl<T> TaskText<T> {
    /// The same text with another value for the task.
    pub fn with_task<U>(self, task: U) -> TaskText<U> {
        let Self { prio, end, .. } = self;
        TaskText { task, prio, end }
    }
}

/// Parses the task at the start of `text` as a name and a number.
#[inline]
pub(super) fn read_task(place: TaskPlace, text: &[u8]) -> Option<(&[u8], TaskText<i32>)> {
    let ((comm, at), prio_key) = match place {
        TaskPlace::Prev => (comm(text, b" prev_pid=")?, b" prev_prio="),
        TaskPlace::Next => (comm(text, b" next_pid=")?, b" next_prio="),
        // Columns have their own reader.
        TaskPlace::Columns => return None,
        TaskPlace::Woken => {
            let (comm, at) = comm(text, b" pid=")?;
            let (task, at) = int32(text, at)?;
            // A line may end here.
            let (prio, end) = after(text, at, b" prio=")
                .and_then(|at| int32(text, at))
                .unwrap_or((NO_PRIORITY, at));
            return Some((comm, TaskText { task, prio, end }));
        }
    };
    let (task, at) = int32(text, at)?;
    let (prio, end) = int32(text, after(text, at, prio_key)?)?;
    Some((comm, TaskText { task, prio, end }))
}

/// The parts of `sched_switch` that are used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SwitchTasks<T> {
    pub prev: T,
    pub next: T,
    pub prev_prio: i32,
    pub next_prio: i32,
    pub prev_state: TaskState,
}

/// Parses `prev_comm=a prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=b next_pid=2
/// next_prio=120`, also without the arrow and with the state as a number (trace-cmd).
#[inline]
pub(super) fn switch<'a, T: TaskReader<'a>>(
    text: &'a [u8],
    tasks: &mut T,
) -> Option<SwitchTasks<T::Task>> {
    if !text.starts_with(b"prev_comm=") {
        return old_switch(text, tasks);
    }
    let prev = tasks.read_task(TaskPlace::Prev, text.get(10..)?)?;
    let at = after(text, 10 + prev.end, b" prev_state=")?;
    let end = at + text[at..].iter().position(|&byte| byte == b' ')?;
    let prev_state = state(&text[at..end])?;
    let end = after(text, end, b" ==>").unwrap_or(end);
    let at = after(text, end, b" next_comm=")?;
    let next = tasks.read_task(TaskPlace::Next, &text[at..])?;
    Some(SwitchTasks {
        prev: prev.task,
        next: next.task,
        prev_prio: prev.prio,
        next_prio: next.prio,
        prev_state,
    })
}

/// b:2 [120]`, and that of Linux 2.6, `task a:1 [120] (S) ==> b:2 [120]`.=>Parses trace-cmd's older form, `a:1 [120] S
/// ==> b:2 [120]`, and that of Linux 2.6, `task a:1 [120] (S) ==> b:2 [120]`.=> b:2 [120]`, and that of Linux 2.6,
/// `task a:1 [120] (S) ==> b:2 [120]`.
#[cold]
fn old_switch<'a, T: TaskReader<'a>>(
    text: &'a [u8],
    tasks: &mut T,
) -> Option<SwitchTasks<T::Task>> {
    let arrow = memchr::memmem::find(text, b" ==> ")?;
    let prev = &text[..arrow];
    let (prev, closing) = match (prev.strip_prefix(b"task "), prev.strip_suffix(b")")) {
        (Some(prev), Some(_)) => (prev, 1),
        _ => (prev, 0),
    };
    let ((prev_comm, prev_tid, prev_prio), at) = old_task(prev)?;
    let prev_state = prev[at..prev.len() - closing].trim_ascii();
    let prev_state = state(prev_state.strip_prefix(b"(").unwrap_or(prev_state))?;
    let ((next_comm, next_tid, next_prio), _) = old_task(&text[arrow + 5..])?;
    Some(SwitchTasks {
        prev: tasks.task(prev_comm, prev_tid),
        next: tasks.task(next_comm, next_tid),
        prev_prio,
        next_prio,
        prev_state,
    })
}

/// A task's name, tid and priority.
type Task<'a> = (&'a [u8], i32, i32);

/// Parses `name:123 [120]`. Also returns where it ends.
fn old_task(text: &[u8]) -> Option<(Task<'_>, usize)> {
    memchr::memchr_iter(b':', text).find_map(|colon| {
        let (tid, at) = int32(text, colon + 1)?;
        let (prio, at) = int32(text, after(text, at, b" [")?)?;
        let at = after(text, at, b"]")?;
        Some(((&text[..colon], tid, prio), at))
    })
}

/// The parts of a wake-up that are used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct WokenTask<T> {
    pub task: T,
    pub prio: i32,
    pub target_cpu: u32,
}

/// Parses `comm=a pid=1 prio=120 success=1 target_cpu=000`, also trace-cmd's `a:1 [120] success=1 CPU:000`.
#[inline]
pub(super) fn wake<'a, T: TaskReader<'a>>(
    text: &'a [u8],
    tasks: &mut T,
) -> Option<WokenTask<T::Task>> {
    let Some(at) = after(text, 0, b"comm=") else {
        return old_wake(text, tasks);
    };
    let read = tasks.read_task(TaskPlace::Woken, &text[at..])?;
    let (task, prio) = (read.task, read.prio);
    let target_cpu = target_cpu(text, at + read.end);
    Some(WokenTask {
        task,
        prio,
        target_cpu,
    })
}

/// trace-cmd's older form, and that of Linux 2.6: `task a:1 [120] success=1 [000]`.
#[cold]
fn old_wake<'a, T: TaskReader<'a>>(text: &'a [u8], tasks: &mut T) -> Option<WokenTask<T::Task>> {
    let is_early = text.trim_ascii_end().ends_with(b"]");
    let early = text.strip_prefix(b"task ").filter(|_| is_early);
    let text = early.unwrap_or(text);
    let ((comm, tid, prio), at) = old_task(text)?;
    let task = tasks.task(comm, tid);
    let target_cpu = target_cpu(text, at);
    Some(WokenTask {
        task,
        prio,
        target_cpu,
    })
}

/// The CPU that a wake-up names after `at`.
#[inline]
fn target_cpu(text: &[u8], at: usize) -> u32 {
    let at = after(text, at, b" success=")
        .and_then(|at| digits(text, at))
        .map_or(at, |(_, at)| at);
    let behind = after(text, at, b" target_cpu=")
        .or_else(|| after(text, at, b" CPU:"))
        .or_else(|| after(text, at, b" ["));
    let cpu = behind.and_then(|at| digits(text, at)).map(|(cpu, _)| cpu);
    cpu.filter(|cpu| *cpu < MOST_CPUS.into())
        .map_or(NO_CPU, |cpu| cpu as u32)
}

/// Parses `state=600000 cpu_id=0`.
#[inline]
pub(crate) fn cpu_value(kind: CpuValueKind, text: &[u8]) -> Option<CpuValue> {
    let (value, at) = digits(text, after(text, 0, b"state=")?)?;
    let (cpu, _) = digits(text, after(text, at, b" cpu_id=")?)?;
    Some(CpuValue {
        kind,
        cpu: u32::try_from(cpu).ok().filter(|cpu| *cpu < MOST_CPUS)?,
        value: value as i64,
    })
}

/// Parses a name that ends where `key` begins; the name may contain spaces and `=`. Returns the
/// name and the end of the key.
#[inline]
pub(super) fn comm<'a>(text: &'a [u8], key: &[u8]) -> Option<(&'a [u8], usize)> {
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

/// The end of `expected`, if it is at `at`.
#[inline(always)]
pub(super) fn after<const N: usize>(text: &[u8], at: usize, expected: &[u8; N]) -> Option<usize> {
    if text.get(at..)?.first_chunk::<N>() == Some(expected) {
        Some(at + N)
    } else {
        after_spaces(text, at, expected)
    }
}

/// Skips the padding that trace-cmd adds to some fields.
#[inline(never)]
fn after_spaces(text: &[u8], at: usize, expected: &[u8]) -> Option<usize> {
    if !expected.starts_with(b" ") {
        return None;
    }
    let start = skip_spaces(text, at).checked_sub(1)?;
    let is_there = start >= at && text.get(start..)?.starts_with(expected);
    is_there.then_some(start + expected.len())
}

/// Parses the letters of a state, or the kernel's number.
#[inline]
fn state(text: &[u8]) -> Option<TaskState> {
    match text {
        b"S" => Some(TaskState::SLEEPING),
        b"R" => Some(TaskState::RUNNABLE),
        b"R+" => Some(TaskState::PREEMPTED),
        _ => TaskState::parse(text).or_else(|| state_number(digits(text, 0)?.0)),
    }
}

/// Converts a raw state. Its bits differ between kernels. These are those of
/// `include/linux/sched.h` before 4.14, because only tools for such kernels print raw numbers. A
/// single bit beyond the states (`TASK_STATE_MAX`, which grew from 256 to 4096) means that the
/// thread was preempted.
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

    impl<'a> TaskReader<'a> for Names {
        type Task = (&'a [u8], i32);

        fn task(&mut self, comm: &'a [u8], tid: i32) -> Self::Task {
            (comm, tid)
        }
    }

    #[test]
    fn every_form_of_a_switch() {
        let expected = SwitchTasks {
            prev: (&b"a b=c"[..], 11),
            next: (&b"swapper/1"[..], 0),
            prev_prio: -1,
            next_prio: 120,
            prev_state: TaskState::PREEMPTED,
        };
        let switch = |text| switch(text, &mut Names);
        for text in [
            "prev_comm=a b=c prev_pid=11 prev_prio=-1 prev_state=R+ ==> next_comm=swapper/1 next_pid=0 next_prio=120",
            "prev_comm=a b=c prev_pid=11 prev_prio=-1 prev_state=4096 next_comm=swapper/1 next_pid=0 next_prio=120",
            "a b=c:11 [-1] R+ ==> swapper/1:0 [120]",
            "task a b=c:11 [-1] (R+) ==> swapper/1:0 [120]",
        ] {
            assert_eq!(switch(text.as_bytes()), Some(expected), "{text}");
        }
        assert_eq!(switch(b"prev_comm=bash prev_pid=14840"), None);
        assert_eq!(switch(b""), None);
    }

    #[test]
    fn wakes_and_cpu_values() {
        let expected = |prio, target_cpu| {
            let task = (&b"rs:main Q:Reg"[..], 7);
            Some(WokenTask {
                task,
                prio,
                target_cpu,
            })
        };
        for (text, expected) in [
            (
                "comm=rs:main Q:Reg pid=7 prio=120 success=1 target_cpu=003",
                expected(120, 3),
            ),
            (
                "comm=rs:main Q:Reg pid=7 prio=-1 target_cpu=000",
                expected(-1, 0),
            ),
            ("rs:main Q:Reg:7 [120] success=1 CPU:002", expected(120, 2)),
            (
                "task rs:main Q:Reg:7 [120] success=1 [002]",
                expected(120, 2),
            ),
            ("comm=rs:main Q:Reg pid=7", expected(NO_PRIORITY, NO_CPU)),
        ] {
            assert_eq!(wake(text.as_bytes(), &mut Names), expected, "{text}");
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
