//! `StreamingProfilePacket`: the stacks of a thread of Chrome. Each timestamp is relative to the previous one.

use traceloom_trace::TraceBuilder;

use super::super::packet::deltas_us;
use super::super::sequence::State;
use super::super::track_descriptor::Thread;
use super::super::wire::{Field, Fields};
use super::shared::Shared;
use super::tasks;
use crate::profile::NONE;
use crate::profile::{BYTES, Sample, Task};

/// Reads the samples of a packet, as long as they take less than `room` bytes.
pub(super) fn packet(
    mut ts: i64,
    bytes: &[u8],
    (state, room): (State, usize),
    shared: &mut Shared<'_>,
    out: &mut TraceBuilder,
) {
    let thread = Thread::read(Fields::new(shared.survey.source.get(state.thread)));
    let (tid, pid) = (thread.tid as u64, thread.pid as u64);
    let utid = tasks::thread(tid, pid, out);
    let upid = tasks::process(pid, out);
    let task = shared.samples.task(Task {
        upid: Some(upid),
        utid: Some(utid),
        context: NONE,
    });
    let source = out.intern(b"chrome");
    let fields = Fields::new(bytes);
    let priority = fields.clone().filter(|field| field.number == 3).last();
    let priority = priority.map_or(0, Field::int32);
    let stacks = fields.filter(|field| field.number == 1);
    let stacks = stacks.flat_map(Field::numbers);
    let mut samples = stacks.zip(deltas_us(bytes));
    for (iid, delta) in samples.by_ref().take(room / BYTES) {
        ts = ts.saturating_add(delta.saturating_mul(1_000));
        if ts < 0 {
            // Counted by the survey. Times after it are unknown.
            break;
        }
        let callsite = shared.callstack(&state, iid, out);
        if callsite != NONE {
            shared.samples.samples.push(Sample {
                task,
                callsite,
                priority,
                ..Sample::at(ts, source)
            });
        }
    }
    shared.stacks.beyond += samples.count() as u64;
}
