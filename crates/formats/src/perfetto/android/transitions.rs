//! Transitions between windows. Several packets describe the same transition.

use traceloom_trace::{ArgValue, NO_TIME, TraceBuilder};

use super::Android;
use super::rects::Rect;

const KIND: &str = "ShellTransition";
const CHANGE: &str = "ShellTransition.Change";

/// The columns, and the fields from which they are filled.
const COLUMNS: [(&str, &str); 13] = [
    ("transition_type", "type"),
    ("send_time_ns", "send_time_ns"),
    ("dispatch_time_ns", "dispatch_time_ns"),
    ("shell_abort_time_ns", "shell_abort_time_ns"),
    ("wm_abort_time_ns", "wm_abort_time_ns"),
    ("finish_time_ns", "finish_time_ns"),
    ("handler", "handler"),
    ("merge_time_ns", "merge_time_ns"),
    ("create_time_ns", "create_time_ns"),
    ("flags", "flags"),
    ("start_transaction_id", "start_transaction_id"),
    ("finish_transaction_id", "finish_transaction_id"),
    ("transition_id", "id"),
];

/// The columns of a participant whose fields have the same names.
const OF_PARTICIPANT: [&str; 8] = [
    "layer_id",
    "window_id",
    "mode",
    "flags",
    "start_display_id",
    "end_display_id",
    "start_rotation",
    "end_rotation",
];

impl Android<'_> {
    /// A `ShellTransition`.
    pub(super) fn transition(&mut self, content: &[u8], out: &mut TraceBuilder) {
        let id = self.messages.number(KIND, content, "id");
        let message = self.messages.keep(content, out);
        let cells = [
            ("transition_id", ArgValue::Int(id)),
            ("base64_proto_id", message),
        ];
        let table = "__intrinsic_window_manager_shell_transition_protos";
        out.record(NO_TIME, table, &cells);
        let args = self.messages.args(KIND, content, |_| true, out);
        let transition = self.transitions.of(id);
        transition.args.extend(args);
        transition.set("transition_id", id);
        for (column, field) in COLUMNS {
            if let Some(field) = self.messages.find(KIND, content, field) {
                transition.set(column, field.int());
                match column {
                    "send_time_ns" => transition.ts = Some(field.int()),
                    "dispatch_time_ns" => {
                        transition.ts.get_or_insert(field.int());
                    }
                    _ => {}
                }
            }
        }
        for change in self.messages.all(KIND, content, "changes") {
            self.participant(id, change.bytes(), out);
        }
    }

    /// A `Change` of a transition.
    fn participant(&mut self, id: i64, change: &[u8], out: &mut TraceBuilder) {
        let mut cells = vec![("transition_id", ArgValue::Int(id))];
        for column in OF_PARTICIPANT {
            if let Some(field) = self.messages.find(CHANGE, change, column) {
                cells.push((column, ArgValue::Int(field.int())));
            }
        }
        for (column, field) in [
            ("start_abs_bounds_rect_id", "start_absolute_bounds"),
            ("end_abs_bounds_rect_id", "end_absolute_bounds"),
        ] {
            if let Some(field) = self.messages.find(CHANGE, change, field) {
                let rect = Rect::read(&mut self.messages, field.bytes());
                cells.push((column, self.rects.row(rect, out)));
            }
        }
        let table = "__intrinsic_window_manager_shell_transition_participants";
        out.record(NO_TIME, table, &cells);
    }

    /// A `ShellHandlerMappings`: the names of the components that play transitions.
    pub(super) fn transition_handlers(&mut self, content: &[u8], out: &mut TraceBuilder) {
        let message = self.messages.keep(content, out);
        for mapping in self
            .messages
            .all("ShellHandlerMappings", content, "mapping")
        {
            let (mut id, mut name) = (0, &b""[..]);
            for field in mapping.fields() {
                match field.number {
                    1 => id = field.int(),
                    2 => name = field.bytes(),
                    _ => {}
                }
            }
            let cells = [
                ("handler_id", ArgValue::Int(id)),
                ("handler_name", ArgValue::Text(out.intern(name))),
                ("base64_proto_id", message),
            ];
            out.record(NO_TIME, "window_manager_shell_transition_handlers", &cells);
        }
    }
}
