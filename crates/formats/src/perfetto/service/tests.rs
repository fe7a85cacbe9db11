//! Tests of statistics and metadata of the recorder.

use testkit::Proto;
use traceloom_trace::{ArgValue, Trace};

use crate::perfetto::tests::{packet, read};

const CONFIG: u32 = 33;
const FTRACE_STATS: u32 = 34;
const STATS: u32 = 35;

/// The values of a statistic, with their indexes.
fn figure(trace: &Trace, wanted: &str) -> Vec<(Option<i64>, i64)> {
    let key = |name| trace.strings.lookup(name);
    let number = |row: usize, name| match trace.records.cell(row, key(name)?) {
        Some(ArgValue::Int(number)) => Some(number),
        _ => None,
    };
    let name = |row: usize| match trace.records.cell(row, key("name")?) {
        Some(ArgValue::Text(name)) => Some(trace.strings.get(name)),
        _ => None,
    };
    let rows = (0..trace.records.len()).filter(|row| name(*row) == Some(wanted));
    rows.map(|row| (number(row, "idx"), number(row, "value").unwrap()))
        .collect()
}

#[test]
fn errors_of_the_setup_count_at_the_start() {
    let stats = |phase| Proto::new().int(1, phase).text(6, "no_event");
    let trace = read([packet(1, FTRACE_STATS, stats(2))]);
    assert_eq!(figure(&trace, "ftrace_setup_errors"), []);
    let stats = stats(1).text(5, "no category").text(13, "in use");
    let trace = read([packet(1, FTRACE_STATS, stats)]);
    assert_eq!(figure(&trace, "ftrace_setup_errors"), [(None, 3)]);
}

#[test]
fn pages_that_end_with_zeros_count() {
    let stats = Proto::new().int(1, 2).packed(9, &[12, 5]);
    let trace = read([packet(1, FTRACE_STATS, stats)]);
    let name = "ftrace_abi_errors_skipped_zero_data_length";
    assert_eq!(figure(&trace, name), [(None, 1)]);
}

/// A recording into a file that overwrites its buffers loses data, unless the file is written once a day or less often.
#[test]
fn overwritten_bytes_are_lost_in_a_long_recording() {
    let buffer = |overwritten| Proto::new().int(1, 4096).int(13, overwritten);
    let stats = || Proto::new().message(1, buffer(0)).message(1, buffer(512));
    let config = |writes, period| {
        let buffers = Proto::new()
            .message(1, Proto::new())
            .message(1, Proto::new());
        buffers.int(8, writes).int(9, period)
    };
    let lost = |config| {
        let trace = read([packet(1, CONFIG, config), packet(2, STATS, stats())]);
        figure(&trace, "long_trace_mode_bytes_overwritten")
    };
    assert_eq!(lost(config(1, 5_000)), [(Some(1), 512)]);
    assert_eq!(lost(config(1, 7 * 24 * 3_600_000)), []);
    assert_eq!(lost(config(0, 5_000)), []);
}

#[test]
fn a_long_recording_without_flushes_is_a_mistake_of_old_recorders() {
    let mistake = |config: Proto, version: &str| {
        let info = Proto::new().text(4, version);
        let trace = read([packet(1, CONFIG, config), packet(1, 45, info)]);
        figure(&trace, "config_write_into_file_no_flush").len()
    };
    let long = || Proto::new().int(8, 1);
    assert_eq!(mistake(long(), "Perfetto v53.1-abc (abc)"), 1);
    assert_eq!(mistake(long(), "Perfetto v54.0 (abc)"), 0);
    assert_eq!(mistake(long(), "unknown"), 1);
    assert_eq!(mistake(long().int(13, 5_000), "unknown"), 0);
}

#[test]
fn why_chrome_recorded() {
    let background = Proto::new().int(3, 77);
    let trace = read([packet(1, 51, Proto::new().message(1, background))]);
    assert_eq!(trace.metadata("cr-scenario_name_hash"), Some("77"));
    let whole = trace.metadata("cr-background_tracing_metadata");
    assert_eq!(whole, Some("GE0="));
}

#[test]
fn features_of_cpus_that_have_no_name_count() {
    let cpu = |features| Proto::new().int(5, features);
    let info = Proto::new().message(1, cpu(3)).message(1, cpu(5));
    let trace = read([packet(1, 67, info)]);
    let name = "cpu_info_unknown_cpu_features";
    assert_eq!(figure(&trace, name), [(None, 1)]);
}

#[test]
fn a_description_of_no_cpus_counts() {
    let trace = read([packet(1, 67, Proto::new())]);
    assert_eq!(figure(&trace, "cpu_info_empty"), [(None, 1)]);
}
