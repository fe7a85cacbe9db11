//! The tables of the scheduler and of other events of the kernel.

use crate::ids::{ArgSetId, StringId, ThreadId};
use crate::state::TaskState;
use crate::table::table;
use crate::wake_kind::WakeKind;

table! {
    /// The runs of threads on CPUs. Sorted by (ts, arrival).
    SchedSliceTable of
    /// One run of a thread on a CPU.
    SchedSliceRow {
        /// Start, ns.
        ts: i64,
        /// Duration, ns; [`NO_DURATION`](crate::NO_DURATION) if the trace ends first.
        dur: i64,
        /// The CPU.
        cpu: u32,
        /// The thread.
        utid: ThreadId,
        /// The state it left the CPU in.
        end_state: TaskState,
        /// The kernel's priority number (120 is nice 0).
        priority: i32,
        /// Whether the switch to the thread was not recorded, so that its start was inferred from
        /// other events.
        inferred: bool,
        /// The thread's priority when it left the CPU, [`NO_PRIORITY`](crate::NO_PRIORITY) if unknown.
        end_priority: i32,
    }
}

table! {
    /// Ends of runs that are not in sched_slices, because the switch to the thread was not recorded: mostly of the
    /// thread that ran on a CPU when the recording began. Sorted by (ts, arrival).
    RunEndTable of
    /// A switch away from a thread that was not known to be on the CPU.
    RunEndRow {
        /// When the thread left, ns.
        ts: i64,
        /// The CPU.
        cpu: u32,
        /// The thread.
        utid: ThreadId,
        /// The state it left the CPU in.
        end_state: TaskState,
        /// Its priority, the kernel's number.
        priority: i32,
    }
}

table! {
    /// The kernel's wake-up events. Sorted by (ts, arrival).
    WakeupTable of
    /// A wake-up, also one without effect.
    WakeupRow {
        /// When it happened, ns.
        ts: i64,
        /// Which event it is.
        kind: WakeKind,
        /// The CPU it was recorded on.
        cpu: u32,
        /// The thread that ran there.
        waker_utid: ThreadId,
        /// The thread that is woken.
        utid: ThreadId,
        /// The CPU on which it is to run, [`NO_CPU`](crate::NO_CPU) if unknown.
        target_cpu: u32,
        /// Its priority, the kernel's number; [`NO_PRIORITY`](crate::NO_PRIORITY) if unknown.
        priority: i32,
        /// 1 if an interrupt woke it, 0 if not, [`NO_FLAG`](crate::NO_FLAG) if unknown.
        irq_context: i8,
    }
}

table! {
    /// The names of each thread in the kernel's events, over time. Sorted by (ts, arrival).
    ThreadNameTable of
    /// A name that a thread had from `ts` on.
    ThreadNameRow {
        /// When an event first gave it this name, ns.
        ts: i64,
        /// The thread.
        utid: ThreadId,
        /// The name.
        name: StringId,
    }
}

table! {
    /// The states of threads. Sorted by (ts, arrival).
    ThreadStateTable of
    /// A thread in one state for some time.
    ThreadStateRow {
        /// Start, ns.
        ts: i64,
        /// Duration, ns; [`NO_DURATION`](crate::NO_DURATION) if the trace ends first.
        dur: i64,
        /// The thread.
        utid: ThreadId,
        /// The CPU while running, [`NO_CPU`](crate::NO_CPU) otherwise.
        cpu: u32,
        /// The state.
        state: TaskState,
        /// Whether it waited for I/O: 1 yes, 0 no, [`NO_FLAG`](crate::NO_FLAG) if unknown.
        io_wait: i8,
        /// The kernel function it was blocked in, or empty.
        blocked_function: StringId,
        /// The thread that woke it into this state.
        waker_utid: ThreadId,
    }
}

table! {
    /// Kernel events that have no table of their own.
    FtraceEventTable of
    /// An event.
    FtraceEventRow {
        /// When it happened, ns.
        ts: i64,
        /// The event's name, such as `ext4_da_write_begin`.
        name: StringId,
        /// The thread it happened in.
        utid: ThreadId,
        /// The CPU it happened on.
        cpu: u32,
        /// Its fields.
        arg_set_id: ArgSetId,
    }
}
