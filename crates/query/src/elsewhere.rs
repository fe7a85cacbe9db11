//! Kernel events that scripts written for Perfetto look for in `ftrace_event`, although traceloom keeps them in other
//! tables.

use crate::dialect::{Token, TokenKind, tokens_of};

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

/// Advice on SQL that looks in `ftrace_event` for events that are in other tables: a sentence for each event. Such a
/// query is not wrong, but finds nothing.
pub fn advice(sql: &str) -> Vec<String> {
    let Ok(tokens) = tokens_of(sql) else {
        return Vec::new();
    };
    let is_table = |token: &Token| TABLES.iter().any(|table| token.is_word(sql, table));
    let reads_events = tokens.iter().any(is_table);
    if !reads_events {
        return Vec::new();
    }
    let texts = tokens
        .iter()
        .filter(|token| token.kind == TokenKind::String);
    let texts: Vec<&str> = texts
        .map(|token| token.text(sql).trim_matches('\''))
        .collect();
    let asked = EVENTS.iter().filter(|(event, _)| texts.contains(event));
    asked
        .map(|(event, tables)| sentence(event, tables))
        .collect()
}

fn sentence(event: &str, tables: &str) -> String {
    format!("ftrace_event has no rows of {event}; look in {tables}")
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
