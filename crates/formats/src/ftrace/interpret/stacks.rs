//! Stacks. A text prints them below their event, one function on each line.
//!
//! ```text
//!   sh-100  [000] .....    51.779261: <stack trace>
//!  => do_exit
//!  => do_group_exit
//! ```
//! An event has the argument `caller`, as in a binary trace: `do_exit <- do_group_exit`.

use traceloom_trace::{ArgSetId, ArgValue, FtraceEventRow, RowId, TraceBuilder};

use super::interpreter::Interpreter;
use super::position::{At, Position};
use super::state::OpenStack;

impl Interpreter {
    /// Adds an event with a stack.
    pub(super) fn stack(&mut self, at: At, name: &[u8], out: &mut TraceBuilder) {
        self.finish_stack(out);
        let row = out.trace().ftrace_events.len();
        let name = out.intern(name);
        out.ftrace_event(FtraceEventRow {
            ts: at.ts,
            name,
            utid: at.utid,
            cpu: at.cpu,
            arg_set_id: ArgSetId::NONE,
        });
        let Position::Line(line) = at.position else {
            return;
        };
        self.stack = Some(OpenStack {
            row,
            next_line: line + 1,
            callers: Vec::new(),
        });
    }

    /// Adds a line to the stack above it. `false` if the line is something else.
    pub(super) fn stack_line(&mut self, text: &[u8], position: Position) -> bool {
        let Some((stack, Position::Line(line))) = self.stack.as_mut().zip(Some(position)) else {
            return false;
        };
        let function = text.trim_ascii_start().strip_prefix(b"=>");
        let Some(function) = function.filter(|_| line == stack.next_line) else {
            return false;
        };
        stack.next_line += 1;
        if !stack.callers.is_empty() {
            stack.callers.extend(b" <- ");
        }
        stack.callers.extend(named(function.trim_ascii()));
        true
    }

    /// Stores the functions of the last stack.
    pub(super) fn finish_stack(&mut self, out: &mut TraceBuilder) {
        let Some(stack) = self.stack.take().filter(|stack| !stack.callers.is_empty()) else {
            return;
        };
        let callers = ArgValue::Text(out.intern(&stack.callers));
        let key = out.intern(b"caller");
        let args = out.args([(key, callers)]);
        out.set_event_args(stack.row, args);
    }
}

/// The function without the address after it: `do_exit (ffffffff8135da08)` of trace-cmd, `do_exit+0x448/0xaa0
/// <ffffffff8135da08>` of the option `sym-addr`. An address without a name stays.
fn named(function: &[u8]) -> &[u8] {
    let space = memchr::memrchr(b' ', function);
    match space.map(|space| (&function[..space], &function[space + 1..])) {
        Some((name, [b'(', digits @ .., b')'] | [b'<', digits @ .., b'>']))
            if digits.iter().all(u8::is_ascii_hexdigit) =>
        {
            name.trim_ascii_end()
        }
        _ => function,
    }
}

#[cfg(test)]
mod tests {
    use traceloom_trace::{RepairKind, Trace};

    use crate::format::{ReadOptions, Target};
    use crate::ftrace::{Format, FtraceText};
    use crate::read_bytes;

    fn read(text: &str) -> Trace {
        read_bytes(text.as_bytes(), ReadOptions::default()).unwrap()
    }

    /// Events as `name argument=value`.
    fn events(trace: &Trace) -> Vec<String> {
        let rows = trace.ftrace_events.rows().map(|row| {
            let args = trace.args.set(row.arg_set_id).map(|(key, value)| {
                let value = value.display(&trace.strings);
                format!(" {}={value}", trace.strings.get(key))
            });
            let args: String = args.collect();
            format!("{}{args}", trace.strings.get(row.name))
        });
        rows.collect()
    }

    const TEXT: &str = "\
sh-100 [000] ..... 1.000001: some_event: x=1
sh-100 [000] ..... 1.000002: <stack trace>
 => do_exit
 => do_group_exit
sh-100 [000] ..... 1.000003: <user stack trace>
 => /bin/busybox[+0xffb901f1]
 =>  <00007fd40c686409>
sh-100 [000] ..... 1.000004: some_event: x=2
";

    const EVENTS: [&str; 4] = [
        "some_event x=1",
        "kernel_stack caller=do_exit <- do_group_exit",
        "user_stack caller=/bin/busybox[+0xffb901f1] <- <00007fd40c686409>",
        "some_event x=2",
    ];

    #[test]
    fn stacks_of_the_kernel_and_of_programs() {
        let trace = read(TEXT);
        assert_eq!(events(&trace), EVENTS);
        assert_eq!(trace.repairs.count(RepairKind::UnparsedLine), 0);
    }

    #[test]
    fn a_text_may_be_split_anywhere() {
        for at in 0..TEXT.len() {
            let mut reader = FtraceText.reader(&ReadOptions::default()).unwrap();
            let mut builder = traceloom_trace::TraceBuilder::new();
            let mut target = Target::Trace(&mut builder);
            for part in [&TEXT[..at], &TEXT[at..]] {
                reader.feed(part.as_bytes(), &mut target).unwrap();
            }
            reader.finish(&mut target).unwrap();
            assert_eq!(events(&builder.finish()), EVENTS, "{at}");
        }
    }

    #[test]
    fn addresses_after_names_are_left_out() {
        for text in [
            "sh-100 [000] 1.000002: kernel_stack:         <stack trace >\n=> f (ffff01)\n=> g (ffff02)\n",
            "sh-100 [000] 1.000002: kernel_stack:         <stack trace>\n=> f (ffff01)\n=> g (ffff02)\n",
            "    sh-100     0Dnh4.   53us+: <stack trace>\n => f <ffff01>\n => g <ffff02>\n",
        ] {
            assert_eq!(
                events(&read(text)),
                ["kernel_stack caller=f <- g"],
                "{text}"
            );
        }
    }

    #[test]
    fn a_function_elsewhere_is_a_lost_line() {
        let trace =
            read("sh-100 [000] 1.000002: <stack trace>\nsh-100 [000] 1.000003: e: x=1\n => lost\n");
        assert_eq!(events(&trace), ["kernel_stack", "e x=1"]);
        assert_eq!(trace.repairs.count(RepairKind::UnparsedLine), 1);
    }
}
