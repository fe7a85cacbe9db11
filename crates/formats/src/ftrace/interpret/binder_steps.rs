//! Follows the binder calls of each thread by the commands that it exchanges with the driver. Without these commands, a
//! failed call would stay open forever, because the kernel records no answer for it.
//!
//! ```text
//! caller   BC_TRANSACTION  transaction  BR_TRANSACTION_COMPLETE  received (answer)  BR_REPLY
//!            Asked           Sent         Waits                    Answered           done
//! callee   received (call)  BR_TRANSACTION  BC_REPLY  transaction (answer)  BR_TRANSACTION_COMPLETE
//!            Arrived          Works           Answers   Replied               done
//! ```
//! A call can be made inside another one, so each thread has a stack.

use rustc_hash::FxHashMap;
use traceloom_trace::ThreadId;

use crate::ftrace::binder_codes::{Command, Return};

/// The last step of a call on the thread that makes it or answers it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    Asked,
    Sent,
    Waits,
    Answered,
    Arrived,
    Works,
    Answers,
    Replied,
}

/// A call that a thread makes or answers.
#[derive(Clone, Copy, Debug)]
struct Call {
    step: Step,
    /// Whether the thread waits for the answer, so that a slice is open.
    waits: bool,
    is_one_way: bool,
}

/// The calls of each thread, the innermost last.
#[derive(Debug, Default)]
pub(super) struct BinderSteps(FxHashMap<ThreadId, Vec<Call>>);

/// The kind of a transaction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sends {
    Call,
    OneWay,
    Answer,
}

impl BinderSteps {
    /// A `binder_command`: a request of the thread to the driver.
    pub fn command(&mut self, utid: ThreadId, command: Command) {
        match command {
            Command::Transaction => self.push(utid, Step::Asked),
            Command::Reply => self.advance(utid, Step::Works, Step::Answers),
        }
    }

    /// A `binder_transaction`.
    pub fn sent(&mut self, utid: ThreadId, sends: Sends) {
        let Some(call) = self.innermost(utid) else {
            return;
        };
        let next = match call.step {
            Step::Asked => Step::Sent,
            Step::Answers => Step::Replied,
            // The commands are not recorded. The answer is the last event of the call.
            Step::Arrived => return self.pop(utid),
            _ => return,
        };
        *call = Call {
            step: next,
            waits: sends == Sends::Call,
            is_one_way: sends == Sends::OneWay,
        };
    }

    /// A `binder_transaction_received`.
    pub fn received(&mut self, utid: ThreadId, sends: Sends) {
        match sends {
            Sends::Call => self.push(utid, Step::Arrived),
            Sends::Answer => self.advance(utid, Step::Waits, Step::Answered),
            Sends::OneWay => {}
        }
    }

    /// A `binder_return`: a message of the driver to the thread. Returns true if the thread's call failed, so that its
    /// slice ends.
    pub fn returned(&mut self, utid: ThreadId, returned: Return) -> bool {
        let Some(call) = self.innermost(utid).copied() else {
            return false;
        };
        match (returned, call.step) {
            (Return::Failed, Step::Answered | Step::Arrived | Step::Works) => false,
            (Return::Failed, _) => {
                self.pop(utid);
                call.waits
            }
            (Return::Complete, Step::Sent) if !call.is_one_way => {
                self.advance(utid, Step::Sent, Step::Waits);
                false
            }
            (Return::Complete, Step::Sent | Step::Asked | Step::Replied)
            | (Return::Reply, Step::Answered) => {
                self.pop(utid);
                false
            }
            (Return::Transaction, _) => {
                self.advance(utid, Step::Arrived, Step::Works);
                false
            }
            _ => false,
        }
    }

    fn innermost(&mut self, utid: ThreadId) -> Option<&mut Call> {
        self.0.get_mut(&utid)?.last_mut()
    }

    fn push(&mut self, utid: ThreadId, step: Step) {
        self.0.entry(utid).or_default().push(Call {
            step,
            waits: false,
            is_one_way: false,
        });
    }

    fn advance(&mut self, utid: ThreadId, from: Step, to: Step) {
        if let Some(call) = self.innermost(utid).filter(|call| call.step == from) {
            call.step = to;
        }
    }

    fn pop(&mut self, utid: ThreadId) {
        if let Some(calls) = self.0.get_mut(&utid) {
            calls.pop();
            if calls.is_empty() {
                self.0.remove(&utid);
            }
        }
    }
}
