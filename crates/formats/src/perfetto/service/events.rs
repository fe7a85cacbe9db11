//! The UUID of the trace, triggers, and events of the recorder.

use traceloom_trace::{ArgValue, StringId, TraceBuilder};

use super::super::wire::{Field, Fields};
use super::facts::{instant, slow_starters};
use super::{Service, Trigger};

impl Service<'_> {
    /// A `TraceUuid`.
    pub(super) fn uuid(&mut self, uuid: &[u8], out: &mut TraceBuilder) {
        let value = |number| {
            let field = Fields::new(uuid).find(|field| field.number == number);
            field.map_or(0, Field::uint)
        };
        self.set_uuid(value(1), value(2), out);
    }

    /// Sets the UUID of the trace. Only the first UUID other than 0 is used.
    pub(super) fn set_uuid(&mut self, high: u64, low: u64, out: &mut TraceBuilder) {
        if self.has_uuid || (high, low) == (0, 0) {
            return;
        }
        self.has_uuid = true;
        let uuid = u128::from(high) << 64 | u128::from(low);
        let digits = format!("{uuid:032x}");
        let parts = [0..8, 8..12, 12..16, 16..20, 20..32].map(|part| &digits[part]);
        out.metadata("trace_uuid", &parts.join("-"));
    }

    /// Creates a UUID for a trace without one: a hash (FNV-1a) of its first bytes, as in Perfetto.
    pub(super) fn make_uuid(&mut self, out: &mut TraceBuilder) {
        const HASHED: usize = 4_096;
        let file = self.survey.source.file();
        let hash = file.iter().take(HASHED);
        let hash = hash.fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3)
        });
        self.set_uuid(0, hash, out);
    }

    /// Reads a `Trigger`. It becomes an instant, and possibly metadata.
    pub(super) fn trigger(
        &mut self,
        ts: i64,
        trigger: &[u8],
        kind: Trigger,
        out: &mut TraceBuilder,
    ) {
        let (mut name, mut args) = (StringId::NULL, Vec::new());
        for field in Fields::new(trigger) {
            match field.number {
                1 => name = out.intern(field.bytes()),
                2 => {
                    let producer = out.intern(field.bytes());
                    args.push((out.intern(b"producer_name"), ArgValue::Text(producer)));
                }
                3 => {
                    let uid = ArgValue::Int(field.int32().into());
                    args.push((out.intern(b"trusted_producer_uid"), uid));
                }
                _ => {}
            }
        }
        let args = out.args(args);
        instant(ts, name, args, out);
        if kind > self.trigger.0 {
            self.trigger = (kind, out.trace().strings.get(name).to_owned());
            if kind == Trigger::Clone {
                let name = "traced_clone_trigger_timestamp_ns".to_owned();
                self.stats.set(name, None, 0, ts);
            }
        }
    }

    /// A `TracingServiceEvent`.
    pub(super) fn event(&mut self, ts: i64, event: &[u8], machine: i64, out: &mut TraceBuilder) {
        for field in Fields::new(event) {
            let key = match field.number {
                1 => "all_data_source_started_ns",
                2 => "tracing_started_ns",
                3 => "all_data_source_flushed_ns",
                5 => "tracing_disabled_ns",
                7 => {
                    slow_starters(field, out);
                    continue;
                }
                10 => {
                    let name = "traced_clone_started_timestamp_ns".to_owned();
                    self.stats.set(name, None, machine, ts);
                    continue;
                }
                11 => {
                    let name = "traced_buf_clone_done_timestamp_ns".to_owned();
                    self.stats.set(name, Some(field.int()), machine, ts);
                    continue;
                }
                _ => continue,
            };
            out.metadata(key, &ts.to_string());
        }
    }
}
