//! Prints begins and ends of slices.

use std::io::{self, Write};

use traceloom_trace::{ArgValue, RowId, SliceId, ThreadId};

use super::binder::{RECEIVED, Role, SENT};
use super::fields::{Part, write_fields};
use super::kernel;
use super::line::{Printer, clean};
use super::plan::Line;
use crate::ftrace::marker::COOKIE;

impl Printer<'_> {
    pub(super) fn begin(&self, line: Line, out: &mut impl Write) -> io::Result<()> {
        let slice = SliceId(line.row);
        let track_id = self.plan.trace.slices.track_id.get(slice.row());
        let name = self.plan.trace.slice_name(slice);
        let name = clean(&name);
        let track = self.track(track_id);
        if let Some((role, utid)) = self.plan.binder.get(&slice).zip(track.utid.some()) {
            self.front(line.ts, utid, None, out)?;
            return self.binder_begin(slice, *role, out);
        }
        if let Some(pair) = kernel::pair(self.plan.trace, slice) {
            self.kernel_front(line.ts, track, out)?;
            write!(out, "{}: ", pair.begin)?;
            let args = self.plan.trace.slices.arg_set_id.get(slice.row());
            let part = Part::Begin(pair.end);
            return write_fields(self.plan.trace, pair.begin, args, part, out);
        }
        if let (true, Some(utid)) = (track.kind.is_stack(), track.utid.some()) {
            self.front(line.ts, utid, None, out)?;
            return write!(out, "tracing_mark_write: B|{}|{name}", self.mark_pid(utid));
        }
        if kernel::is_suspend(track, self.text(track.name)) {
            self.kernel_front(line.ts, track, out)?;
            return write!(out, "suspend_resume: {} begin", kernel::suspend_step(&name));
        }
        let pid = self.process_front(line.ts, self.owner(track), out)?;
        let cookie = self.cookie(slice);
        match self.lane_name(track) {
            Some(lane) => write!(out, "tracing_mark_write: G|{pid}|{lane}|{name}|{cookie}"),
            None => write!(out, "tracing_mark_write: S|{pid}|{name}|{cookie}"),
        }
    }

    /// The text that connects both ends of an asynchronous slice: its cookie, otherwise its row.
    fn cookie(&self, slice: SliceId) -> String {
        let trace = self.plan.trace;
        let args = trace.slices.arg_set_id.get(slice.row());
        let own = trace.args.set(args).find_map(|arg| match arg {
            (key, value @ (ArgValue::Int(_) | ArgValue::Text(_))) => {
                let is_cookie = trace.strings.get(key) == COOKIE;
                is_cookie.then(|| value.display(&trace.strings))
            }
            _ => None,
        });
        let own = own.filter(|cookie| !cookie.contains(['|', '\n', '\r', '\0']));
        let own = own.filter(|_| !self.plan.overlapping.contains(&slice));
        own.unwrap_or_else(|| slice.0.to_string())
    }

    /// The end of a slice on a thread's own track, as a mark.
    pub(super) fn end_mark(&self, line: Line, out: &mut impl Write) -> io::Result<()> {
        let track = self.plan.trace.slices.track_id.get(line.row as usize);
        let utid = self.track(track).utid;
        self.front(line.ts, utid, None, out)?;
        self.mark_end(utid, out)
    }

    fn mark_end(&self, utid: ThreadId, out: &mut impl Write) -> io::Result<()> {
        write!(out, "tracing_mark_write: E|{}", self.mark_pid(utid))
    }

    pub(super) fn end(&self, line: Line, out: &mut impl Write) -> io::Result<()> {
        let slice = SliceId(line.row);
        let track = self.track(self.plan.trace.slices.track_id.get(slice.row()));
        let is_binder = self.plan.binder.contains_key(&slice);
        if let Some(pair) = kernel::pair(self.plan.trace, slice).filter(|_| !is_binder) {
            self.kernel_front(line.ts, track, out)?;
            write!(out, "{}: ", pair.end)?;
            let args = self.plan.trace.slices.arg_set_id.get(slice.row());
            let part = Part::End(pair.begin);
            return write_fields(self.plan.trace, pair.end, args, part, out);
        }
        if let (true, Some(utid)) = (track.kind.is_stack(), track.utid.some()) {
            self.front(line.ts, utid, None, out)?;
            match self.plan.binder.get(&slice) {
                Some(Role::Call {
                    answer: Some(answer),
                }) => return write!(out, "{RECEIVED}: transaction={answer}"),
                Some(Role::Reply { answers: true, .. }) => {
                    write!(out, "{SENT}: ")?;
                    let args = self.plan.trace.slices.arg_set_id.get(slice.row());
                    return write_fields(self.plan.trace, SENT, args, Part::Last, out);
                }
                _ => {}
            }
            return self.mark_end(utid, out);
        }
        let name = self.plan.trace.slice_name(slice);
        if kernel::is_suspend(track, self.text(track.name)) {
            self.kernel_front(line.ts, track, out)?;
            return write!(
                out,
                "suspend_resume: {} end",
                kernel::suspend_step(&clean(&name))
            );
        }
        let pid = self.process_front(line.ts, self.owner(track), out)?;
        let cookie = self.cookie(slice);
        match self.lane_name(track) {
            Some(lane) => write!(out, "tracing_mark_write: H|{pid}|{lane}|{cookie}"),
            None => {
                let name = clean(&name);
                write!(out, "tracing_mark_write: F|{pid}|{name}|{cookie}")
            }
        }
    }

    fn binder_begin(&self, slice: SliceId, role: Role, out: &mut impl Write) -> io::Result<()> {
        match role {
            Role::Call { .. } | Role::OneWay => {
                write!(out, "{SENT}: ")?;
                let args = self.plan.trace.slices.arg_set_id.get(slice.row());
                write_fields(self.plan.trace, SENT, args, Part::All, out)
            }
            Role::Reply { call, .. } | Role::Arrival { call } => {
                write!(out, "{RECEIVED}: transaction={call}")
            }
        }
    }
}
