//! The processes and threads of events.

use rustc_hash::{FxHashMap, FxHashSet};
use traceloom_trace::{NO_NUMBER, ProcessId, RowId, StringId, ThreadId, TraceBuilder};

use crate::json::{Value, int};

/// A process or thread number, or a text used instead of one.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Number {
    Int(i64),
    Text(StringId),
}

/// The processes and threads so far.
#[derive(Default)]
pub(super) struct Tasks {
    processes: FxHashMap<Number, ProcessId>,
    threads: FxHashMap<(ProcessId, Number), ThreadId>,
    /// The first thread with each number.
    first: FxHashMap<Number, ThreadId>,
    /// The threads that only this file has, not the kernel.
    own: FxHashSet<ThreadId>,
}

impl Tasks {
    /// The row of a process.
    pub fn process(&mut self, pid: Option<&Value<'_>>, out: &mut TraceBuilder) -> ProcessId {
        let Some(pid) = pid.and_then(|pid| number(pid, out)) else {
            return ProcessId::NONE;
        };
        *self.processes.entry(pid).or_insert_with(|| match pid {
            // -1 means no number in the tables, so other processes may have it too.
            Number::Int(NO_NUMBER) => out.new_process(NO_NUMBER),
            Number::Int(pid) => out.process(pid),
            Number::Text(name) => {
                let upid = out.new_process(NO_NUMBER);
                out.name_process(upid, name);
                upid
            }
        })
    }

    /// The row of a thread. Threads belong to their process: the same tid in two processes means
    /// two threads. An event without a tid belongs to the main thread, and one without a pid to process 0, as in
    /// Perfetto. A page may also contain a kernel trace; both share the kernel's threads.
    pub fn thread(
        &mut self,
        tid: Option<&Value<'_>>,
        upid: ProcessId,
        out: &mut TraceBuilder,
    ) -> ThreadId {
        let upid = self.owner(tid, upid, out);
        let tid = tid.and_then(|tid| number(tid, out));
        let pid = upid
            .some()
            .map(|upid| out.trace().processes.pid.get(upid.row()));
        let main = Number::Int(pid.unwrap_or(NO_NUMBER));
        let key = (upid, tid.unwrap_or(main));
        if let Some(&utid) = self.threads.get(&key) {
            return utid;
        }
        let utid = match key.1 {
            Number::Int(tid) => self.thread_of(tid, upid, out),
            Number::Text(name) => {
                let utid = out.new_thread(NO_NUMBER);
                out.name_thread(utid, name);
                utid
            }
        };
        out.set_thread_process(utid, upid);
        if let (Some(process), Number::Int(tid)) = (upid.some(), key.1) {
            let is_main = out.trace().processes.pid.get(process.row()) == tid;
            out.set_main_thread(utid, is_main);
        }
        self.threads.insert(key, utid);
        self.first.entry(key.1).or_insert(utid);
        utid
    }

    /// The first thread with a tid, whatever its process. If there is none, it belongs to process 0.
    pub fn thread_of_any_process(
        &mut self,
        tid: Option<&Value<'_>>,
        out: &mut TraceBuilder,
    ) -> ThreadId {
        let number = tid.and_then(|tid| number(tid, out));
        let known = number.and_then(|number| self.first.get(&number).copied());
        known.unwrap_or_else(|| self.thread(tid, ProcessId::NONE, out))
    }
}

impl Tasks {
    /// The process of a thread. Without a pid, it is that of the kernel's thread with this tid, or else process 0.
    pub fn owner(
        &mut self,
        tid: Option<&Value<'_>>,
        upid: ProcessId,
        out: &mut TraceBuilder,
    ) -> ProcessId {
        if upid != ProcessId::NONE {
            return upid;
        }
        let known = match tid.and_then(|tid| number(tid, out)) {
            Some(Number::Int(tid)) if tid != 0 => out.find_thread(tid),
            _ => None,
        };
        match known.filter(|utid| !self.own.contains(utid)) {
            Some(utid) => out.trace().threads.upid.get(utid.row()),
            None => self.process(Some(&Value::Word(b"0")), out),
        }
    }

    /// The kernel's thread with this number if it belongs to the process, otherwise a new one.
    fn thread_of(&mut self, tid: i64, upid: ProcessId, out: &mut TraceBuilder) -> ThreadId {
        let known = out.find_thread(tid).filter(|_| tid != NO_NUMBER);
        let known = known.filter(|utid| {
            let owner = out.trace().threads.upid.get(utid.row());
            owner == upid || owner == ProcessId::NONE
        });
        known.unwrap_or_else(|| {
            let utid = out.new_thread(tid);
            self.own.insert(utid);
            utid
        })
    }
}

/// The number or text of a field; `None` if it is missing or empty.
fn number(value: &Value<'_>, out: &mut TraceBuilder) -> Option<Number> {
    match value {
        Value::Nested(_) | Value::Word(b"null") => None,
        Value::Text(text) if text.is_empty() => None,
        Value::Word(word) => Some(match int(word).or(whole(value)) {
            Some(number) => Number::Int(number),
            None => Number::Text(out.intern(word)),
        }),
        Value::Text(text) => Some(match int(text) {
            Some(number) => Number::Int(number),
            None => Number::Text(out.intern(text)),
        }),
    }
}

/// The number that `7.0` or `7e0` stands for; `None` if it is not whole.
fn whole(value: &Value<'_>) -> Option<i64> {
    const EXACT: f64 = (1u64 << 53) as f64;
    let number = value.number()?;
    (number.fract() == 0.0 && number.abs() < EXACT).then_some(number as i64)
}

#[cfg(test)]
mod tests {
    use traceloom_trace::{RepairKind, RowId, StringId};

    use crate::chrome_json::tests::{read, slices};

    #[test]
    fn numbers_may_have_a_fraction_and_minus_one_is_no_other_process() {
        let trace = read(
            r#"[{"ph":"X","pid":"shop","tid":"main","ts":1,"dur":1,"name":"a"},
                {"ph":"X","pid":-1,"tid":-1,"ts":2,"dur":1,"name":"b"},
                {"ph":"X","pid":-1,"tid":-1.0,"ts":4,"dur":1,"name":"c"},
                {"ph":"X","pid":7,"tid":8,"ts":6,"dur":1,"name":"d"},
                {"ph":"X","pid":7.0,"tid":8e0,"ts":8,"dur":1,"name":"e"}]"#,
        );
        let threads = trace.real_threads().map(|utid| {
            let row = trace.threads.row(utid.row());
            (row.tid, trace.strings.get(row.name))
        });
        assert_eq!(
            threads.collect::<Vec<_>>(),
            [(-1, "main"), (-1, ""), (8, "")]
        );
        assert_eq!(trace.real_processes().count(), 3);
    }

    #[test]
    fn an_event_without_a_pid_belongs_to_process_0() {
        let trace = read(
            r#"[{"ph":"X","ts":1,"dur":1,"name":"a"},{"ph":"X","ts":3,"dur":1,"tid":7,"name":"b"},
                {"ph":"X","ts":5,"dur":1,"pid":0,"name":"c"}]"#,
        );
        let thread = |utid: traceloom_trace::ThreadId| {
            let row = trace.threads.row(utid.row());
            (trace.processes.pid.get(row.upid.row()), row.tid)
        };
        let threads: Vec<_> = trace.real_threads().map(thread).collect();
        assert_eq!(threads, [(0, 0), (0, 7)]);
        assert_eq!(trace.real_processes().count(), 1);
    }

    /// Each as `pid name / tid name`.
    fn named_threads(trace: &traceloom_trace::Trace) -> Vec<String> {
        let thread = |utid: traceloom_trace::ThreadId| {
            let row = trace.threads.row(utid.row());
            let process = trace.processes.row(row.upid.row());
            let [process_name, name] = [process.name, row.name].map(|id| trace.strings.get(id));
            format!("{} {process_name} / {} {name}", process.pid, row.tid)
        };
        trace.real_threads().map(thread).collect()
    }

    #[test]
    fn all_events_of_a_thread_without_a_pid_are_on_one_thread_of_process_0() {
        let trace = read(
            r#"[{"ph":"M","name":"process_name","args":{"name":"app"}},
                {"ph":"M","name":"thread_name","tid":5,"args":{"name":"worker"}},
                {"ph":"X","tid":5,"ts":1,"dur":9,"name":"outer"},
                {"ph":"X","tid":5,"pid":null,"ts":2,"dur":3,"name":"inner"},
                {"ph":"B","tid":8,"ts":1,"name":"b"},{"ph":"E","tid":8,"ts":5},
                {"ph":"X","pid":3,"tid":9,"ts":1,"dur":1,"name":"other"},
                {"ph":"X","tid":9,"ts":1,"dur":1,"name":"c"},
                {"ph":"M","name":"process_sort_index","args":{"sort_index":-2}}]"#,
        );
        let expected = [
            "0 b 1+4",
            "0 c 1+1",
            "0 other 1+1",
            "0 outer 1+9",
            "1 inner 2+3",
        ];
        let mut found = slices(&trace);
        found.sort();
        assert_eq!(found, expected);
        let expected = [
            "0 app / 5 worker",
            "0 app / 8 ",
            "3  / 9 ",
            "0 app / 9 ",
            "0 app / 0 ",
        ];
        assert_eq!(named_threads(&trace), expected);
        assert_eq!(trace.real_processes().count(), 2);
        assert!(trace.metadata("process_name").is_none());
    }

    #[test]
    fn an_event_without_a_pid_is_on_the_kernels_thread() {
        let trace = read(
            "{\"systemTraceEvents\":\"# tracer: nop\\n  app-8 ( 7) [000] .... 1.000001: \
             tracing_mark_write: B|7|b\\n  app-8 ( 7) [000] .... 1.000002: tracing_mark_write: E|7\\n\",\
             \"traceEvents\":[{\"ph\":\"X\",\"tid\":8,\"ts\":1000000,\"dur\":1,\"name\":\"a\"},\
             {\"ph\":\"X\",\"tid\":8,\"ts\":1000005,\"dur\":1,\"name\":\"c\"}]}",
        );
        assert_eq!(named_threads(&trace), ["7  / 8 app"]);
    }

    #[test]
    fn empty_numbers_and_names_that_are_null_are_missing() {
        let trace = read(
            r#"[{"ph":"M","pid":1,"tid":2,"name":"thread_name","args":{"name":null}},
                {"ph":"M","pid":1,"name":"process_name","args":{"name":null}},
                {"ph":"X","pid":1,"tid":2,"ts":1,"dur":2,"name":"a"},
                {"ph":"X","pid":"","tid":"","ts":1,"dur":2,"name":"b"}]"#,
        );
        assert_eq!(named_threads(&trace), ["1  / 2 ", "0  / 0 "]);
        assert_eq!(trace.real_processes().count(), 2);
        assert!(
            !trace
                .metadata
                .rows()
                .any(|row| trace.strings.get(row.value) == "null")
        );
    }

    /// C# and Python programs write `null` for missing fields.
    #[test]
    fn a_field_that_is_null_is_missing() {
        let trace = read(
            r#"[{"ph":"B","pid":1,"tid":1,"ts":1,"dur":null,"name":"a","cat":null,"id":null,"bind_id":null},
                {"ph":"E","pid":1,"tid":null,"ts":3,"name":null,"args":null},
                {"ph":"b","pid":1,"tid":1,"ts":4,"id":null,"name":"b"},
                {"ph":"b","pid":1,"tid":1,"ts":4,"id":null,"id2":{"local":"1"},"name":"c"},
                {"ph":"X","pid":1,"tid":1,"ts":5,"dur":-2,"name":"d"}]"#,
        );
        assert_eq!(slices(&trace), ["0 a 1+2", "0 c 4+…", "0 d 5+0"]);
        assert_eq!(trace.slices.row(0).category, StringId::NULL);
        assert_eq!(trace.repairs.count(RepairKind::UnparsedLine), 1);
        assert_eq!(trace.repairs.count(RepairKind::BadField), 1);
    }
}
