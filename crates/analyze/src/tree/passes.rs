//! Records of one thread, counted in three passes.
//!
//! Whether the next record enters or leaves is more than a processor can guess, and a wrong guess
//! costs it as much as all the work of a record. So the first pass does not ask: it writes what an
//! entry and what an exit would, and only moves on in the list of calls where it was an entry. The
//! others go through the calls:
//!
//! ```text
//! records    +a  +b  -b  +c  -c  -a
//! call        0   1       2          the innermost call that was open before stands for 0's parent
//! parent      …   0       0
//! ends        5   2       4          written again and again; the call's exit is the last to write
//! node        a   a/b     a/c        found in the second pass; the third one counts
//! ```

use traceloom_trace::{MethodAction, MethodEvent};

use super::arena::Arena;
use super::clip::Moment;
use super::faults::Faults;
use super::open_thread::{Frame, OpenThread, moment_of};

/// Records that go through the passes together: what these keep stays in the nearest cache.
const RUN: usize = 512;

/// Fewest records of a thread in a row that are worth the passes.
const FEW: usize = 64;

/// Calls are numbered in the order in which a run enters them. Those that were open before, and
/// that it comes back to, follow: one more than it can leave.
const CALLS: usize = 4 * RUN;

/// Numbers of calls are below [`CALLS`] by construction. The mask tells the compiler, which else
/// compares each with the size of a table.
const CALL: usize = CALLS - 1;

/// The key of calls that were open before, which no record has.
const BEFORE: u32 = u32::MAX;

/// What the passes hand each other, by number of a call.
#[derive(Debug)]
pub(super) struct Passes {
    keys: [u32; CALLS],
    parents: [u32; CALLS],
    begins: [Moment; CALLS],
    ends: [Moment; CALLS],
    nodes: [u32; CALLS],
    /// The calls that are open: one from before, then those of the run.
    open: [u32; CALLS],
}

/// How far the first pass came.
#[derive(Clone, Copy, Debug, Default)]
struct Paired {
    records: usize,
    calls: usize,
    /// Calls of the run that are open.
    open: usize,
}

impl Default for Passes {
    fn default() -> Self {
        let start = Moment {
            wall_ns: 0,
            cpu_ns: 0,
        };
        Self {
            keys: [BEFORE; CALLS],
            parents: [0; CALLS],
            begins: [start; CALLS],
            ends: [start; CALLS],
            nodes: [0; CALLS],
            open: [0; CALLS],
        }
    }
}

impl Passes {
    /// Counts records up to the first of another thread or an odd one: one before which a clock
    /// stepped back, or the exit of another call than the innermost. Returns how many.
    pub fn run(
        &mut self,
        thread: &mut OpenThread,
        arena: &mut Arena,
        records: &[MethodEvent],
    ) -> usize {
        let records = &records[..records.len().min(RUN)];
        let mut paired = Paired::default();
        for before in RUN.. {
            self.open[0] = before as u32;
            self.nodes[before & CALL] = thread.node();
            arena.prefetch(thread.node());
            self.pair(&mut thread.last, records, &mut paired);
            let is_return = paired.open == 0 && thread.leave(arena, records, paired.records);
            if !is_return {
                break;
            }
            paired.records += 1;
        }
        self.find_nodes(arena, paired.calls);
        self.count(arena, paired);
        self.keep_open(thread, paired.open);
        paired.records
    }

    /// The first pass: finds the entry of each exit, until the next record is odd, or the exit of
    /// the call from before.
    #[inline(never)]
    fn pair(&mut self, thread_last: &mut Moment, records: &[MethodEvent], paired: &mut Paired) {
        let Some(MethodEvent { thread, .. }) = records.first() else {
            return;
        };
        let (mut calls, mut open) = (paired.calls, paired.open);
        let mut last = *thread_last;
        let mut rest = records[paired.records..].iter();
        while let Some(event) = rest.as_slice().first() {
            let now = moment_of(event);
            let key = event.method().0;
            let leaves = u32::from(event.action() != MethodAction::Enter);
            let call = self.open[open & CALL] as usize & CALL;
            // Numbers, not conditions: of those the compiler makes branches.
            let is_other = (self.keys[call] ^ key) & leaves.wrapping_neg();
            let is_elsewhere = event.thread.0 ^ thread.0;
            if is_other | is_elsewhere != 0 || !now.is_after(last) {
                break;
            }
            last = now;
            self.ends[call] = now;
            let entered = calls & CALL;
            self.keys[entered] = key;
            self.parents[entered] = call as u32;
            self.begins[entered] = now;
            self.open[(open + 1) & CALL] = entered as u32;
            calls += 1 - leaves as usize;
            open = (open + 1).wrapping_sub(2 * leaves as usize);
            rest.next();
        }
        *thread_last = last;
        *paired = Paired {
            records: records.len() - rest.len(),
            calls,
            open,
        };
    }

    /// The second pass: finds or makes the node of each call entered.
    #[inline(never)]
    fn find_nodes(&mut self, arena: &mut Arena, calls: usize) {
        for call in 0..calls & CALL {
            let parent = self.nodes[self.parents[call] as usize & CALL];
            let node = arena.child(parent, self.keys[call]);
            arena.prefetch(node);
            self.nodes[call] = node;
        }
    }

    /// The third pass: counts the calls that were left, all but those still open.
    #[inline(never)]
    fn count(&self, arena: &mut Arena, paired: Paired) {
        let mut from = 0;
        for nth in 1..=paired.open + 1 {
            let to = if nth <= paired.open {
                self.open[nth & CALL] as usize
            } else {
                paired.calls
            };
            let times = self.begins[from..to].iter().zip(&self.ends[from..to]);
            for (node, (begin, end)) in self.nodes[from..to].iter().zip(times) {
                let (wall_ns, cpu_ns) = end.after(*begin);
                arena.add_call(*node, wall_ns, cpu_ns);
            }
            from = to + 1;
        }
    }

    /// Opens the calls that the run did not leave.
    fn keep_open(&self, thread: &mut OpenThread, open: usize) {
        for call in &self.open[1..=open] {
            let call = *call as usize & CALL;
            let (node, begin) = (self.nodes[call], self.begins[call]);
            thread.stack.push(self.keys[call], Frame { node, begin });
        }
    }
}

impl OpenThread {
    /// Counts records up to the first of another thread at the latest; returns how many.
    ///
    /// Where both clocks go on and a call is left that is the innermost open one, which is nearly
    /// always, no time can be below zero and the thread's first event stays the first: that is what
    /// the [`Passes`] count. Anything else takes [`count_any`](Self::count_any), which asks all questions.
    pub fn run(
        &mut self,
        passes: &mut Passes,
        arena: &mut Arena,
        faults: &mut Faults,
        records: &[MethodEvent],
    ) -> usize {
        let is_own = |event: &&MethodEvent| event.thread == records[0].thread;
        let first_run = records.iter().take(FEW).take_while(is_own).count();
        if first_run < FEW || self.clip.is_some() {
            self.one_by_one(arena, faults, &records[..first_run]);
            return first_run;
        }
        let mut counted = 0;
        while counted < records.len() && records[counted].thread == records[0].thread {
            let plain = passes.run(self, arena, &records[counted..]);
            if plain == 0 {
                self.count_any(arena, faults, &records[counted]);
            }
            counted += plain.max(1);
        }
        counted
    }
}
