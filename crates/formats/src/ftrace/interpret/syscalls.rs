//! System calls. The kernel can record each call twice: as `raw_syscalls:sys_enter` and as
//! `syscalls:sys_enter_openat`. Both make one slice.
//!
//! ```text
//! sys_enter: NR 257 (…)        begins the slice
//! sys_openat(dfd: …)           names it
//! sys_exit: NR 257 = 3         ends it
//! sys_openat -> 0x3            belongs to the same end
//! ```
//!
//! The two kinds come in the order in which they were switched on.

use traceloom_trace::{TraceBuilder, TrackId};

use super::args::Fields;
use super::interpreter::Interpreter;
use super::open_pairs::Call;
use super::position::At;
use crate::ftrace::pairs::{Role, Use};
use crate::ftrace::syscalls::Machine;

/// `sys_enter` and `sys_exit` of `raw_syscalls`.
const RAW: u8 = 1;
/// The events of single calls, in `syscalls`.
const SINGLE: u8 = 2;

impl Interpreter {
    /// Begins or ends a system call. `None` means that the event is kept as an event.
    pub(super) fn syscall(
        &mut self,
        at: At,
        (one, identity): (&Use, u64),
        event: &[u8],
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let track = self.pair_track(at, one.pair, out);
        let family = family(event, fields);
        let call = self.open.calls.get(&track).copied();
        match (one.role, call) {
            (Role::Begin, Some(call)) if call.ends == 0 && call.begins & family == 0 => {
                self.name_call(track, call, (family, event), fields, out)
            }
            (Role::Begin, _) => self.begin_call(at, track, (one, identity), event, fields, out),
            (Role::End, Some(call)) if call.ends != 0 && call.ends & family == 0 => {
                let ends = call.ends | family;
                self.open.calls.insert(track, Call { ends, ..call });
                Some(())
            }
            (Role::End, _) => self.end_call(at, track, (one, identity), event, fields, out),
        }
    }

    fn begin_call(
        &mut self,
        at: At,
        track: TrackId,
        (one, identity): (&Use, u64),
        event: &[u8],
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        self.pair_begin(at, (one, identity), event, fields, out)?;
        let call = Call {
            slice: out.open_slice(track)?,
            begins: family(event, fields),
            ends: 0,
        };
        self.open.calls.insert(track, call);
        Some(())
    }

    /// The second begin of a call. The kernel's own name is better than one found by a number.
    fn name_call(
        &mut self,
        track: TrackId,
        call: Call,
        (family, event): (u8, &[u8]),
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        if family == SINGLE {
            let name = self.syscall_name(event, fields, out);
            let name = self.kernel.slice_name(&name, out);
            out.rename_slice(call.slice, name);
        }
        self.add_args(call.slice, fields, out);
        let begins = call.begins | family;
        self.open.calls.insert(track, Call { begins, ..call });
        Some(())
    }

    fn end_call(
        &mut self,
        at: At,
        track: TrackId,
        (one, identity): (&Use, u64),
        event: &[u8],
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        self.pair_end(at, (one, identity), event, fields, out)?;
        if let Some(call) = self.open.calls.get_mut(&track) {
            call.ends |= family(event, fields);
        }
        Some(())
    }

    /// `sys_openat`, or `sys_257` if the machine's numbers are unknown.
    pub(super) fn syscall_name(
        &mut self,
        event: &[u8],
        fields: Fields<'_>,
        out: &TraceBuilder,
    ) -> Vec<u8> {
        let own = event.strip_prefix(b"sys_enter_");
        if let Some(name) = own.or_else(|| fields.text("name")) {
            return [b"sys_", name].concat();
        }
        let number = fields.int_of(&["id", "NR", "__syscall_nr"]).unwrap_or(-1);
        let machine = *self.open.machine.get_or_insert_with(|| {
            let fact = |key| out.trace().metadata(key);
            let machine = fact("uname").or_else(|| fact("system_machine"));
            machine.and_then(Machine::of_uname)
        });
        match machine.and_then(|machine| machine.name(number)) {
            Some(name) => format!("sys_{name}").into_bytes(),
            None => format!("sys_{number}").into_bytes(),
        }
    }
}

/// Text has the events of single calls as `sys_enter` with a name.
fn family(event: &[u8], fields: Fields<'_>) -> u8 {
    match event {
        b"sys_enter" | b"sys_exit" if fields.text("name").is_none() => RAW,
        _ => SINGLE,
    }
}
