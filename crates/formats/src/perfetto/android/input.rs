//! Input: key events, motion events, and the windows to which they were dispatched.

use traceloom_trace::{ArgValue, TraceBuilder};

use super::super::clocks::{ClockId, MONOTONIC};
use super::super::wire::Fields;
use super::Android;
use super::messages::{unsigned, zigzag};

/// The columns of events whose fields have the same names.
const EVENT: &[&str] = &["source", "action", "device_id", "display_id"];

/// The times in events, and the arguments for these times on the trace's clock.
const TIMES: [(&str, &str); 2] = [
    ("event_time_nanos", "kernel_time"),
    ("down_time_nanos", "down_time"),
];

impl Android<'_> {
    /// An `AndroidInputEvent`.
    pub(super) fn input(&mut self, ts: i64, content: &[u8], machine: u32, out: &mut TraceBuilder) {
        for field in Fields::new(content) {
            let content = field.bytes();
            match field.number {
                1 | 2 => {
                    let table = "__intrinsic_android_motion_events";
                    self.event(ts, (table, "AndroidMotionEvent"), content, machine, out);
                }
                3 | 4 => {
                    let table = "__intrinsic_android_key_events";
                    self.event(ts, (table, "AndroidKeyEvent"), content, machine, out);
                }
                5 | 6 => self.dispatch(ts, content, out),
                _ => {}
            }
        }
    }

    fn event(
        &mut self,
        ts: i64,
        (table, kind): (&str, &'static str),
        content: &[u8],
        machine: u32,
        out: &mut TraceBuilder,
    ) {
        let mut args = self.messages.args(kind, content, |_| true, out);
        let clock = ClockId::new(MONOTONIC, 0, machine);
        for (time, key) in TIMES {
            let time = self.messages.number(kind, content, time);
            if let Some(ts) = self.converter.convert(clock, time) {
                args.push((out.intern(key.as_bytes()), ArgValue::Int(ts)));
            }
        }
        let args = out.args(args).into();
        let message = self.messages.keep(content, out);
        let mut cells = vec![("arg_set_id", args), ("base64_proto_id", message)];
        let id = self.messages.number(kind, content, "event_id");
        cells.push(("event_id", ArgValue::Int(id)));
        for column in EVENT {
            let field = self.messages.find(kind, content, column);
            let bits = field.map_or(0, |field| field.uint());
            let value = match *column {
                "display_id" => ArgValue::Int(zigzag(bits)),
                _ => unsigned(bits),
            };
            cells.push((column, value));
        }
        if kind == "AndroidKeyEvent" {
            let code = self.messages.number(kind, content, "key_code");
            cells.push(("key_code", ArgValue::Int(code)));
        }
        out.record(ts, table, &cells);
    }

    /// An `AndroidWindowInputDispatchEvent`.
    fn dispatch(&mut self, ts: i64, content: &[u8], out: &mut TraceBuilder) {
        let kind = "AndroidWindowInputDispatchEvent";
        let mut cells = self.cells(kind, content, out).to_vec();
        for column in ["event_id", "vsync_id", "window_id"] {
            let value = self.messages.number(kind, content, column);
            cells.push((column, ArgValue::Int(value)));
        }
        out.record(ts, "__intrinsic_android_input_event_dispatch", &cells);
    }
}
