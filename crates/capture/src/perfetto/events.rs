//! The kernel events of categories. Perfetto adds more events to the categories that it supports.

/// Recorded always: marks of programs, and the names of new threads.
const ALWAYS: &[&str] = &[
    "ftrace/print",
    "task/task_newtask",
    "task/task_rename",
    "sched/sched_process_exit",
    "sched/sched_process_free",
    "power/suspend_resume",
];

/// Categories whose events every version of Perfetto records.
const ROWS: &[(&str, &[&str])] = &[
    (
        "sched",
        &[
            "sched/sched_switch",
            "sched/sched_waking",
            "sched/sched_wakeup_new",
            "sched/sched_blocked_reason",
        ],
    ),
    (
        "freq",
        &[
            "power/cpu_frequency",
            "power/gpu_frequency",
            "power/cpu_frequency_limits",
            "power/clock_set_rate",
            "power/clock_enable",
            "power/clock_disable",
        ],
    ),
    ("idle", &["power/cpu_idle"]),
];

/// The events of these categories.
pub(super) fn of(categories: &[String]) -> Vec<&'static str> {
    let chosen = ROWS
        .iter()
        .filter(|(name, _)| categories.iter().any(|category| category == name));
    let events = chosen.flat_map(|(_, events)| events.iter());
    ALWAYS.iter().chain(events).copied().collect()
}
