//! Switches and wake-ups as the latency tracers print them.
//!
//! ```text
//!   <idle>-0       3d.h4    1us+:      0:120:R   + [003]  2389: 94:R sleep
//!   <idle>-0       3d..3   10us :      0:120:R ==> [003]  2389: 94:R sleep
//!     bash-3997  [01]   240.132284:   3997:120:R ==>  4055:120:R
//! ```
//! The writer is `trace_ctxwake_print` of `kernel/trace/trace_output.c`. Linux 2.6.27, the first with ftrace, prints no
//! CPU, and may print no name.

use traceloom_trace::{NO_CPU, TaskState};

use super::digits::{digits, int32, skip_spaces};
use super::event::MOST_CPUS;
use super::payload::{SwitchTasks, TaskReader, WokenTask};

/// The name of a task without one.
const UNKNOWN: &[u8] = b"<...>";

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

/// Parses `[003]`, if it is there: the CPU, and where it ends.
fn cpu(text: &[u8], at: usize) -> Option<(u32, usize)> {
    if text.get(at) != Some(&b'[') {
        return Some((NO_CPU, at));
    }
    let (cpu, end) = digits(text, at + 1)?;
    let cpu = u32::try_from(cpu).ok().filter(|cpu| *cpu < MOST_CPUS)?;
    (text.get(end) == Some(&b']')).then_some((cpu, end + 1))
}

/// Parses the text after a line's time.
#[cold]
pub(super) fn context<'a, T: TaskReader<'a>>(
    text: &'a [u8],
    tasks: &mut T,
) -> Option<Context<T::Task>> {
    let (prev_tid, prev_prio, prev_state, at) = task(text, 0)?;
    let start = skip_spaces(text, at);
    let mut signs = [&b"==>"[..], b"+"].into_iter();
    let sign = signs.find(|sign| text[start..].starts_with(sign))?;
    let (target_cpu, at) = cpu(text, skip_spaces(text, start + sign.len()))?;
    let (tid, next_prio, _, end) = task(text, at)?;
    let comm = match text.get(end..)?.trim_ascii() {
        b"" => UNKNOWN,
        comm => comm,
    };
    match sign {
        b"==>" => Some(Context::Switch(SwitchTasks {
            // The columns have its name.
            prev: tasks.task(UNKNOWN, prev_tid),
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

#[cfg(test)]
mod tests {
    use traceloom_trace::{NO_CPU, RowId, Trace};

    use crate::format::ReadOptions;
    use crate::read_bytes;

    fn read(text: &str) -> Trace {
        read_bytes(text.as_bytes(), ReadOptions::default()).unwrap()
    }

    /// Runs as `tid priority start+duration`, in µs after the first second.
    fn runs(trace: &Trace) -> Vec<String> {
        let rows = trace.sched_slices.rows().map(|row| {
            let tid = trace.threads.tid.get(row.utid.row());
            let (ts, dur) = ((row.ts - 1_000_000_000) / 1_000, row.dur / 1_000);
            format!("{tid} {} {ts}+{dur}", row.priority)
        });
        rows.collect()
    }

    #[test]
    fn a_switch_with_and_without_the_cpu() {
        for after in [
            "==> [000]  4055:110:R sleep",
            "==>  4055:110:R",
            "==>  4055:110:R sleep",
        ] {
            let trace = read(&format!(
                "    bash-3997  [00]  1.000010:   3997:120:S {after}\n   \
                 sleep-4055  [00]  1.000030:   4055:110:D ==>  3997:120:R\n"
            ));
            assert!(
                runs(&trace).contains(&"4055 110 10+20".to_owned()),
                "{after}"
            );
            assert_eq!(trace.ftrace_events.len(), 0, "{after}");
        }
    }

    #[test]
    fn a_wake_up_with_and_without_the_cpu() {
        for (after, cpu) in [("+ [002]  4055:110:S sleep", 2), ("+  4055:110:S", NO_CPU)] {
            let trace = read(&format!(
                "bash-3997  [00]  1.000010:   3997:120:R   {after}\n"
            ));
            let woken = trace.wakeups.row(0);
            let tid = trace.threads.tid.get(woken.utid.row());
            assert_eq!((tid, woken.target_cpu), (4055, cpu), "{after}");
        }
    }

    #[test]
    fn another_text_is_kept_as_an_event() {
        for text in [
            "1:120:R => 2:120:R",
            "1:120:R ==> [000 2:120:R x",
            "1:120:R ==> 2",
        ] {
            let trace = read(&format!("a-1  [00]  1.000010: {text}\n"));
            let rows = (trace.sched_slices.len(), trace.ftrace_events.len());
            assert_eq!(rows, (0, 1), "{text}");
        }
    }
}
