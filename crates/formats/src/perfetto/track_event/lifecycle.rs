//! Process starts and ends that Android's framework reports in extensions of track events.
//!
//! Source: `frameworks_base_track_event.proto` of google/perfetto (`protos/third_party/android`).

use rustc_hash::FxHashMap;
use traceloom_trace::{ArgValue, NO_TIME, ProcessId, RowId, TraceBuilder};

use super::super::wire::{Field, Fields};
use super::types::Types;

/// Extension fields of `TrackEvent`.
const PROCESS_START: u32 = 2010;
const BINDER_DIED: u32 = 2013;

const TABLE: &str = "__intrinsic_android_track_event_process";

/// The fields of `AndroidProcessStartEvent` that become columns.
const COLUMNS: [(u32, &str, As); 9] = [
    (10, "start_seq_id", As::Number),
    (11, "package_uid", As::Number),
    (12, "caller_uid", As::Number),
    (13, "defining_uid", As::Number),
    (8, "trigger_type", As::Enum("TriggerType")),
    (7, "hosting_type", As::Enum("HostingTypeId")),
    (6, "hosting_name", As::Text),
    (4, "bind_application_delay_ms", As::Number),
    (5, "process_start_delay_ms", As::Number),
];

#[derive(Clone, Copy)]
enum As {
    Number,
    Text,
    Enum(&'static str),
}

/// The processes with a known start or end, in the order of their first event.
#[derive(Debug, Default)]
pub(super) struct Lifecycles {
    places: FxHashMap<ProcessId, usize>,
    processes: Vec<Lifecycle>,
}

#[derive(Debug)]
struct Lifecycle {
    upid: ProcessId,
    /// When the framework started the process, and when it noticed the process's end, ns.
    start_ts: Option<i64>,
    end_ts: Option<i64>,
    values: [Option<ArgValue>; COLUMNS.len()],
}

impl Lifecycles {
    /// Reads an extension field of an event.
    pub fn field<'s>(
        &mut self,
        ts: i64,
        field: &Field<'s>,
        types: &mut Types<'s>,
        out: &mut TraceBuilder,
    ) {
        match field.number {
            PROCESS_START => self.start(ts, field.fields(), types, out),
            BINDER_DIED => self.end(ts, field.fields(), out),
            _ => {}
        }
    }

    fn start<'s>(
        &mut self,
        ts: i64,
        fields: Fields<'s>,
        types: &mut Types<'s>,
        out: &mut TraceBuilder,
    ) {
        let Some(pid) = pid(fields.clone()) else {
            return;
        };
        let upid = out.process(pid);
        let process = self.process(upid);
        process.start_ts.get_or_insert(ts);
        for field in fields {
            match field.number {
                1 => out.set_process_uid(upid, field.int()),
                3 => {
                    let name = out.intern(field.bytes());
                    out.name_process(upid, name);
                }
                _ => process.value(field, types, out),
            }
        }
    }

    fn end(&mut self, ts: i64, fields: Fields<'_>, out: &mut TraceBuilder) {
        let Some(utid) = pid(fields).and_then(|pid| out.find_thread(pid)) else {
            return;
        };
        let upid = out.trace().threads.upid.get(utid.row());
        if upid != ProcessId::NONE {
            self.process(upid).end_ts = Some(ts);
            out.end_thread(utid, ts);
        }
    }

    fn process(&mut self, upid: ProcessId) -> &mut Lifecycle {
        let place = *self.places.entry(upid).or_insert(self.processes.len());
        if place == self.processes.len() {
            self.processes.push(Lifecycle {
                upid,
                start_ts: None,
                end_ts: None,
                values: [None; COLUMNS.len()],
            });
        }
        &mut self.processes[place]
    }

    /// Writes the rows.
    pub fn finish(&self, out: &mut TraceBuilder) {
        for process in &self.processes {
            let times = [
                ("fw_start_ts", process.start_ts),
                ("fw_end_ts", process.end_ts),
            ];
            let times = times.into_iter().filter_map(|(name, ts)| Some((name, ts?)));
            let mut cells = vec![("upid", process.upid.into())];
            cells.extend(times.map(|(name, ts)| (name, ArgValue::Int(ts))));
            let values = COLUMNS.iter().zip(process.values);
            cells.extend(values.filter_map(|((_, name, _), value)| Some((*name, value?))));
            out.record(NO_TIME, TABLE, &cells);
        }
    }
}

impl Lifecycle {
    fn value<'s>(&mut self, field: Field<'s>, types: &mut Types<'s>, out: &mut TraceBuilder) {
        let columns = COLUMNS.iter().zip(&mut self.values);
        let column = columns.into_iter().find(|(of, _)| of.0 == field.number);
        let Some(((_, _, kind), value)) = column else {
            return;
        };
        *value = Some(match kind {
            As::Number => ArgValue::Int(field.int()),
            As::Text => ArgValue::Text(out.intern(field.bytes())),
            As::Enum(of) => {
                let number = field.int();
                let name = types.enum_name(of, number).map(str::to_owned);
                let name = name.unwrap_or_else(|| number.to_string());
                ArgValue::Text(out.intern(name.as_bytes()))
            }
        });
    }
}

/// The pid in an event.
fn pid(mut fields: Fields<'_>) -> Option<i64> {
    let pid = fields.find(|field| field.number == 2)?;
    Some(pid.int32().into())
}
