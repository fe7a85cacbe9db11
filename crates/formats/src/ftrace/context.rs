//! Switches and wake-ups as the latency tracers print them.
//!
//! ```text
//!   <idle>-0       3d.h4    1us+:      0:120:R   + [003]  2389: 94:R sleep
//!   <idle>-0       3d..3   10us :      0:120:R ==> [003]  2389: 94:R sleep
//! ```
//! The writer is `trace_ctxwake_print` of `kernel/trace/trace_output.c`.

use traceloom_trace::TaskState;

use super::digits::{digits, int32, skip_spaces};
use super::event::MOST_CPUS;
use super::payload::{SwitchTasks, TaskReader, WokenTask};

/// The content of such a text.
pub(super) enum Context<T> {
    Switch(SwitchTasks<T>),
    Wake(WokenTask<T>),
}

/// The number, priority and state of a task, and where they end.
fn task(text: &[u8], at: usize) -> Option<(i32, i32, TaskState, usize)> {
    let (tid, at) = int32(text, skip_spaces(text, at))?;
    let (prio, at) = int32(text, skip_spaces(text, colon(text, at)?))?;
    let at = colon(text, at)?;
    let state = TaskState::parse(text.get(at..=at)?)?;
    Some((tid, prio, state, at + 1))
}

fn colon(text: &[u8], at: usize) -> Option<usize> {
    (text.get(at) == Some(&b':')).then_some(at + 1)
}

/// Parses the text after a line's time.
#[cold]
pub(super) fn context<'a, T: TaskReader<'a>>(
    text: &'a [u8],
    tasks: &mut T,
) -> Option<Context<T::Task>> {
    let (prev_tid, prev_prio, prev_state, at) = task(text, 0)?;
    let bracket = at + memchr::memchr(b'[', text.get(at..)?)?;
    let sign = text[at..bracket].trim_ascii();
    let (cpu, end) = digits(text, bracket + 1)?;
    let target_cpu = u32::try_from(cpu).ok().filter(|cpu| *cpu < MOST_CPUS)?;
    let at = (text.get(end) == Some(&b']')).then_some(end + 1)?;
    let (tid, next_prio, _, end) = task(text, at)?;
    let comm = text.get(end..)?.trim_ascii();
    match sign {
        b"==>" => Some(Context::Switch(SwitchTasks {
            // The columns have its name.
            prev: tasks.task(b"<...>", prev_tid),
            next: tasks.task(comm, tid),
            prev_prio,
            next_prio,
            prev_state,
        })),
        b"+" => Some(Context::Wake(WokenTask {
            task: tasks.task(comm, tid),
            prio: next_prio,
            target_cpu,
        })),
        _ => None,
    }
}
