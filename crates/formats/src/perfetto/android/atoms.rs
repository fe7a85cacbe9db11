//! The messages of atoms that are known: Android's `atoms.proto` is not part of Perfetto's `.proto` files.

use std::borrow::Cow;

use base64::Engine;
use traceloom_trace::{ArgValue, StringId, TraceBuilder};

use super::super::wire::{Field, Fields, Value};

/// What a field holds.
#[derive(Clone, Copy)]
enum Kind {
    Number,
    Flag,
    Text,
    /// One of these words.
    Word(&'static [(i64, &'static str)]),
    /// `AttributionNode`: a user and a tag.
    Node,
}

use Kind::{Flag, Node, Number, Text, Word};

/// A message: the number, the name and the content of each field.
type Message = &'static [(u32, &'static str, Kind)];

/// The maximum number of nodes of an atom that have arguments of their own. Each needs a new key.
const MOST_NODES: usize = 64;

/// The atoms by number.
const ATOMS: &[(u32, Message)] = &[(8, SCHEDULED_JOB_STATE_CHANGED)];

const SCHEDULED_JOB_STATE_CHANGED: Message = &[
    (1, "attribution_node", Node),
    (2, "job_name", Text),
    (3, "state", Word(STATES)),
    (4, "internal_stop_reason", Word(INTERNAL_REASONS)),
    (5, "standby_bucket", Word(BUCKETS)),
    (6, "job_id", Number),
    (7, "has_charging_constraint", Flag),
    (8, "has_battery_not_low_constraint", Flag),
    (9, "has_storage_not_low_constraint", Flag),
    (10, "has_timing_delay_constraint", Flag),
    (11, "has_deadline_constraint", Flag),
    (12, "has_idle_constraint", Flag),
    (13, "has_connectivity_constraint", Flag),
    (14, "has_content_trigger_constraint", Flag),
    (15, "is_requested_expedited_job", Flag),
    (16, "is_running_as_expedited_job", Flag),
    (17, "public_stop_reason", Word(REASONS)),
    (18, "is_prefetch", Flag),
    (19, "requested_priority", Number),
    (20, "effective_priority", Number),
    (21, "num_previous_attempts", Number),
    (22, "deadline_ms", Number),
    (23, "is_deadline_constraint_satisfied", Flag),
    (24, "is_charging_constraint_satisfied", Flag),
    (25, "is_battery_not_low_constraint_satisfied", Flag),
    (26, "is_storage_not_low_constraint_satisfied", Flag),
    (27, "is_timing_delay_constraint_satisfied", Flag),
    (28, "is_idle_constraint_satisfied", Flag),
    (29, "is_connectivity_constraint_satisfied", Flag),
    (30, "is_content_trigger_constraint_satisfied", Flag),
    (31, "job_start_latency_ms", Number),
    (32, "is_requested_as_user_initiated_job", Flag),
    (33, "is_running_as_user_initiated_job", Flag),
    (34, "is_periodic", Flag),
    (35, "delay_ms", Number),
    (36, "estimated_download_bytes", Number),
    (37, "estimated_upload_bytes", Number),
    (38, "num_uncompleted_work_items", Number),
    (39, "proc_state", Word(PROCESS_STATES)),
    (40, "namespace_hash", Text),
    (41, "system_measured_source_download_bytes", Number),
    (42, "system_measured_source_upload_bytes", Number),
    (43, "system_measured_calling_download_bytes", Number),
    (44, "system_measured_calling_upload_bytes", Number),
    (45, "periodic_job_interval_ms", Number),
    (46, "periodic_job_flex_interval_ms", Number),
    (47, "has_flex_constraint", Flag),
    (48, "is_flex_constraint_satisfied", Flag),
    (49, "can_apply_transport_affinities", Flag),
    (50, "num_applied_flex_constraints", Number),
    (51, "num_dropped_flex_constraints", Number),
    (52, "filtered_trace_tag", Text),
    (54, "num_reschedules_due_to_abandonment", Number),
    (55, "back_off_policy_type", Word(BACK_OFFS)),
    (56, "is_back_off_policy_restriction_applied", Flag),
];

const STATES: &[(i64, &str)] = &[
    (0, "FINISHED"),
    (1, "STARTED"),
    (2, "SCHEDULED"),
    (3, "CANCELLED"),
];

const INTERNAL_REASONS: &[(i64, &str)] = &[
    (-1, "INTERNAL_STOP_REASON_UNKNOWN"),
    (0, "INTERNAL_STOP_REASON_CANCELLED"),
    (1, "INTERNAL_STOP_REASON_CONSTRAINTS_NOT_SATISFIED"),
    (2, "INTERNAL_STOP_REASON_PREEMPT"),
    (3, "INTERNAL_STOP_REASON_TIMEOUT"),
    (4, "INTERNAL_STOP_REASON_DEVICE_IDLE"),
    (5, "INTERNAL_STOP_REASON_DEVICE_THERMAL"),
    (6, "INTERNAL_STOP_REASON_RESTRICTED_BUCKET"),
    (7, "INTERNAL_STOP_REASON_UNINSTALL"),
    (8, "INTERNAL_STOP_REASON_DATA_CLEARED"),
    (9, "INTERNAL_STOP_REASON_RTC_UPDATED"),
    (10, "INTERNAL_STOP_REASON_SUCCESSFUL_FINISH"),
    (11, "INTERNAL_STOP_REASON_USER_UI_STOP"),
    (12, "INTERNAL_STOP_REASON_ANR"),
    (13, "INTERNAL_STOP_REASON_TIMEOUT_ABANDONED"),
];

const REASONS: &[(i64, &str)] = &[
    (0, "STOP_REASON_UNDEFINED"),
    (1, "STOP_REASON_CANCELLED_BY_APP"),
    (2, "STOP_REASON_PREEMPT"),
    (3, "STOP_REASON_TIMEOUT"),
    (4, "STOP_REASON_DEVICE_STATE"),
    (5, "STOP_REASON_CONSTRAINT_BATTERY_NOT_LOW"),
    (6, "STOP_REASON_CONSTRAINT_CHARGING"),
    (7, "STOP_REASON_CONSTRAINT_CONNECTIVITY"),
    (8, "STOP_REASON_CONSTRAINT_DEVICE_IDLE"),
    (9, "STOP_REASON_CONSTRAINT_STORAGE_NOT_LOW"),
    (10, "STOP_REASON_QUOTA"),
    (11, "STOP_REASON_BACKGROUND_RESTRICTION"),
    (12, "STOP_REASON_APP_STANDBY"),
    (13, "STOP_REASON_USER"),
    (14, "STOP_REASON_SYSTEM_PROCESSING"),
    (15, "STOP_REASON_ESTIMATED_APP_LAUNCH_TIME_CHANGED"),
    (16, "STOP_REASON_TIMEOUT_ABANDONED"),
];

const BUCKETS: &[(i64, &str)] = &[
    (-1, "UNKNOWN"),
    (0, "ACTIVE"),
    (1, "WORKING_SET"),
    (2, "FREQUENT"),
    (3, "RARE"),
    (4, "NEVER"),
    (5, "RESTRICTED"),
    (6, "EXEMPTED"),
];

const PROCESS_STATES: &[(i64, &str)] = &[
    (998, "PROCESS_STATE_UNKNOWN_TO_PROTO"),
    (999, "PROCESS_STATE_UNKNOWN"),
    (1000, "PROCESS_STATE_PERSISTENT"),
    (1001, "PROCESS_STATE_PERSISTENT_UI"),
    (1002, "PROCESS_STATE_TOP"),
    (1020, "PROCESS_STATE_BOUND_TOP"),
    (1003, "PROCESS_STATE_FOREGROUND_SERVICE"),
    (1004, "PROCESS_STATE_BOUND_FOREGROUND_SERVICE"),
    (1005, "PROCESS_STATE_IMPORTANT_FOREGROUND"),
    (1006, "PROCESS_STATE_IMPORTANT_BACKGROUND"),
    (1007, "PROCESS_STATE_TRANSIENT_BACKGROUND"),
    (1008, "PROCESS_STATE_BACKUP"),
    (1009, "PROCESS_STATE_SERVICE"),
    (1010, "PROCESS_STATE_RECEIVER"),
    (1011, "PROCESS_STATE_TOP_SLEEPING"),
    (1012, "PROCESS_STATE_HEAVY_WEIGHT"),
    (1013, "PROCESS_STATE_HOME"),
    (1014, "PROCESS_STATE_LAST_ACTIVITY"),
    (1015, "PROCESS_STATE_CACHED_ACTIVITY"),
    (1016, "PROCESS_STATE_CACHED_ACTIVITY_CLIENT"),
    (1017, "PROCESS_STATE_CACHED_RECENT"),
    (1018, "PROCESS_STATE_CACHED_EMPTY"),
    (1019, "PROCESS_STATE_NONEXISTENT"),
];

const BACK_OFFS: &[(i64, &str)] = &[(0, "UNKNOWN_POLICY"), (1, "LINEAR"), (2, "EXPONENTIAL")];

/// The arguments of an atom with a name, if its message is known.
pub(super) fn args(
    (number, name): (u32, &str),
    atom: Fields<'_>,
    out: &mut TraceBuilder,
) -> Option<Vec<(StringId, ArgValue)>> {
    let (_, message) = ATOMS.iter().find(|(known, _)| *known == number)?;
    let mut args = Vec::new();
    let mut nodes = 0_usize;
    for field in atom {
        let known = message.iter().find(|(known, ..)| *known == field.number);
        let Some((_, key, kind)) = known else {
            let key = format!("{name}.field_{}", field.number);
            args.push((out.intern(key.as_bytes()), plain(&field, out)));
            continue;
        };
        if matches!(kind, Node) && nodes < MOST_NODES {
            args.extend(node(&format!("{name}.{key}[{nodes}]"), field.fields(), out));
            nodes += 1;
            continue;
        }
        let value = value(*kind, &field, out);
        args.push((out.intern(format!("{name}.{key}").as_bytes()), value));
    }
    Some(args)
}

fn value(kind: Kind, field: &Field<'_>, out: &mut TraceBuilder) -> ArgValue {
    match kind {
        Flag => ArgValue::Bool(field.bool()),
        Word(words) => {
            let word = words.iter().find(|(number, _)| *number == field.int());
            word.map_or(ArgValue::Int(field.int()), |(_, word)| {
                ArgValue::Text(out.intern(word.as_bytes()))
            })
        }
        Number | Text | Node => plain(field, out),
    }
}

/// A number, or else a text.
fn plain(field: &Field<'_>, out: &mut TraceBuilder) -> ArgValue {
    match field.value {
        Value::Number(number) => ArgValue::Int(number as i64),
        Value::Bytes(bytes) => ArgValue::Text(out.intern(text(bytes).as_bytes())),
    }
}

/// The user and the tag of an `AttributionNode`.
fn node(key: &str, node: Fields<'_>, out: &mut TraceBuilder) -> Vec<(StringId, ArgValue)> {
    let mut args = Vec::new();
    for field in node {
        let name = match field.number {
            1 => "uid",
            2 => "tag",
            _ => continue,
        };
        let key = out.intern(format!("{key}.{name}").as_bytes());
        args.push((key, plain(&field, out)));
    }
    args
}

/// The bytes as text if they are printable. Other bytes, which may be a message, become Base64.
pub(super) fn text(bytes: &[u8]) -> Cow<'_, str> {
    let text = std::str::from_utf8(bytes).ok();
    match text.filter(|text| !text.contains(char::is_control)) {
        Some(text) => Cow::Borrowed(text),
        None => Cow::Owned(base64::engine::general_purpose::STANDARD.encode(bytes)),
    }
}
