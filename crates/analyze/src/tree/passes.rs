//! Counts the records of one thread in three passes.
//!
//! A processor cannot predict whether the next record is an entry or an exit, and a misprediction costs as much as all
//! other work for a record. The first pass therefore has no such branch: it writes the results of both an entry and an
//! exit, and advances in the list of calls only for an entry. The other passes go through the calls:
//!
//! ```text
//! records    +a  +b  -b  +c  -c  -a
//! call        0   1       2          the parent of 0 is the innermost call that was open before
//! parent      …   0       0
//! ends        5   2       4          overwritten several times; the exit of the call is the last to write
//! node        a   a/b     a/c        found in the second pass; the third one counts
//! ```

use traceloom_trace::{MethodAction, MethodEvent};

use super::arena::Arena;
use super::clip::Moment;
use super::faults::Faults;
use super::open_thread::{Frame, OpenThread, moment_of};

/// The most records in one run of the passes, so that their data fits into the L1 cache.
const RUN: usize = 512;

/// The fewest consecutive records of a thread for which the passes pay off.
const FEW: usize = 64;

/// The size of the tables of calls. Calls are numbered in the order in which a run enters them; those that were open
/// before, and that the run returns to, follow.
const CALLS: usize = 4 * RUN;

/// A mask for the numbers of calls. They are below [`CALLS`] by construction; the mask saves the bounds checks.
const CALL: usize = CALLS - 1;

/// The key of calls that were open before the run. No record has it.
const BEFORE: u32 = u32::MAX;

/// The data that the passes share, by the number of the call.
#[derive(Debug)]
pub(super) struct Passes {
    keys: [u32; CALLS],
    parents: [u32; CALLS],
    begins: [Moment; CALLS],
    ends: [Moment; CALLS],
    nodes: [u32; CALLS],
    /// The open calls: one from before the run, then those of the run.
    open: [u32; CALLS],
}

/// The result of the first pass.
#[derive(Clone, Copy, Debug, Default)]
struct Paired {
    records: usize,
    calls: usize,
    /// The number of calls of the run that are open.
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
    /// Counts records up to the first one that is of another thread or odd. A record is odd if a
    /// clock stepped back, or if it exits a call other than the innermost one. Returns the number
    /// of records counted.
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

    /// The first pass: finds the entry of each exit, up to a record that is odd or exits the call from before the run.
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
            // Arithmetic instead of conditions, which the compiler would turn into branches.
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

    /// The second pass: finds or creates the node of each call entered.
    #[inline(never)]
    fn find_nodes(&mut self, arena: &mut Arena, calls: usize) {
        for call in 0..calls & CALL {
            let parent = self.nodes[self.parents[call] as usize & CALL];
            let node = arena.child(parent, self.keys[call]);
            self.nodes[call] = node;
        }
    }

    /// The third pass: counts the calls that ended.
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

    /// Opens the calls that are still open after the run.
    fn keep_open(&self, thread: &mut OpenThread, open: usize) {
        for call in &self.open[1..=open] {
            let call = *call as usize & CALL;
            let (node, begin) = (self.nodes[call], self.begins[call]);
            thread.stack.push(self.keys[call], Frame { node, begin });
        }
    }
}

impl OpenThread {
    /// Counts records, at most up to the first one of another thread. Returns the number of records counted.
    ///
    /// Nearly always, both clocks advance and an exit ends the innermost open call. Then no time can be negative, and the
    /// first event of the thread stays the first. The [`Passes`] count such records; all others take the general path,
    /// [`count_any`](Self::count_any).
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
