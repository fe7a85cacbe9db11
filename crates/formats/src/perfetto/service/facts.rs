//! Metadata about the recording and about Chrome.

use std::collections::BTreeMap;

use base64::Engine;
use rustc_hash::FxHashSet;
use traceloom_trace::{ArgSetId, ArgValue, NO_TIME, StringId, TraceBuilder, TrackType};

use super::super::translations::Translations;
use super::super::wire::{Field, Fields};

/// The text of a field.
pub(super) fn text(field: Field<'_>) -> String {
    String::from_utf8_lossy(field.bytes()).into_owned()
}

/// Adds an instant to the track of triggers.
pub(super) fn instant(ts: i64, name: StringId, args: ArgSetId, out: &mut TraceBuilder) {
    let title = out.intern(b"Trace Triggers");
    let track = out.global_track(TrackType::Triggers, title);
    out.instant(track, ts, name, args);
}

pub(super) fn slow_starters(sources: Field<'_>, out: &mut TraceBuilder) {
    for source in sources.fields().filter(|field| field.number == 1) {
        let part = |number| {
            let field = source.fields().find(|field| field.number == number);
            field.map(text).unwrap_or_default()
        };
        let value = format!("{} {}", part(1), part(2));
        out.metadata("slow_start_data_source", &value);
    }
}

/// A `ChromeTrigger`.
pub(super) fn chrome_trigger(
    ts: i64,
    trigger: &[u8],
    translations: &Translations,
    out: &mut TraceBuilder,
) {
    let (mut name, mut hash) = (None, 0);
    for field in Fields::new(trigger) {
        match field.number {
            1 => name = Some(out.intern(field.bytes())),
            2 => hash = field.uint(),
            _ => {}
        }
    }
    let key = out.intern(b"chrome_trigger.name_hash");
    let mut args = vec![(key, ArgValue::Int(hash as i64))];
    if let Some(name) = name {
        args.push((out.intern(b"chrome_trigger.name"), ArgValue::Text(name)));
    }
    translations.names(&mut args, out);
    let args = out.args(args);
    let name = name.unwrap_or_else(|| out.intern(b"chrome_trigger"));
    instant(ts, name, args, out);
    out.metadata("cr-triggered_rule_name_hash", &hash.to_string());
}

/// A `UiState`.
pub(super) fn ui_state(state: &[u8], out: &mut TraceBuilder) {
    let text = base64::engine::general_purpose::STANDARD.encode(state);
    out.metadata("ui_state", &text);
}

/// A `TraceAttributes`.
pub(super) fn attributes(attributes: &[u8], into: &mut BTreeMap<String, String>) {
    for attribute in Fields::new(attributes).filter(|field| field.number == 1) {
        let (mut key, mut value) = (String::new(), None);
        for field in attribute.fields() {
            match field.number {
                1 => key = text(field),
                2 => value = Some(field.int().to_string()),
                3 => value = Some(text(field)),
                _ => {}
            }
        }
        if let Some(value) = value {
            into.insert(key, value);
        }
    }
}

/// Reads an `InterruptInfo`: the names of interrupts. `known` contains the interrupts that already have a name, by
/// machine. Only the first name is used.
pub(super) fn interrupts(
    content: &[u8],
    machine: i64,
    known: &mut FxHashSet<(i64, u64)>,
    out: &mut TraceBuilder,
) {
    for mapping in Fields::new(content).filter(|field| field.number == 1) {
        let part = |number| mapping.fields().find(|field| field.number == number);
        let (Some(id), Some(name)) = (part(1), part(2)) else {
            continue;
        };
        if known.insert((machine, id.uint())) {
            let cells = [
                ("irq_id", ArgValue::Int(id.int())),
                ("name", ArgValue::Text(out.intern(name.bytes()))),
                ("machine_id", ArgValue::Int(machine)),
            ];
            out.record(NO_TIME, "_linux_interrupt_mapping", &cells);
        }
    }
}

/// Reads a `ChromeBenchmarkMetadata`: the story of a benchmark that ran.
pub(super) fn benchmark(metadata: &[u8], out: &mut TraceBuilder) {
    for field in Fields::new(metadata) {
        let (key, value) = match field.number {
            1 => ("start_time_us", field.int().to_string()),
            2 => ("story_run_time_us", field.int().to_string()),
            3 => ("name", text(field)),
            4 => ("description", text(field)),
            5 => ("label", text(field)),
            6 => ("story_name", text(field)),
            7 => ("story_tags", text(field)),
            8 => ("story_run_index", field.int32().to_string()),
            9 => ("had_failures", u8::from(field.bool()).to_string()),
            _ => continue,
        };
        out.metadata(&format!("benchmark_{key}"), &value);
    }
}

/// A field trial of Chrome: the hashes of its name and its group.
pub(super) fn field_trial(field: Field<'_>) -> String {
    let part = |number| {
        let field = field.fields().find(|field| field.number == number);
        field.map_or(0, Field::uint)
    };
    format!("{{ name: {}, group: {} }} ", part(1), part(2))
}
