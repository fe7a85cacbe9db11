//! What ran on each CPU, and what each thread was doing.

use traceloom_trace::ArgValue;

use super::column::Kind::{ArgSetId, Bool, Duration, JoinId, Long, String, Timestamp};
use super::column::{Cell, Table, column, id, machine};
use super::data::Data;

pub(crate) const SCHED_SLICE: Table = Table {
    name: "sched_slice",
    doc: "What ran on each CPU.",
    rows: |data| data.trace.sched_slices.len(),
    columns: &[
        id("id", "The run."),
        column("ts", Timestamp, "Start.", |data, row| {
            Cell::Int(data.trace.sched_slices.ts.get(row))
        })
        .sorted(),
        column(
            "dur",
            Duration,
            "Duration; -1 if the trace ends first.",
            |data, row| Cell::Int(data.trace.sched_slices.dur.get(row)),
        ),
        column("cpu", Long, "The CPU.", sched_cpu),
        column("utid", JoinId("thread"), "The thread.", |data, row| {
            Cell::id(data.trace.sched_slices.utid.get(row))
        }),
        column(
            "end_state",
            String,
            "The state the thread left the CPU in, as the kernel's letters: `S`, `R+`, `DK`, ….",
            |data, row| data.state(data.trace.sched_slices.end_state.get(row)),
        ),
        column(
            "priority",
            Long,
            "The kernel's priority number; 120 is nice 0.",
            |data, row| Cell::Int(data.trace.sched_slices.priority.get(row).into()),
        ),
        column(
            "ucpu",
            JoinId("cpu"),
            "The CPU, as a row of `cpu`.",
            |data, row| data.ucpu(data.trace.sched_slices.cpu.get(row)),
        ),
        column(
            "inferred",
            Bool,
            "Whether the start follows from other events, because the switch was not recorded.",
            |data, row| Cell::Int(data.trace.sched_slices.inferred.get(row).into()),
        )
        .hidden(),
    ],
};

fn sched_cpu(data: &Data, row: usize) -> Cell {
    cpu(data.trace.sched_slices.cpu.get(row))
}

/// A CPU; [`u32::MAX`] means none.
pub(super) fn cpu(number: u32) -> Cell {
    Cell::unless(number.into(), u32::MAX.into())
}

pub(crate) const THREAD_STATE: Table = Table {
    name: "thread_state",
    doc: "What each thread was doing: running, ready to run, or waiting.",
    rows: |data| data.trace.thread_states.len(),
    columns: &[
        id("id", "The state."),
        column("ts", Timestamp, "Start.", |data, row| {
            Cell::Int(data.trace.thread_states.ts.get(row))
        })
        .sorted(),
        column(
            "dur",
            Duration,
            "Duration; -1 if the trace ends first.",
            |data, row| Cell::Int(data.trace.thread_states.dur.get(row)),
        ),
        column("cpu", Long, "The CPU while running.", |data, row| {
            cpu(data.trace.thread_states.cpu.get(row))
        }),
        column("utid", JoinId("thread"), "The thread.", |data, row| {
            Cell::id(data.trace.thread_states.utid.get(row))
        }),
        column(
            "state",
            String,
            "`Running`, or the kernel's letters: `R`, `S`, `D`, `DK`, ….",
            |data, row| data.state(data.trace.thread_states.state.get(row)),
        ),
        column(
            "io_wait",
            Long,
            "1 if it waited for I/O, 0 if not.",
            |data, row| Cell::unless(data.trace.thread_states.io_wait.get(row).into(), -1),
        ),
        column(
            "blocked_function",
            String,
            "The kernel function it was blocked in.",
            |data, row| Cell::text(data.trace.thread_states.blocked_function.get(row)),
        ),
        column(
            "waker_utid",
            JoinId("thread"),
            "The thread that woke it.",
            |data, row| Cell::id(data.trace.thread_states.waker_utid.get(row)),
        ),
        column(
            "waker_id",
            JoinId("thread_state"),
            "What the thread that woke it was doing: the row in which it ran.",
            |data, row| data.waker(row),
        ),
        column(
            "irq_context",
            Long,
            "1 if an interrupt woke it, 0 if a thread did; NULL if the trace does not say, or nothing woke it.",
            |data, row| data.irq_context(row),
        ),
        column(
            "ucpu",
            JoinId("cpu"),
            "The CPU, as a row of `cpu`.",
            |data, row| data.ucpu(data.trace.thread_states.cpu.get(row)),
        ),
    ],
};

pub(crate) const CPU: Table = Table {
    name: "cpu",
    doc: "The CPUs that the trace names.",
    rows: |data| data.cpus.len(),
    columns: &[
        id("id", "The CPU's row."),
        id("ucpu", "The same as `id`."),
        column("cpu", Long, "The CPU's number.", |data, row| {
            Cell::Int(data.cpus[row].into())
        })
        .sorted(),
        column(
            "cluster_id",
            Long,
            "Its cluster: CPUs of the same strength, weakest first.",
            |data, row| data.cpu_fact(row, "cluster_id"),
        ),
        column("processor", String, "What it is.", |data, row| {
            data.cpu_fact(row, "processor")
        }),
        machine(|_, _| Cell::Int(0)),
        column(
            "capacity",
            Long,
            "Its strength; the strongest has 1024.",
            |data, row| data.cpu_fact(row, "capacity"),
        ),
        column("arg_set_id", ArgSetId, "Its features.", |data, row| {
            data.cpu_fact(row, "arg_set_id")
        }),
    ],
};

impl Data {
    /// The row of a CPU in `cpu`.
    pub(super) fn ucpu(&self, cpu: u32) -> Cell {
        match self.cpus.binary_search(&cpu) {
            Ok(row) => Cell::Int(row as i64),
            Err(_) => Cell::Null,
        }
    }
}

impl Data {
    /// The value of a column of `cpu`; NULL if the trace does not have it.
    pub(super) fn cpu_fact(&self, row: usize, column: &str) -> Cell {
        let record = self.cpus.get(row).and_then(|cpu| self.cpu_records.get(cpu));
        let value = record.and_then(|record| {
            let key = self.trace.strings.lookup(column)?;
            self.trace.records.cell(*record, key)
        });
        match value {
            Some(ArgValue::Int(value)) => Cell::Int(value),
            Some(ArgValue::Text(text)) => Cell::text(text),
            Some(ArgValue::Row(_, row)) => Cell::Int(row.into()),
            _ => Cell::Null,
        }
    }
}
