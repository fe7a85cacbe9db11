//! Binder calls as the kernel events they were read from, so that calls and replies stay connected.
//!
//! ```text
//! caller   binder_transaction 7 |------- binder transaction -------| received 8
//! callee            received 7 |---- binder reply ----| binder_transaction 8 (reply)
//! ```

use rustc_hash::{FxHashMap, FxHashSet};
use traceloom_trace::{
    ArgSetId, ArgValue, NO_DURATION, RowId, SliceId, SliceRow, StringId, ThreadId, Trace,
};

use super::kernel::argument;
use crate::ftrace::binder_codes::{Return, printed_code};

/// The event that opens a call, and closes a reply.
pub(super) const SENT: &str = "binder_transaction";
/// The event that opens a reply, and closes a call.
pub(super) const RECEIVED: &str = "binder_transaction_received";

/// The role of a slice in a binder call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    /// A call, and the number of the transaction that answers it.
    Call { answer: Option<i64> },
    /// The work on a call: the call's number, and whether it ends with an answer.
    Reply { call: i64, answers: bool },
    /// A call without an answer, which has no duration.
    OneWay,
    /// The moment when a call without an answer arrives, and its number.
    Arrival { call: i64 },
}

impl Role {
    /// Whether the slice has no duration and a single event.
    pub fn is_moment(self) -> bool {
        matches!(self, Self::OneWay | Self::Arrival { .. })
    }
}

/// The roles of all slices that can be written as binder events. Other slices, such as the work on a call that is not
/// in the trace, are written as slices of a program.
pub(super) fn roles(
    trace: &Trace,
    failures: &FxHashSet<(i64, ThreadId)>,
) -> FxHashMap<SliceId, Role> {
    let mut roles = FxHashMap::default();
    let Some(key) = trace.strings.lookup("transaction") else {
        return roles;
    };
    let mut answered = FxHashMap::default();
    for flow in trace.flows.rows() {
        let ends = [flow.slice_out, flow.slice_in].map(|slice| trace.slices.row(slice.row()));
        let both = match ends.map(|slice| trace.strings.get(slice.name)) {
            ["binder transaction", "binder reply"] => call_and_reply(trace, key, ends),
            ["binder transaction async", "binder async rcv"] => one_way(trace, key, ends),
            _ => continue,
        };
        answered.insert(flow.slice_out, ());
        if let Some([call, reply]) = both {
            let call = if failed(trace, ends[0], failures) {
                Role::Call { answer: None }
            } else {
                call
            };
            roles.insert(flow.slice_out, call);
            roles.insert(flow.slice_in, reply);
        }
    }
    for (row, slice) in trace.slices.rows().enumerate() {
        let id = SliceId::from_row(row);
        let role = match trace.strings.get(slice.name) {
            "binder transaction" => Role::Call { answer: None },
            "binder transaction async" if slice.dur == 0 => Role::OneWay,
            _ => continue,
        };
        let numbered = numbers(trace, key, slice).next().is_some();
        if numbered && on_thread(trace, slice) && !answered.contains_key(&id) {
            roles.insert(id, role);
        }
    }
    roles
}

/// The time and the thread of each stored event that reports a failed call. It ends the call's slice.
pub(super) fn failures(trace: &Trace) -> FxHashSet<(i64, ThreadId)> {
    let Some(name) = trace.strings.lookup("binder_return") else {
        return FxHashSet::default();
    };
    let events = trace.ftrace_events.rows();
    let failed = events.filter(|event| {
        event.name == name
            && code(trace, event.arg_set_id).and_then(Return::of) == Some(Return::Failed)
    });
    failed.map(|event| (event.ts, event.utid)).collect()
}

/// Whether a stored event ends a call.
fn failed(trace: &Trace, call: SliceRow, failures: &FxHashSet<(i64, ThreadId)>) -> bool {
    let utid = trace.tracks.utid.get(call.track_id.row());
    end(call).is_some_and(|end| failures.contains(&(end, utid)))
}

/// The code of a `binder_return`.
fn code(trace: &Trace, args: ArgSetId) -> Option<i64> {
    let value = trace
        .args
        .set(args)
        .find_map(|(key, value)| (trace.strings.get(key) == "cmd").then_some(value));
    match value? {
        ArgValue::Int(code) => Some(code),
        ArgValue::Text(text) => printed_code(trace.strings.get(text).as_bytes()),
        _ => None,
    }
}

/// The numbers of transactions among a slice's fields.
fn numbers(trace: &Trace, key: StringId, slice: SliceRow) -> impl Iterator<Item = i64> + '_ {
    let fields = trace.args.set(slice.arg_set_id);
    fields.filter_map(move |field| match field {
        (found, ArgValue::Int(number)) if found == key => Some(number),
        _ => None,
    })
}

fn on_thread(trace: &Trace, slice: SliceRow) -> bool {
    !slice.instant && trace.tracks.kind.get(slice.track_id.row()).is_stack()
}

fn end(slice: SliceRow) -> Option<i64> {
    (slice.dur != NO_DURATION).then(|| slice.ts.saturating_add(slice.dur))
}

/// Both ends of a call, if they came from binder events.
fn call_and_reply(trace: &Trace, key: StringId, ends: [SliceRow; 2]) -> Option<[Role; 2]> {
    let [call, reply] = ends;
    let number = numbers(trace, key, call).next()?;
    let received = numbers(trace, key, reply).next() == Some(number);
    let answers = argument(trace, reply.arg_set_id, "reply").is_some();
    // If numbers are reused, the answer may have the call's number. The slice then has only this number.
    let answer = numbers(trace, key, reply).last().filter(|_| answers);
    // A call may end before its answer, together with an enclosing slice.
    let is_answered = end(reply)
        .zip(end(call))
        .is_some_and(|(sent, came)| sent < came);
    let complete = received && call.ts < reply.ts;
    let answer = answer.filter(|_| is_answered);
    (complete && ends.iter().all(|&slice| on_thread(trace, slice))).then_some([
        Role::Call { answer },
        Role::Reply {
            call: number,
            answers,
        },
    ])
}

fn one_way(trace: &Trace, key: StringId, ends: [SliceRow; 2]) -> Option<[Role; 2]> {
    let [sent, came] = ends;
    let number = numbers(trace, key, sent).next()?;
    let moments = ends
        .iter()
        .all(|&slice| slice.dur == 0 && on_thread(trace, slice));
    let complete = moments && sent.ts < came.ts && numbers(trace, key, came).next() == Some(number);
    complete.then_some([Role::OneWay, Role::Arrival { call: number }])
}
