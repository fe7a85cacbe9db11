//! Names that older versions of PerfettoSQL had, or that traceloom does not support, and what to use instead.

use crate::dialect::tokens_of;

/// Tables, and where to find their rows.
const TABLES: &[(&str, &str)] = &[
    (
        "__intrinsic_video_frames",
        "the frames of recorded videos are not read",
    ),
    (
        "cpu_freq_counters",
        "cpu_frequency_counters of the module linux.cpu.frequency has its rows",
    ),
    ("energy_counter_track", ENERGY),
    ("energy_per_uid_counter_track", ENERGY),
    (
        "experimental_counter_dur",
        "counter_leading_intervals! of the module counters.intervals computes how long values last",
    ),
    (
        "experimental_sched_upid",
        "join sched and thread instead, which has upid",
    ),
    (
        "gpu_work_period_track",
        "android_gpu_work_period_track of the module android.gpu.work_period has its rows",
    ),
    ("instants", "instant has its rows"),
    (
        "irq_counter_track",
        "its tracks are in track, with the type num_irq",
    ),
    (
        "linux_device_track",
        "its tracks are in track, with the type linux_rpm",
    ),
    (
        "softirq_counter_track",
        "its tracks are in track, with the type num_softirq",
    ),
    (
        "sqlstats",
        "queries are not recorded; .timer on shows at the prompt how long a statement takes",
    ),
    (
        "trace_import_logs",
        "stats and repair say what was wrong with the trace",
    ),
    ("uid_counter_track", UID),
    ("uid_track", UID),
];

const ENERGY: &str =
    "its tracks are in track, with a type that begins with android_energy_estimation_breakdown";
const UID: &str = "the user of a track is extract_arg(dimension_arg_set_id, 'uid')";

/// Columns, and the tables that have them.
const COLUMNS: &[(&str, &str)] = &[("stack_id", STACK), ("parent_stack_id", STACK)];

const STACK: &str = "slice_with_stack_id of the module slices.stack has it";

/// Operators, and what to do instead.
const OPERATORS: &[(&str, &str)] = &[
    (
        "__intrinsic_slice_mipmap",
        "to see fewer slices, group the rows of slice by time",
    ),
    (
        "__intrinsic_counter_mipmap",
        "to see fewer values, group the rows of counter by time",
    ),
];

/// Former modules, and the modules that replaced them. `*` stands for the rest of a name.
const MODULES: &[(&str, &str)] = &[
    ("common.slices", "slices.with_context"),
    ("common.timestamps", "time.conversion"),
    ("common.counters", "counters.intervals"),
    ("deprecated.v42.common.slices", "slices.with_context"),
    ("deprecated.v42.common.timestamps", "time.conversion"),
    ("deprecated.v42.common.counters", "counters.intervals"),
    ("cpu.freq", "linux.cpu.frequency"),
    ("cpu.idle", "linux.cpu.idle and linux.cpu.idle_stats"),
    ("cpu.utilization.*", "linux.cpu.utilization.*"),
    ("gpu.frequency", "android.gpu.frequency"),
    ("linux.cpu_idle", "linux.cpu.idle and linux.cpu.idle_stats"),
    ("memory.android.gpu", "android.gpu.memory"),
    (
        "memory.heap_graph_dominator_tree",
        "android.memory.heap_graph.dominator_tree",
    ),
    ("memory.linux.high_watermark", "linux.memory.high_watermark"),
    (
        "memory.linux.process",
        "linux.memory.process and android.memory.process",
    ),
    ("slices.slices", "slices.with_context"),
];

/// What to use instead of a table.
pub(crate) fn table(name: &str) -> Option<&'static str> {
    found(TABLES, name)
}

/// What to use instead of a column. `name` may include the table: `slice.stack_id`.
pub(crate) fn column(name: &str) -> Option<&'static str> {
    let bare = name.rsplit('.').next().unwrap_or(name);
    found(COLUMNS, bare)
}

/// An error message if a statement uses an operator that is not supported.
pub(crate) fn operator(sql: &str) -> Option<String> {
    let tokens = tokens_of(sql).ok()?;
    let mut words = tokens.iter().map(|token| token.text(sql));
    let (name, advice) = words.find_map(|word| {
        let mut operators = OPERATORS.iter();
        operators.find(|(name, _)| name.eq_ignore_ascii_case(word))
    })?;
    Some(format!("{name} is not supported; {advice}"))
}

fn found(names: &[(&str, &'static str)], name: &str) -> Option<&'static str> {
    let mut names = names.iter();
    let found = names.find(|(known, _)| known.eq_ignore_ascii_case(name));
    found.map(|(_, advice)| *advice)
}

/// The module that replaces one.
pub(crate) fn module(name: &str) -> Option<String> {
    MODULES.iter().find_map(|(former, new)| {
        let rest = match former.strip_suffix('*') {
            Some(start) => name.strip_prefix(start)?,
            None => (name == *former).then_some("")?,
        };
        Some(new.replace('*', rest))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_modules_that_replace_others_exist() {
        let library = crate::stdlib::Library::default();
        for (_, new) in MODULES {
            for name in new.split(" and ") {
                let name = name.trim_end_matches(".*");
                let exists = library.names().any(|known| known.starts_with(name));
                assert!(exists, "{name}");
            }
        }
    }

    #[test]
    fn names_are_whole() {
        assert!(table("UID_track").is_some());
        assert_eq!(table("uid"), None);
        assert_eq!(module("cpu.freq").unwrap(), "linux.cpu.frequency");
        let thread = module("cpu.utilization.thread").unwrap();
        assert_eq!(thread, "linux.cpu.utilization.thread");
        assert_eq!(module("cpu.frequency"), None);
    }
}
