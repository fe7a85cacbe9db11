//! Facts about the trace, collected from several places of the model.

use traceloom_trace::{RowId, SourceId, StringId, Trace};

/// A row of `metadata`.
#[derive(Debug)]
pub(crate) struct Fact {
    pub name: StringId,
    pub value: FactValue,
    pub source: SourceId,
    /// The machine that it is about, if any.
    pub machine: Option<i64>,
    /// The trace that it is about, if any.
    pub trace: Option<i64>,
}

/// The value of a fact.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FactValue {
    Number(i64),
    Text(StringId),
}

/// Facts that are whole numbers in PerfettoSQL.
const NUMBERS: &[&str] = &[
    "all_data_source_flushed_ns",
    "all_data_source_started_ns",
    "android_profile_boot_classpath",
    "android_profile_system_server",
    "android_sdk_version",
    "benchmark_had_failures",
    "benchmark_start_time_us",
    "benchmark_story_run_index",
    "benchmark_story_run_time_us",
    "ftrace_latest_data_start_ns",
    "range_of_interest_start_us",
    "statsd_triggering_subscription_id",
    "system_ram_bytes",
    "system_ram_gb",
    "timezone_off_mins",
    "trace_time_clock_id",
    "tracing_disabled_ns",
    "tracing_started_ns",
];

/// Prefixes of the names of facts whose values become numbers if they look like numbers.
const MAYBE_NUMBERS: &[&str] = &["cr-", "manifest_attribute.", "trace_attribute."];

/// The prefix of facts from the member `metadata` of a JSON trace. Whole numbers, `true` and `false` among their values
/// become numbers.
const OF_JSON: &str = "json_metadata.";

/// The clock of a Perfetto trace (`CLOCK_BOOTTIME`).
const BOOTTIME: i64 = 6;

/// All facts. For Perfetto traces of the first machine, it adds facts that PerfettoSQL has but the metadata does not.
pub(super) fn facts(trace: &Trace, intern: &mut impl FnMut(&str) -> StringId) -> Vec<Fact> {
    let rows = trace.metadata.rows();
    let mut facts: Vec<Fact> = rows
        .filter(|row| trace.strings.get(row.key) != "events")
        .map(|row| {
            let name = trace.strings.get(row.key);
            let value = value(name, row.value, trace);
            fact((name, row.key), value, row.source, trace)
        })
        .collect();
    let has_clock = facts
        .iter()
        .any(|fact| trace.strings.get(fact.name) == "trace_time_clock_id");
    for (row, source) in trace.sources.rows().enumerate() {
        if trace.strings.get(source.format) != "perfetto" || source.machine != 0 {
            continue;
        }
        let values = [
            ("trace_type", FactValue::Text(intern("proto"))),
            ("trace_size_bytes", FactValue::Number(source.bytes as i64)),
            ("trace_time_clock_id", FactValue::Number(BOOTTIME)),
        ];
        let source = SourceId::from_row(row);
        let values = values.into_iter().take(if has_clock { 2 } else { 3 });
        facts.extend(values.map(|(name, value)| fact((name, intern(name)), value, source, trace)));
    }
    facts
}

fn fact((name, id): (&str, StringId), value: FactValue, source: SourceId, trace: &Trace) -> Fact {
    let (of_machine, of_trace) = about(name);
    let row = source.some().map(|source| source.row());
    let row = row.filter(|row| *row < trace.sources.len());
    let machine = row.map_or(0, |row| trace.sources.machine.get(row));
    Fact {
        name: id,
        value,
        source,
        machine: of_machine.then_some(machine),
        trace: of_trace.then_some(0),
    }
}

/// Whether a fact is about a machine, and about a trace.
fn about(name: &str) -> (bool, bool) {
    const BOTH: &[&str] = &[
        "all_data_source_flushed_ns",
        "all_data_source_started_ns",
        "ftrace_latest_data_start_ns",
        "slow_start_data_source",
        "tracing_disabled_ns",
        "tracing_started_ns",
    ];
    let of_machine = name.starts_with("android_") && !name.starts_with("android_profile_")
        || name.starts_with("system_")
        || matches!(name, "timezone_off_mins" | "tracing_service_version");
    match name {
        name if BOTH.contains(&name) => (true, true),
        "trace_time_clock_id" => (false, false),
        name if name.starts_with("manifest_attribute.") => (false, false),
        _ => (of_machine, !of_machine),
    }
}

fn value(name: &str, text: StringId, trace: &Trace) -> FactValue {
    if name.starts_with(OF_JSON) {
        let number = json_number(trace.strings.get(text));
        return number.map_or(FactValue::Text(text), FactValue::Number);
    }
    let can_be_number =
        NUMBERS.contains(&name) || MAYBE_NUMBERS.iter().any(|start| name.starts_with(start));
    match trace.strings.get(text).parse() {
        Ok(number) if can_be_number => FactValue::Number(number),
        _ => FactValue::Text(text),
    }
}

/// The whole number that a JSON word represents.
fn json_number(word: &str) -> Option<i64> {
    const EXACT: f64 = (1u64 << 53) as f64;
    let whole = || {
        let number: f64 = word.parse().ok()?;
        (number.fract() == 0.0 && number.abs() < EXACT).then_some(number as i64)
    };
    match word {
        "true" => Some(1),
        "false" => Some(0),
        _ => word.parse().ok().or_else(whole),
    }
}
