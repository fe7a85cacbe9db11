//! The views: PerfettoSQL's names for parts of tables.

mod graphics;
mod view;

pub(crate) use view::View;
use view::view;

/// The first columns of every view of tracks.
macro_rules! of_tracks {
    ($name:literal, $doc:literal, $more:literal, $which:literal) => {
        view(
            $name,
            $doc,
            concat!(
                "id, name, type, parent_id, source_arg_set_id, machine_id, ",
                $more
            ),
            concat!(
                "SELECT id, name, type, parent_id, source_arg_set_id, machine_id, ",
                $more,
                " FROM __intrinsic_track WHERE ",
                $which
            ),
        )
    };
}

/// Like [`of_tracks`], for counters.
macro_rules! of_counter_tracks {
    ($name:literal, $doc:literal, $more:literal, $which:literal) => {
        view(
            $name,
            $doc,
            concat!(
                "id, name, type, parent_id, source_arg_set_id, machine_id, unit, description, ",
                $more
            ),
            concat!(
                "SELECT id, name, type, parent_id, source_arg_set_id, machine_id, counter_unit AS unit, ",
                "extract_arg(source_arg_set_id, 'description') AS description, ",
                $more,
                " FROM __intrinsic_track WHERE ",
                $which
            ),
        )
    };
}

/// The columns of `slice`.
macro_rules! slice_columns {
    () => {
        "id, ts, dur, track_id, category, name, depth, parent_id, arg_set_id, thread_ts, thread_dur, \
         thread_instruction_count, thread_instruction_delta, cat, slice_id"
    };
}

/// Every view. A view may use the views before it.
pub(crate) const VIEWS: &[View] = &[
    view(
        "trace_file",
        "The input: a file, or an archive and the files in it that were read.",
        "id, parent_id, name, size, trace_type, processing_order, is_container",
        "SELECT * FROM __intrinsic_trace_file",
    ),
    of_tracks!(
        "thread_track",
        "Tracks of threads with slices.",
        "utid",
        "event_type = 'slice' AND utid IS NOT NULL"
    ),
    of_tracks!(
        "process_track",
        "Tracks of processes with slices.",
        "upid",
        "event_type = 'slice' AND upid IS NOT NULL AND utid IS NULL"
    ),
    of_tracks!(
        "cpu_track",
        "Tracks of CPUs with slices.",
        "cpu",
        "event_type = 'slice' AND cpu IS NOT NULL"
    ),
    view(
        "android_logs",
        "The lines of Android's log.",
        "id, ts, utid, prio, tag, msg",
        "SELECT id, ts, utid, prio, tag, msg FROM __intrinsic_logs WHERE log_source = 'android_logcat'",
    ),
    view(
        "counter_track",
        "Tracks of counters.",
        "id, name, parent_id, type, dimension_arg_set_id, source_arg_set_id, machine_id, unit, description",
        "SELECT id, name, parent_id, type, dimension_arg_set_id, source_arg_set_id, machine_id, \
         counter_unit AS unit, extract_arg(source_arg_set_id, 'description') AS description FROM __intrinsic_track WHERE event_type = 'counter'",
    ),
    view(
        "state_track",
        "Tracks of states.",
        "id, name, parent_id, type, dimension_arg_set_id, source_arg_set_id, machine_id",
        "SELECT id, name, parent_id, type, dimension_arg_set_id, source_arg_set_id, machine_id \
         FROM __intrinsic_track WHERE event_type = 'state'",
    ),
    of_tracks!(
        "thread_state_track",
        "Tracks of states of threads.",
        "utid",
        "event_type = 'state' AND utid IS NOT NULL"
    ),
    of_tracks!(
        "process_state_track",
        "Tracks of states of processes.",
        "upid",
        "event_type = 'state' AND upid IS NOT NULL AND utid IS NULL"
    ),
    of_counter_tracks!(
        "cpu_counter_track",
        "Counters of CPUs, such as the frequency.",
        "cpu",
        "event_type = 'counter' AND cpu IS NOT NULL"
    ),
    graphics::GPU_COUNTER_TRACK,
    graphics::GPU_TRACK,
    graphics::GPU,
    of_counter_tracks!(
        "process_counter_track",
        "Counters of processes.",
        "upid",
        "event_type = 'counter' AND upid IS NOT NULL AND utid IS NULL"
    ),
    of_counter_tracks!(
        "thread_counter_track",
        "Counters of threads.",
        "utid",
        "event_type = 'counter' AND utid IS NOT NULL"
    ),
    view(
        "slices",
        "The same as `slice`.",
        slice_columns!(),
        "SELECT * FROM slice",
    ),
    view(
        "instant",
        "Points in time with a name, and calls that took no measurable time.",
        "ts, track_id, name, arg_set_id",
        "SELECT ts, track_id, name, arg_set_id FROM slice WHERE dur = 0",
    ),
    view(
        "thread_slice",
        "Slices of threads, with thread and process.",
        "id, ts, dur, category, name, track_id, track_name, thread_name, utid, tid, is_main_thread, process_name, \
         upid, pid, depth, parent_id, arg_set_id, thread_ts, thread_dur",
        "SELECT slice.id, slice.ts, slice.dur, slice.category, slice.name, slice.track_id, track.name AS track_name, \
         thread.name AS thread_name, thread.utid, thread.tid, thread.is_main_thread, \
         process.name AS process_name, process.upid, process.pid, slice.depth, slice.parent_id, \
         slice.arg_set_id, slice.thread_ts, slice.thread_dur \
         FROM slice JOIN thread_track AS track ON track.id = slice.track_id \
         JOIN thread ON thread.utid = track.utid LEFT JOIN process ON process.upid = thread.upid",
    ),
    view(
        "process_slice",
        "Slices of processes, with the process.",
        "id, ts, dur, category, name, track_id, track_name, process_name, upid, pid, depth, parent_id, arg_set_id, \
         thread_ts, thread_dur",
        "SELECT slice.id, slice.ts, slice.dur, slice.category, slice.name, slice.track_id, track.name AS track_name, \
         process.name AS process_name, process.upid, process.pid, slice.depth, slice.parent_id, \
         slice.arg_set_id, slice.thread_ts, slice.thread_dur \
         FROM slice JOIN process_track AS track ON track.id = slice.track_id \
         JOIN process ON process.upid = track.upid",
    ),
    graphics::FRAME_SLICE,
    graphics::GPU_SLICE,
    graphics::EXPECTED_FRAMES,
    graphics::ACTUAL_FRAMES,
    view(
        "sched",
        "`sched_slice` with the end.",
        "id, ts, dur, cpu, utid, end_state, priority, ucpu, ts_end",
        "SELECT *, ts + dur AS ts_end FROM sched_slice",
    ),
    view(
        "counters",
        "`counter` with the name of the counter.",
        "id, ts, track_id, value, arg_set_id, name, unit",
        "SELECT counter.*, track.name, track.counter_unit AS unit FROM counter JOIN __intrinsic_track AS track ON counter.track_id = track.id \
         ORDER BY ts",
    ),
    view(
        "args",
        "Arguments of slices, instants and events.",
        "id, arg_set_id, flat_key, key, int_value, string_value, real_value, value_type, display_value",
        "SELECT *, CASE value_type WHEN 'int' THEN CAST(int_value AS TEXT) WHEN 'uint' THEN printf('%u', int_value) \
         WHEN 'string' THEN string_value WHEN 'json' THEN string_value WHEN 'real' THEN CAST(real_value AS TEXT) \
         WHEN 'bool' THEN iif(int_value, 'true', 'false') WHEN 'pointer' THEN printf('0x%x', int_value) END AS display_value \
         FROM __intrinsic_args",
    ),
    view(
        "raw",
        "The same as `ftrace_event`.",
        "id, ts, name, cpu, utid, arg_set_id, common_flags, ucpu",
        "SELECT * FROM ftrace_event",
    ),
    view(
        "__intrinsic_profiler_counter_set",
        "The values of counters that samples have.",
        "id, counter_set_id, counter_id",
        "SELECT v.id, v.counter_set_id, (SELECT min(c.id) FROM counter AS c WHERE c.track_id = v.track_id \
         AND c.ts = v.ts) AS counter_id FROM _profiler_counter_value AS v",
    ),
    view(
        "perf_session",
        "Recordings of perf.",
        "id, perf_session_id, cmdline",
        "SELECT id, id AS perf_session_id, cmdline FROM __intrinsic_profiler_session WHERE source = 'linux.perf'",
    ),
    view(
        "perf_sample",
        "Samples of perf.",
        "id, ts, utid, cpu, cpu_mode, callsite_id, unwind_error, perf_session_id",
        "SELECT s.id, s.ts, t.utid, e.ucpu AS cpu, coalesce(e.cpu_mode, 'unknown') AS cpu_mode, s.callsite_id, \
         s.unwind_error, s.session_id AS perf_session_id FROM __intrinsic_profiler_sample AS s \
         LEFT JOIN __intrinsic_profiler_task_context AS t ON t.id = s.task_context_id \
         LEFT JOIN __intrinsic_profiler_execution_context AS e ON e.id = s.execution_context_id \
         WHERE s.source = 'linux.perf'",
    ),
    view(
        "perf_counter_track",
        "Counters of perf, one for each CPU.",
        "id, name, type, parent_id, source_arg_set_id, machine_id, unit, description, perf_session_id, cpu, is_timebase",
        "SELECT t.id, t.name, t.type, t.parent_id, t.source_arg_set_id, t.machine_id, c.unit, c.description, \
         c.session_id AS perf_session_id, c.cpu, c.is_timebase FROM _profiler_counter_track AS c \
         JOIN __intrinsic_track AS t ON t.id = c.track_id \
         WHERE c.session_id IN (SELECT id FROM perf_session)",
    ),
    view(
        "cpu_profile_stack_sample",
        "Samples of Chrome, simpleperf and others.",
        "id, ts, callsite_id, utid, process_priority",
        "SELECT s.id, s.ts, s.callsite_id, t.utid, coalesce(x.process_priority, 0) AS process_priority \
         FROM __intrinsic_profiler_sample AS s \
         LEFT JOIN __intrinsic_profiler_task_context AS t ON t.id = s.task_context_id \
         LEFT JOIN __intrinsic_chrome_stack_sample_extras AS x ON x.profiler_sample_id = s.id \
         WHERE s.source IN ('chrome', 'chrome_json', 'gecko', 'legacy_v8', 'perf_text', 'simpleperf')",
    ),
    view(
        "instruments_sample",
        "Samples of Instruments.",
        "id, ts, utid, callsite_id, cpu",
        "SELECT s.id, s.ts, t.utid, s.callsite_id, e.ucpu AS cpu FROM __intrinsic_profiler_sample AS s \
         LEFT JOIN __intrinsic_profiler_task_context AS t ON t.id = s.task_context_id \
         LEFT JOIN __intrinsic_profiler_execution_context AS e ON e.id = s.execution_context_id \
         WHERE s.source = 'instruments'",
    ),
    view(
        "stack_sample",
        "Samples of all profilers that have a stack.",
        "id, ts, source, task_context_id, execution_context_id, callsite_id, session_id",
        "SELECT id, ts, source, task_context_id, execution_context_id, callsite_id, session_id \
         FROM __intrinsic_profiler_sample WHERE callsite_id IS NOT NULL",
    ),
    view(
        "stack_sample_session",
        "Recordings with stacks.",
        "id, source, timebase_unit, cmdline",
        "SELECT id, source, timebase_unit, cmdline FROM __intrinsic_profiler_session \
         WHERE id IN (SELECT session_id FROM stack_sample)",
    ),
    view(
        "stack_sample_task_context",
        "The threads and coroutines of stacks.",
        "id, upid, utid, async_context_id",
        "SELECT id, upid, utid, async_context_id FROM __intrinsic_profiler_task_context \
         WHERE id IN (SELECT task_context_id FROM stack_sample)",
    ),
    view(
        "stack_sample_execution_context",
        "The CPUs of stacks and their modes.",
        "id, ucpu, cpu_mode",
        "SELECT id, ucpu, cpu_mode FROM __intrinsic_profiler_execution_context \
         WHERE id IN (SELECT execution_context_id FROM stack_sample)",
    ),
    view(
        "stack_sample_async_context",
        "The coroutines of stacks, and those that they belong to.",
        "id, name, kind, parent_id",
        "WITH RECURSIVE used(id) AS (SELECT async_context_id FROM stack_sample_task_context \
         UNION SELECT c.parent_id FROM used JOIN __intrinsic_profiler_async_context AS c ON c.id = used.id) \
         SELECT id, name, kind, parent_id FROM __intrinsic_profiler_async_context WHERE id IN (SELECT id FROM used)",
    ),
    view(
        "stack_sample_counter",
        "The values of counters that stacks have.",
        "id, stack_sample_id, track_id, value",
        "SELECT c.id, s.id AS stack_sample_id, c.track_id, c.value FROM stack_sample AS sample \
         JOIN __intrinsic_profiler_sample AS s ON s.id = sample.id \
         JOIN __intrinsic_profiler_counter_set AS v ON v.counter_set_id = s.counter_set_id \
         JOIN counter AS c ON c.id = v.counter_id",
    ),
    view(
        "stack_sample_counter_track",
        "Counters of recordings with stacks.",
        "id, name, type, parent_id, source_arg_set_id, machine_id, unit, description, session_id, cpu, is_timebase",
        "SELECT t.id, t.name, t.type, t.parent_id, t.source_arg_set_id, t.machine_id, c.unit, c.description, \
         c.session_id, c.cpu, c.is_timebase FROM _profiler_counter_track AS c \
         JOIN __intrinsic_track AS t ON t.id = c.track_id \
         WHERE t.id IN (SELECT track_id FROM stack_sample_counter)",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::TABLES;

    #[test]
    fn columns_have_the_types_of_the_tables_they_are_from() {
        let mut compared = 0;
        for view in VIEWS {
            let words: Vec<&str> = view.select.split([' ', '.', ',', '(', ')']).collect();
            let tables = TABLES.iter().filter(|table| words.contains(&table.name));
            for (column, table) in
                tables.flat_map(|table| table.columns.iter().map(move |column| (column, table)))
            {
                if let Some((name, affinity)) =
                    view.columns().find(|(name, _)| *name == column.name)
                {
                    assert_eq!(
                        affinity,
                        column.kind.affinity(),
                        "{}.{name} and {}",
                        view.name,
                        table.name
                    );
                    compared += 1;
                }
            }
        }
        assert!(compared > 100, "{compared}");
    }
}
