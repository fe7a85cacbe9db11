//! Reasons why threads wait, with one wording and one colour for frames, slices, states and the
//! terminal.

use serde::Serialize;
use traceloom_trace::{ProcessId, RowId, StringId, ThreadId, Trace};

use crate::state::StateKind;

/// Why a thread waited. Waits with the same reason are shown as one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct WaitReason {
    /// The state during the wait. It [is a wait](StateKind::is_wait).
    pub state: StateKind,
    /// The kernel function it waited in, or empty.
    pub function: StringId,
    /// The thread that ended it (the waker), or none.
    pub waker: ThreadId,
}

/// The reason of a wait in words.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct WaitText {
    /// The name of the state.
    pub state: &'static str,
    /// The key of the state's colour.
    pub colour: &'static str,
    /// The kernel function it waited in, or empty.
    pub function: String,
    /// The name of the waker, or empty.
    pub waker: String,
    /// The waker, or none.
    pub waker_utid: u32,
    /// The complete text: `sleeping in futex_wait, woken by RenderThread of org.app`.
    pub text: String,
}

impl WaitReason {
    /// The reason of the wait in a row of the thread_state table. `next` is the row of the thread's
    /// next state, which has the waker. `None` if the thread did not wait.
    pub fn of(trace: &Trace, row: u32, next: Option<u32>) -> Option<Self> {
        let states = &trace.thread_states;
        let state = StateKind::from_row(trace, row as usize);
        state.is_wait().then(|| Self {
            state,
            function: states.blocked_function.get(row as usize),
            waker: next.map_or(ThreadId::NONE, |next| states.waker_utid.get(next as usize)),
        })
    }

    /// The reason in words.
    pub fn text(self, trace: &Trace) -> WaitText {
        let state = self.state.name();
        let function = trace.strings.get(self.function).to_owned();
        let waker = waker_label(trace, self.waker);
        let mut text = state.to_owned();
        if !function.is_empty() {
            text += &format!(" in {function}");
        }
        if !waker.is_empty() {
            text += &format!(", woken by {waker}");
        }
        WaitText {
            state,
            colour: self.state.colour(),
            function,
            waker,
            waker_utid: self.waker.0,
            text,
        }
    }
}

/// The label of a waker: a thread by [its name](thread_label), or an interrupt. Empty if unknown.
pub fn waker_label(trace: &Trace, utid: ThreadId) -> String {
    match utid.some().filter(|utid| utid.row() < trace.threads.len()) {
        // An interrupt of an idle CPU runs in the context of the idle thread.
        Some(utid) if trace.threads.tid.get(utid.row()) == 0 => "an interrupt".to_owned(),
        Some(utid) => thread_label(trace, utid),
        None => String::new(),
    }
}

/// The name of a thread, with that of its process if it differs. Empty if there is no such thread.
pub fn thread_label(trace: &Trace, utid: ThreadId) -> String {
    let Some(utid) = utid.some().filter(|utid| utid.row() < trace.threads.len()) else {
        return String::new();
    };
    let thread = trace.thread_name(utid);
    match process_label(trace, trace.threads.upid.get(utid.row())) {
        Some(process) if process != thread => format!("{thread} of {process}"),
        _ => thread,
    }
}

/// The name of a process, or its number if it has none.
pub(crate) fn process_label(trace: &Trace, upid: ProcessId) -> Option<String> {
    let row = upid.some()?.row();
    Some(match trace.strings.get(trace.processes.name.get(row)) {
        "" => format!("process {}", trace.processes.pid.get(row)),
        name => name.to_owned(),
    })
}
