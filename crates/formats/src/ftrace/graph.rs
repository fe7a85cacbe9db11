//! Rows of the function_graph tracer, whose columns are optional.
//!
//! ```text
//!  0)   0.541 us    |    getname();                               the default
//!  0)  bash-1234    |               |  sys_open() {               funcgraph-proc
//!  12.345678 |   0)  bash-1234    | + 12.345 us   |  }            funcgraph-abstime, as atrace -k asks
//!        3 us |   0)  bash-1234   |  d..1 |   0.541 us    |  f();  display-graph of irqsoff, preemptoff and wakeup
//!  0)  d..1 |   0.541 us    |    getname();                       latency-format
//!  0)   ==========> |                                             an interrupt begins; ` <========== |` ends it
//!  0)  bash-1234    =>  sshd-99                                   the CPU has a new thread
//! ```
//! Source: the kernel's `kernel/trace/trace_functions_graph.c`.

use super::digits::{digits, int32, skip_spaces, timestamp};
use super::event::{Event, GraphCall, GraphRow, MOST_CPUS, NO_TGID, Record};

/// The maximum number of flags. No kernel prints as many.
const MOST_FLAGS: usize = 8;

/// The tid of a row without that column.
pub(crate) const NO_TID: i32 = -1;

/// Parses a row without the usual prefix.
pub(crate) fn row(line: &[u8]) -> Option<Record<'_>> {
    let text = line.trim_ascii();
    let time = time_column(text);
    let (ts, at) = time.unwrap_or((0, 0));
    let (cpu, end) = digits(text, skip_spaces(text, at))?;
    if text.get(end) != Some(&b')') || cpu >= MOST_CPUS.into() {
        return None;
    }
    let rest = text[end + 1..].trim_ascii();
    let (task, row) = match switched_to(rest) {
        Some(task) => (Some(task), without_duration(GraphCall::Switch)),
        None => {
            let (task, rest) = task_column(rest);
            (task, body(after_flags(rest))?)
        }
    };
    let (comm, tid) = task.unwrap_or((b"", NO_TID));
    let event = Event::Graph(GraphRow {
        timed: time.is_some(),
        ..row
    });
    Some(Record {
        ts,
        tid,
        tgid: NO_TGID,
        cpu: cpu as u32,
        line: 0,
        comm,
        event,
    })
}

/// The time in ns, and the position after its column: `12.345678 | ` since boot, or `3 us | ` since the tracer began.
fn time_column(text: &[u8]) -> Option<(i64, usize)> {
    let (number, end) = timestamp(text, 0)?;
    let after_number = skip_spaces(text, end);
    let is_relative = text.get(after_number..)?.starts_with(b"us");
    let (ts, bar) = if is_relative {
        let ns = number.checked_mul(1_000)?;
        (ns, skip_spaces(text, after_number + 2))
    } else {
        (number, after_number)
    };
    (text.get(bar) == Some(&b'|')).then_some((ts, bar + 1))
}

/// A row without a call of a known duration.
fn without_duration(call: GraphCall<'_>) -> GraphRow<'_> {
    GraphRow {
        call,
        dur: None,
        timed: true,
    }
}

/// Parses `bash-1234`.
fn task(text: &[u8]) -> Option<(&[u8], i32)> {
    let text = text.trim_ascii();
    let dash = memchr::memrchr(b'-', text)?;
    let (tid, end) = int32(text, dash + 1)?;
    (end == text.len()).then_some((&text[..dash], tid))
}

fn switched_to(rest: &[u8]) -> Option<(&[u8], i32)> {
    let arrow = memchr::memmem::find(rest, b"=>")?;
    if rest.contains(&b'|') {
        return None;
    }
    task(&rest[arrow + 2..])
}

/// The task column, if present, and the text after it.
fn task_column(rest: &[u8]) -> (Option<(&[u8], i32)>, &[u8]) {
    let bar = memchr::memchr(b'|', rest);
    match bar.and_then(|bar| Some((task(&rest[..bar])?, &rest[bar + 1..]))) {
        Some((task, after)) => (Some(task), after),
        None => (None, rest),
    }
}

/// The text after the flags of `latency-format`, such as `d..1 |`, if it begins with them.
fn after_flags(rest: &[u8]) -> &[u8] {
    let Some(bar) = memchr::memchr(b'|', rest) else {
        return rest;
    };
    let column = rest[..bar].trim_ascii();
    let is_flag = |byte: &u8| byte.is_ascii_alphanumeric() || b".#?".contains(byte);
    // The first flag shows whether interrupts are off; it is never a digit, as in a duration.
    let is_flags = matches!(column, [first, ..] if !first.is_ascii_digit())
        && (3..=MOST_FLAGS).contains(&column.len())
        && column.iter().all(is_flag);
    if is_flags { &rest[bar + 1..] } else { rest }
}

/// Parses `0.541 us | getname();`, the text after the columns. Events `funcgraph_*` of trace-cmd
/// have the same form.
pub(crate) fn body(text: &[u8]) -> Option<GraphRow<'_>> {
    let bar = memchr::memchr(b'|', text)?;
    if matches!(text[..bar].trim_ascii(), b"==========>" | b"<==========") {
        return Some(without_duration(GraphCall::Interrupt));
    }
    Some(GraphRow {
        call: call(text[bar + 1..].trim_ascii())?,
        dur: duration_ns(&text[..bar]),
        timed: true,
    })
}

/// Parses `+ 12.345 us` to ns. The mark for slow calls before it is skipped.
fn duration_ns(column: &[u8]) -> Option<i64> {
    let start = column.iter().position(u8::is_ascii_digit)?;
    let (ns, end) = timestamp(column, start)?;
    // The number is in microseconds but was parsed as seconds.
    column[end..]
        .trim_ascii()
        .starts_with(b"us")
        .then_some(ns / 1_000_000)
}

fn call(text: &[u8]) -> Option<GraphCall<'_>> {
    if let Some(rest) = text.strip_prefix(b"}") {
        return Some(GraphCall::Exit(tail(rest)));
    }
    if let Some(comment) = text.strip_prefix(b"/*") {
        let comment = comment.strip_suffix(b"*/").unwrap_or(comment);
        return Some(GraphCall::Comment(comment.trim_ascii()));
    }
    // trace-cmd omits unknown names.
    if text == b") {" {
        return Some(GraphCall::Enter(b"?"));
    }
    let paren = memchr::memchr(b'(', text)?;
    let name = &text[..paren];
    match without_remarks(&text[paren..]).last()? {
        b'{' => Some(GraphCall::Enter(name)),
        b';' => Some(GraphCall::Leaf(name)),
        _ => None,
    }
}

/// The name in `/* name */` or `/* name = 0x0 */`. Without a name, the text is `/* = 0x0 */` or `/* ret=0x0 */`.
fn tail(text: &[u8]) -> &[u8] {
    let Some(comment) = text.trim_ascii_start().strip_prefix(b"/*") else {
        return b"";
    };
    let comment = comment.trim_ascii_start();
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.$".contains(byte);
    let end = comment.iter().position(|byte| !is_name(byte));
    match end.and_then(|end| comment.split_at_checked(end)) {
        Some((name, [b' ' | b'*', ..])) => name,
        _ => b"",
    }
}

/// Removes what may follow a call: the kernel's `/* <-caller ret=0 */`, and trace-cmd's `(3)`, `(ret=0x0)` and
/// `/* <-caller */`. trace-cmd puts the last one before the bracket of a call.
fn without_remarks(mut text: &[u8]) -> &[u8] {
    loop {
        text = text.trim_ascii_end();
        let start = match text {
            [.., b'*', b'/'] => memchr::memmem::rfind(text, b"/*"),
            [.., b')'] => memchr::memrchr(b'(', text).filter(|at| *at > 0),
            _ => None,
        };
        match start {
            Some(start) => text = &text[..start],
            None => return text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_set_of_columns() {
        let read = |line: &'static str| {
            let record = row(line.as_bytes()).unwrap_or_else(|| panic!("not read: {line}"));
            let Event::Graph(graph) = record.event else {
                panic!()
            };
            (record.ts, record.cpu, record.tid, graph.dur, graph.call)
        };
        let name = &b"getname"[..];
        assert_eq!(
            read(" 0)   0.541 us    |    getname();"),
            (0, 0, NO_TID, Some(541), GraphCall::Leaf(name))
        );
        assert_eq!(
            read(" 1)  bash-12    |               |  getname() {"),
            (0, 1, 12, None, GraphCall::Enter(name))
        );
        assert_eq!(
            read("  12.345678 |   0)  my-bash-12    | + 12.345 us   |  } /* getname */"),
            (12_345_678_000, 0, 12, Some(12_345), GraphCall::Exit(name))
        );
        assert_eq!(
            read(" 0)  bash-12    =>  sshd-99"),
            (0, 0, 99, None, GraphCall::Switch)
        );
        for (line, tid) in [
            (" 0)   ==========> |", NO_TID),
            (" 0)   bash-12    |   <========== |", 12),
            (
                "  12.345678 |   0)   bash-12    |  d.h1 |   ==========> |",
                12,
            ),
        ] {
            let (_, _, read_tid, dur, call) = read(line);
            assert_eq!((read_tid, dur, call), (tid, None, GraphCall::Interrupt));
        }
    }

    /// The columns of `latency-format`, and the relative times of irqsoff and similar tracers.
    #[test]
    fn flags_and_relative_times() {
        let read = |line: &'static str| {
            let record = row(line.as_bytes()).unwrap_or_else(|| panic!("not read: {line}"));
            let Event::Graph(graph) = record.event else {
                panic!()
            };
            let times = (record.ts, graph.timed, graph.dur);
            (times, record.cpu, record.tid, graph.call)
        };
        let enter = GraphCall::Enter(&b"f"[..]);
        let leaf = GraphCall::Leaf(&b"f"[..]);
        for (line, expected) in [
            (
                " 0)  d..1 |   0.541 us    |    f();",
                ((0, false, Some(541)), 0, NO_TID, leaf),
            ),
            (
                " 0)  ..... |               |  f() {",
                ((0, false, None), 0, NO_TID, enter),
            ),
            (
                " 12.345678 |   1)    ls-12    |  dNh2. | ! 100.541 us  |  f();",
                ((12_345_678_000, true, Some(100_541)), 1, 12, leaf),
            ),
            (
                "     3750 us |   2)   bash-15    |  d..1 |   0.586 us    |      f();",
                ((3_750_000, true, Some(586)), 2, 15, leaf),
            ),
            (
                "        0 us |   0)               |  f() {",
                ((0, true, None), 0, NO_TID, enter),
            ),
        ] {
            assert_eq!(read(line), expected, "{line}");
        }
        // Without the CPU, the duration is no time.
        assert!(row(b"   0.541 us    |    f();").is_none());
    }

    /// What kernels since 6.5 and trace-cmd since 3.3 add to calls.
    #[test]
    fn arguments_callers_and_returned_values() {
        for (text, call) in [
            ("getname(); (ret=0x0)", GraphCall::Leaf(&b"getname"[..])),
            (
                "getname(flags=0x1); (3) /* <-do_open */ (ret=-2)",
                GraphCall::Leaf(b"getname"),
            ),
            (
                "getname(); /* <-do_open+0x1/0x2 ret=0x0 */",
                GraphCall::Leaf(b"getname"),
            ),
            (
                "getname(a=0x1, b=(2)) /* <-do_open */ {",
                GraphCall::Enter(b"getname"),
            ),
            (
                "getname() { /* <-do_open+0x1/0x2 */",
                GraphCall::Enter(b"getname"),
            ),
            ("getname() { (2)", GraphCall::Enter(b"getname")),
            (") {", GraphCall::Enter(b"?")),
            ("} (ret=0x1)", GraphCall::Exit(b"")),
            ("} /* ret=0x1 */", GraphCall::Exit(b"")),
            ("} /* = 0x1 */", GraphCall::Exit(b"")),
            ("} /* getname = 0x1 */", GraphCall::Exit(b"getname")),
            ("} /* getname */ (ret=1)", GraphCall::Exit(b"getname")),
        ] {
            assert_eq!(super::call(text.as_bytes()), Some(call), "{text}");
        }
        assert_eq!(call(b"getname()"), None);
    }
}
