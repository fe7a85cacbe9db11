//! Advice on scripts that were written for Perfetto and find nothing here: kernel events that are in other tables than
//! `ftrace_event`, and types of tracks that Perfetto itself has renamed.

use crate::dialect::{TokenKind, tokens_of};

/// The names of the table.
const TABLES: [&str; 3] = ["ftrace_event", "__intrinsic_ftrace_event", "raw"];

const RUNS: &str = "sched and thread_state";
const WAKES: &str = "thread_state (waker_utid)";
const MARKS: &str = "slice and counter";
const CPU_COUNTERS: &str = "counter and cpu_counter_track";

/// The events, and the tables to use instead. Events whose name is not here either have rows, or are rare.
const EVENTS: [(&str, &str); 16] = [
    ("sched_switch", RUNS),
    ("sched_waking", WAKES),
    ("sched_wakeup", WAKES),
    ("sched_wakeup_new", WAKES),
    ("print", MARKS),
    ("tracing_mark_write", MARKS),
    ("cpu_frequency", CPU_COUNTERS),
    ("cpu_idle", CPU_COUNTERS),
    ("irq_handler_entry", "slice"),
    ("irq_handler_exit", "slice"),
    ("softirq_entry", "slice"),
    ("softirq_exit", "slice"),
    ("sys_enter", "slice"),
    ("sys_exit", "slice"),
    ("binder_transaction", "slice and flow"),
    ("binder_transaction_received", "slice and flow"),
];

/// Former values of the column `type`: in older versions of Perfetto, it was the name of the track's table.
const TYPES: [&str; 8] = [
    "process_track",
    "thread_track",
    "cpu_track",
    "counter_track",
    "process_counter_track",
    "thread_counter_track",
    "cpu_counter_track",
    "gpu_counter_track",
];

/// Advice on SQL that is valid but finds nothing: a sentence for each such event, and for each such type of a track.
pub fn advice(sql: &str) -> Vec<String> {
    let Ok(tokens) = tokens_of(sql) else {
        return Vec::new();
    };
    let has = |word: &str| tokens.iter().any(|token| token.is_word(sql, word));
    let texts = tokens
        .iter()
        .filter(|token| token.kind == TokenKind::String);
    let texts: Vec<&str> = texts
        .map(|token| token.text(sql).trim_matches('\''))
        .collect();
    let mut advice = Vec::new();
    if TABLES.iter().any(|table| has(table)) {
        let asked = EVENTS.iter().filter(|(event, _)| texts.contains(event));
        advice.extend(asked.map(|(event, tables)| of_event(event, tables)));
    }
    if has("type") {
        let asked = TYPES.iter().filter(|name| texts.contains(name));
        advice.extend(asked.map(|name| of_type(name)));
    }
    advice
}

fn of_event(event: &str, tables: &str) -> String {
    format!("ftrace_event has no rows of {event}; look in {tables}")
}

fn of_type(table: &str) -> String {
    format!("no track has the type {table}; the table {table} has these tracks")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_for_switches_is_told_where_they_are() {
        let sql = "SELECT ts FROM raw WHERE name IN ('sched_switch', 'rss_stat', 'cpu_idle')";
        let expected = [
            "ftrace_event has no rows of sched_switch; look in sched and thread_state",
            "ftrace_event has no rows of cpu_idle; look in counter and cpu_counter_track",
        ];
        assert_eq!(advice(sql), expected);
    }

    #[test]
    fn a_query_for_a_former_type_is_told_the_table() {
        let sql = "SELECT name FROM track WHERE track.type = 'process_counter_track'";
        let expected = [
            "no track has the type process_counter_track; the table process_counter_track has these tracks",
        ];
        assert_eq!(advice(sql), expected);
        assert_eq!(advice("SELECT 'process_track'"), Vec::<String>::new());
    }

    #[test]
    fn other_tables_and_comments_need_no_advice() {
        for sql in [
            "SELECT 1 FROM slice WHERE name = 'sched_switch'",
            "SELECT 1 FROM ftrace_event -- 'sched_switch'",
            "SELECT 'x",
        ] {
            assert_eq!(advice(sql), Vec::<String>::new(), "{sql}");
        }
    }
}
