//! Counters. Their values need no sorting, so they go straight into the table.

use traceloom_trace::{
    ArgValue, Place, ProcessId, RepairKind, RowId, StringId, TraceBuilder, TrackId, TrackType,
};

use super::event::Event;
use super::interpret::Interpreter;
use super::values::as_text;
use crate::json::Value;

/// The argument with a counter's name in PerfettoSQL.
const NAME_IN_QUERIES: &str = "json_counter_name";

/// Bytes of input required for each counter beyond [`FREE_COUNTERS`].
const BYTES_A_COUNTER: usize = 24;
/// The number of counters that every file may have, whatever its size.
const FREE_COUNTERS: usize = 1 << 16;

impl Interpreter {
    /// Each number among the arguments is a series, called `name`, or `name series` if there are
    /// several.
    pub(super) fn counter(
        &mut self,
        event: &Event<'_>,
        upid: ProcessId,
        ts: i64,
        place: Place,
        out: &mut TraceBuilder,
    ) {
        let name = match &event.id {
            None => out.intern(&event.name),
            Some(id) => out.intern(&[&*event.name, b"[", id, b"]"].concat()),
        };
        let category = out.intern(&event.category);
        let is_empty = event.args.iter().flat_map(Value::fields).next().is_none();
        out.repair(RepairKind::BadField, is_empty.into(), place, || {
            "a counter without values".to_owned()
        });
        for (series, value) in event.args.iter().flat_map(Value::fields) {
            let Some(number) = value.number().filter(|number| number.is_finite()) else {
                out.repair(RepairKind::BadField, 1, place, || as_text(&value));
                continue;
            };
            let series_id = match &*series {
                b"value" => StringId::NULL,
                series => out.intern(series),
            };
            let is_known = self.counters.contains_key(&(upid, name, series_id));
            let Some(track_id) = self.counter_track((upid, name, series_id), category, out) else {
                out.repair(RepairKind::BeyondLimit, 1, place, || {
                    "too many counters for the size of the file".to_owned()
                });
                continue;
            };
            let is_renamed = series_id == StringId::NULL || event.id.is_some();
            if is_renamed && !is_known {
                name_for_queries(event, &series, track_id, out);
            }
            self.first_counter.get_or_insert(out.trace().counters.len());
            out.unaligned_counter(track_id, ts, number);
        }
    }

    fn counter_track(
        &mut self,
        key: (ProcessId, StringId, StringId),
        category: StringId,
        out: &mut TraceBuilder,
    ) -> Option<TrackId> {
        if let Some(&track) = self.counters.get(&key) {
            return Some(track);
        }
        let (upid, name, series) = key;
        let strings = &out.trace().strings;
        let (name_text, series_text) = (strings.get(name), strings.get(series));
        // Each series stores a joined name, so the cost grows with the length of both names.
        let cost = BYTES_A_COUNTER * (1 + (name_text.len() + series_text.len()) / 64);
        if self.counters.len() >= FREE_COUNTERS.min(1024 + self.bytes / cost) {
            return None;
        }
        let name = match (name_text, series_text) {
            (_, "") => name,
            ("", _) => series,
            (name, series) => {
                let joined = format!("{name} {series}");
                out.intern(joined.as_bytes())
            }
        };
        let track = match upid.some() {
            Some(upid) => out.process_track(TrackType::JsonCounter, upid, name),
            None => out.global_track(TrackType::GlobalCounter, name),
        };
        out.categorize_track(track, category);
        self.counters.insert(key, track);
        Some(track)
    }
}

/// Stores a counter's name in PerfettoSQL as an argument of its track.
fn name_for_queries(event: &Event<'_>, series: &[u8], track: TrackId, out: &mut TraceBuilder) {
    let id = event.id.as_deref();
    let id = id.map_or(Vec::new(), |id| [b" id: ", id].concat());
    let name = out.intern(&[&*event.name, &id, b" ", series].concat());
    out.add_track_args(track, &[(NAME_IN_QUERIES, ArgValue::Text(name))]);
}

#[cfg(test)]
mod tests {
    use traceloom_trace::RepairKind;

    use crate::chrome_json::tests::read;

    #[test]
    fn counters_keep_the_name_for_queries_if_it_differs() {
        let trace = read(
            r#"[{"ph":"C","pid":1,"ts":1,"name":"a","args":{"value":1,"b":2}},
                {"ph":"C","pid":1,"ts":2,"name":"a","id":"x","args":{"value":3,"b":4}},
                {"ph":"C","pid":1,"ts":3,"name":"a","id":"x","args":{"value":5}}]"#,
        );
        let names = trace.tracks.rows().map(|row| {
            let args = trace.args.set(row.arg_set_id);
            let other = args.map(|(_, value)| value.display(&trace.strings).to_string());
            format!(
                "{}: {}",
                trace.strings.get(row.name),
                other.collect::<String>()
            )
        });
        let expected = [
            "a: a value",
            "a b: ",
            "a[x]: a id: x value",
            "a[x] b: a id: x b",
        ];
        assert_eq!(names.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_counter_without_values_is_counted() {
        for args in ["", r#","args":{}"#, r#","args":[1,2]"#, r#","args":5"#] {
            let trace = read(&format!(
                r#"[{{"ph":"C","pid":1,"ts":1,"name":"a"{args}}},
                    {{"ph":"C","pid":1,"ts":1,"name":"b","args":{{"x":1}}}}]"#
            ));
            assert_eq!(trace.counters.len(), 1);
            assert_eq!(trace.repairs.count(RepairKind::BadField), 1, "{args}");
        }
    }
}
