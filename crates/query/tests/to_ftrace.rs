//! Kernel events as lines of ftrace text: the lines that were read are written again.

mod systrace;

use systrace::{rows, session, text};

/// The events have no tables of their own. The widths are those of the kernel's header
/// `TASK-PID (TGID) [CPU] FLAGS TIMESTAMP: FUNCTION`.
#[test]
fn lines_are_those_that_were_read() {
    let lines = [
        (
            "          <idle>-0     (-----)",
            1_000_001,
            "kfree: call_site=16 ptr=32",
        ),
        (
            "             app-900   (  900)",
            2_345_678,
            "cgroup_attach_task: dst_root=1 dst_id=2 cgroup=bar pid=3 comm=foo",
        ),
        (
            "             app-900   (  900)",
            3_000_000,
            "made_up_event: count=-5 name=some text size=7",
        ),
        (
            "   worker_thread-90123 (  900)",
            3_000_001,
            "made_up_event: count=12",
        ),
    ];
    let read = text(&lines);
    let expected: Vec<&str> = read.lines().filter(|line| !line.starts_with('#')).collect();
    let sql = "SELECT to_ftrace(id) FROM ftrace_event ORDER BY id";
    assert_eq!(rows(&mut session(&lines), sql).unwrap(), expected);
}

/// In these events, a value has no key, or the fields have a different order than in Perfetto's message.
#[test]
fn some_events_have_a_text_of_their_own() {
    let lines = [
        (
            "             app-900   (  900)",
            1_000_000,
            "clk_set_rate: bus_clk 600000",
        ),
        (
            "             app-900   (  900)",
            1_000_001,
            "sched_blocked_reason: pid=900 iowait=1 caller=wait_on_page",
        ),
    ];
    let sql = "SELECT to_ftrace(id) FROM ftrace_event ORDER BY id";
    for line in rows(&mut session(&lines), sql).unwrap() {
        assert!(text(&lines).contains(&line), "{line}");
    }
}

#[test]
fn a_row_that_is_not_there_is_an_error() {
    let mut session = session(&[("app-900 (900)", 5, "kfree: ptr=1")]);
    let error = rows(&mut session, "SELECT to_ftrace(7)").unwrap_err();
    assert!(
        error.to_string().contains("there is no ftrace_event 7"),
        "{error}"
    );
    let error = rows(&mut session, "SELECT to_ftrace('x')").unwrap_err();
    assert!(error.to_string().contains("takes the id"), "{error}");
}
