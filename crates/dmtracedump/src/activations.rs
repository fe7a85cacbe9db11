//! How often each method stands on each thread's stack, which tells a call from a recursive one.

use std::collections::HashMap;

use super::methods::MethodIndex;
use super::seeded::Seeded;

/// Counters held in plain rows, one row a thread, before the rest goes into a hash map: 64 MiB.
const ROW_BUDGET: usize = 16 << 20;

/// Counts of activations by thread and method.
pub(super) struct Activations {
    methods: usize,
    /// By thread: each method's count; empty once the budget is spent.
    rows: Vec<Box<[u32]>>,
    budget: usize,
    rest: HashMap<u64, u32, Seeded>,
}

impl Activations {
    pub fn new(methods: usize) -> Self {
        Activations {
            methods,
            rows: Vec::new(),
            budget: ROW_BUDGET,
            rest: HashMap::with_hasher(Seeded::new()),
        }
    }

    /// Thread number `thread` (dense, ascending as they appear) starts.
    pub fn add_thread(&mut self) {
        let left = self.budget.checked_sub(self.methods);
        let row = left.map_or(0, |_| self.methods);
        self.budget = left.unwrap_or(self.budget);
        self.rows.push(vec![0; row].into());
    }

    /// The counts of one thread.
    pub fn of(&mut self, thread: usize) -> ThreadActivations<'_> {
        ThreadActivations {
            thread,
            row: &mut self.rows[thread],
            rest: &mut self.rest,
        }
    }
}

/// How often each method stands on one thread's stack.
pub(super) struct ThreadActivations<'a> {
    thread: usize,
    row: &'a mut [u32],
    rest: &'a mut HashMap<u64, u32, Seeded>,
}

impl ThreadActivations<'_> {
    /// How often `method` stands there.
    #[inline]
    pub fn count(&mut self, method: MethodIndex) -> &mut u32 {
        match self.row.get_mut(method as usize) {
            Some(count) => count,
            None => Self::beyond(self.rest, self.thread, method),
        }
    }

    #[cold]
    fn beyond(
        rest: &mut HashMap<u64, u32, Seeded>,
        thread: usize,
        method: MethodIndex,
    ) -> &mut u32 {
        let key = (thread as u64) << 32 | u64::from(method);
        rest.entry(key).or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beyond_the_budget_nothing_is_lost() {
        let mut active = Activations::new(10);
        active.budget = 15;
        active.add_thread();
        active.add_thread();
        for thread in 0..2 {
            *active.of(thread).count(3) += 1;
            *active.of(thread).count(3) += 1;
            assert_eq!(*active.of(thread).count(3), 2);
            assert_eq!(*active.of(thread).count(4), 0);
        }
        assert_eq!(active.rest.len(), 2);
    }
}
