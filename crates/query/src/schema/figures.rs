//! Statistics under Perfetto's names: those of recorders, and those that readers count.

use rustc_hash::FxHashSet;
use traceloom_trace::{ArgValue, FIGURES_TABLE, StringId, Trace};

use super::words::{ANALYSIS, DATA_LOSS, ERROR, INFO, NOTICE, TRACE};

/// A row of `stats` that is not a repair.
#[derive(Debug)]
pub(super) struct Figure {
    pub name: StringId,
    pub index: Option<i64>,
    pub value: i64,
    pub machine: i64,
    /// The indexes of the words for the severity and the source.
    pub words: [usize; 2],
}

/// Statistics that readers count, with their severities and sources in Perfetto. If a trace lacks one, its count is 0.
const COUNTED: &[(&str, [usize; 2])] = &[
    ("android_aflags_errors", [ERROR, TRACE]),
    ("app_wakelock_unknown_id", [ERROR, ANALYSIS]),
    ("clock_sync_unrelatable_clock_domains", [ERROR, ANALYSIS]),
    ("cpu_info_empty", [ERROR, ANALYSIS]),
    ("cpu_info_unknown_cpu_features", [INFO, ANALYSIS]),
    ("energy_breakdown_missing_values", [ERROR, ANALYSIS]),
    ("energy_descriptor_invalid", [ERROR, ANALYSIS]),
    ("energy_uid_breakdown_missing_values", [ERROR, ANALYSIS]),
    ("entity_state_residency_invalid", [ERROR, ANALYSIS]),
    ("entity_state_residency_lookup_failed", [ERROR, ANALYSIS]),
    ("game_intervention_has_parse_errors", [ERROR, TRACE]),
    ("game_intervention_has_read_errors", [ERROR, TRACE]),
    ("generic_task_state_invalid_order", [ERROR, ANALYSIS]),
    ("gpu_counters_invalid_spec", [ERROR, ANALYSIS]),
    ("gpu_counters_missing_timestamp", [ERROR, TRACE]),
    ("json_tokenizer_failure", [ERROR, TRACE]),
    ("kernel_wakelock_reused_id", [ERROR, ANALYSIS]),
    ("kernel_wakelock_unknown_id", [ERROR, ANALYSIS]),
    ("kernel_wakelock_zero_value_reported", [INFO, TRACE]),
    ("power_rail_empty_packet", [ERROR, ANALYSIS]),
    ("power_rail_unknown_index", [ERROR, TRACE]),
    ("slice_drop_overlapping_complete_event", [ERROR, ANALYSIS]),
    ("slice_spill_overlapping_complete_event", [ERROR, ANALYSIS]),
    ("strace_missing_pid", [ERROR, TRACE]),
    ("strace_parse_failure", [INFO, TRACE]),
    ("strace_unsupported_timestamp_format", [ERROR, TRACE]),
    ("streaming_profile_invalid_timestamp", [ERROR, ANALYSIS]),
    ("track_event_counter_missing_value", [ERROR, ANALYSIS]),
    ("track_event_invalid_timestamp", [ERROR, ANALYSIS]),
    ("track_event_parser_errors", [INFO, ANALYSIS]),
    ("user_list_errors", [ERROR, TRACE]),
];

/// The severities and sources of other statistics. All remaining ones are information from the recorder.
const RECORDED: &[(&str, [usize; 2])] = &[
    ("android_log_num_failed", [ERROR, TRACE]),
    ("config_write_into_file_no_flush", [ERROR, TRACE]),
    ("filter_errors", [ERROR, TRACE]),
    (
        "ftrace_abi_errors_skipped_zero_data_length",
        [INFO, ANALYSIS],
    ),
    ("ftrace_cpu_commit_overrun_delta", [ERROR, TRACE]),
    ("ftrace_cpu_dropped_events_delta", [ERROR, TRACE]),
    ("ftrace_kprobe_misses_delta", [DATA_LOSS, TRACE]),
    ("ftrace_setup_errors", [NOTICE, TRACE]),
    ("heapprofd_buffer_corrupted", [ERROR, TRACE]),
    ("heapprofd_buffer_overran", [DATA_LOSS, TRACE]),
    ("heapprofd_client_error", [ERROR, TRACE]),
    ("heapprofd_hit_guardrail", [ERROR, TRACE]),
    ("heapprofd_rejected_concurrent", [ERROR, TRACE]),
    ("long_trace_mode_bytes_overwritten", [DATA_LOSS, TRACE]),
    ("packages_list_has_parse_errors", [ERROR, TRACE]),
    ("packages_list_has_read_errors", [ERROR, TRACE]),
    ("stackprofile_invalid_frame_id", [ERROR, TRACE]),
    ("symbolization_tmp_build_id_not_found", [ERROR, ANALYSIS]),
    ("systemd_journal_num_failed", [ERROR, TRACE]),
    ("traced_buf_abi_violations", [DATA_LOSS, TRACE]),
    (
        "traced_buf_incremental_sequences_dropped",
        [DATA_LOSS, ANALYSIS],
    ),
    ("traced_buf_patches_failed", [DATA_LOSS, TRACE]),
    ("traced_buf_sequence_packet_loss", [DATA_LOSS, ANALYSIS]),
    ("traced_buf_trace_writer_packet_loss", [DATA_LOSS, TRACE]),
    ("traced_final_flush_failed", [DATA_LOSS, TRACE]),
    ("traced_flushes_failed", [DATA_LOSS, TRACE]),
];

/// The statistics of a trace.
pub(super) fn figures(trace: &Trace, intern: &mut impl FnMut(&str) -> StringId) -> Vec<Figure> {
    let mut figures = recorded(trace);
    let names: FxHashSet<StringId> = figures.iter().map(|figure| figure.name).collect();
    for (name, words) in COUNTED {
        let name = intern(name);
        if !names.contains(&name) {
            figures.push(Figure {
                name,
                index: None,
                value: 0,
                machine: 0,
                words: *words,
            });
        }
    }
    figures
}

/// The statistics that the trace contains.
fn recorded(trace: &Trace) -> Vec<Figure> {
    let Some(table) = trace.strings.lookup(FIGURES_TABLE) else {
        return Vec::new();
    };
    let key = |name| trace.strings.lookup(name);
    let (name, index) = (key("name"), key("idx"));
    let (value, machine) = (key("value"), key("machine_id"));
    let tables = trace.records.rows().table.iter().enumerate();
    let rows = tables.filter(|(_, of)| *of == table).map(|(row, _)| row);
    let number = |row, key: Option<StringId>| match trace.records.cell(row, key?) {
        Some(ArgValue::Int(number)) => Some(number),
        _ => None,
    };
    let figure = |row| {
        let Some(ArgValue::Text(name)) = trace.records.cell(row, name?) else {
            return None;
        };
        Some(Figure {
            name,
            index: number(row, index),
            value: number(row, value)?,
            machine: number(row, machine).unwrap_or(0),
            words: words(trace.strings.get(name)),
        })
    };
    rows.filter_map(figure).collect()
}

fn words(name: &str) -> [usize; 2] {
    let mut known = COUNTED.iter().chain(RECORDED);
    let is_loss = name.starts_with("traced_buf_data_loss_");
    let of_recorder = [if is_loss { DATA_LOSS } else { INFO }, TRACE];
    let known = known.find(|(known, _)| *known == name);
    known.map_or(of_recorder, |(_, words)| *words)
}
