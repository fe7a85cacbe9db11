//! Binder: calls between processes. Its locks are ordinary pairs.
//!
//! ```text
//! caller   binder_transaction 1          binder_transaction_received 2
//!          |---------- "binder transaction" ----------|
//!               \ flow
//! callee         |------ "binder reply" ------|
//!          received 1                transaction 2, reply=1
//! ```
//! Slices have the names that Perfetto gives them.

use traceloom_trace::{FlowRow, NO_NUMBER, SliceId, TraceBuilder};

use super::args::Fields;
use super::binder_steps::Sends;
use super::interpreter::Interpreter;
use super::position::At;
use super::state::Sent;
use crate::ftrace::binder_codes::{Command, Return, printed_code};
use crate::ftrace::event::Value;

/// `TF_ONE_WAY` of `include/uapi/linux/android/binder.h`: the caller does not wait for a reply.
const ONE_WAY: i64 = 1;

const CALL: &[u8] = b"binder transaction";
const REPLY: &[u8] = b"binder reply";

impl Interpreter {
    /// `binder_transaction: transaction=7 dest_node=4 dest_proc=9 dest_thread=0 reply=0 flags=0x10 code=0x3`.
    pub(super) fn transaction(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let id = fields.int("transaction")?;
        let sends = match (fields.int("reply")?, fields.int("flags").unwrap_or(0)) {
            (0, flags) if flags & ONE_WAY != 0 => Sends::OneWay,
            (0, _) => Sends::Call,
            _ => Sends::Answer,
        };
        self.binder.steps.sent(at.utid, sends);
        if sends == Sends::Answer {
            self.binder.sent.insert(id, Sent::Reply);
            return self.own_end(at, REPLY, fields, out);
        }
        if sends == Sends::OneWay {
            let slice = self.moment(at, b"binder transaction async", fields, out);
            self.binder.sent.insert(id, Sent::OneWay(slice));
        } else {
            let slice = self.own_begin(at, CALL, fields, out);
            self.binder.sent.insert(id, Sent::Call(slice));
        }
        Some(())
    }

    /// `binder_transaction_received: transaction=7`.
    pub(super) fn received(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let sent = self.binder.sent.remove(&fields.int("transaction")?)?;
        self.binder.steps.received(at.utid, sent.sends());
        match sent {
            Sent::Reply => return self.own_end(at, CALL, Fields::NONE, out),
            Sent::Call(call) => {
                let reply = self.own_begin(at, REPLY, fields, out);
                flow(call, reply, out);
            }
            Sent::OneWay(call) => {
                let received = self.moment(at, b"binder async rcv", fields, out);
                flow(call, received, out);
            }
        }
        Some(())
    }

    /// `binder_command: cmd=0x40406300 BC_TRANSACTION`. The event is also kept.
    pub(super) fn binder_command(
        &mut self,
        at: At,
        fields: Fields<'_>,
        _: &mut TraceBuilder,
    ) -> Option<()> {
        let command = Command::of(code(fields)?)?;
        self.binder.steps.command(at.utid, command);
        None
    }

    /// `binder_return: cmd=0x7211 BR_FAILED_REPLY`. The event is also kept.
    pub(super) fn binder_return(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let returned = Return::of(code(fields)?)?;
        if self.binder.steps.returned(at.utid, returned) {
            self.own_end(at, CALL, Fields::NONE, out);
        }
        None
    }

    /// Opens a slice on the thread's own track.
    fn own_begin(
        &mut self,
        at: At,
        name: &[u8],
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> SliceId {
        let track = self.threads.track(at.slot, out);
        self.begin(at, track, name, fields, out)
    }

    /// Closes the thread's innermost slice if it has this name.
    fn own_end(
        &mut self,
        at: At,
        name: &[u8],
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let track = self.threads.track(at.slot, out);
        let ended = self.end_named(at, track, name, fields, out);
        if ended.is_none() {
            self.history.unmatched(at);
        }
        ended.map(drop)
    }

    /// Adds a slice with duration 0 to the thread's own track.
    pub(super) fn moment(
        &mut self,
        at: At,
        name: &[u8],
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> SliceId {
        let slice = self.own_begin(at, name, fields, out);
        let track = self.threads.track(at.slot, out);
        out.end_slice(track, at.ts, None);
        slice
    }
}

/// The code of a command.
fn code(fields: Fields<'_>) -> Option<i64> {
    match fields.get("cmd")? {
        Value::Text(text) => printed_code(text),
        _ => fields.int("cmd"),
    }
}

fn flow(slice_out: SliceId, slice_in: SliceId, out: &mut TraceBuilder) {
    let name = out.intern(b"binder");
    out.flow(FlowRow {
        slice_out,
        slice_in,
        name,
        trace_id: NO_NUMBER,
    });
}
