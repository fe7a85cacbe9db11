//! Calls and threads during the replay.

use rustc_hash::FxHashMap;

use super::tally::TOPLEVEL;

/// No call: the caller of a thread's root.
pub(super) const NO_CALL: u32 = u32::MAX;

/// One call of a method, a context switch, or a thread's root. Times are µs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    pub(crate) thread: u32,
    pub(crate) method: u32,
    pub(super) caller: u32,
    pub(super) is_recursive: bool,
    pub(crate) cpu_start: i64,
    pub(crate) cpu_end: i64,
    pub(crate) wall_start: i64,
    pub(crate) wall_end: i64,
    pub(crate) exclusive_cpu: i64,
    pub(crate) inclusive_cpu: i64,
    /// The wall time of the callees until the call is summed up, then its exclusive wall time.
    pub(super) inclusive_wall: i64,
}

impl Call {
    pub(super) fn new(thread: u32, method: u32, caller: u32) -> Self {
        Self {
            thread,
            method,
            caller,
            is_recursive: false,
            cpu_start: 0,
            cpu_end: 0,
            wall_start: 0,
            wall_end: 0,
            exclusive_cpu: 0,
            inclusive_cpu: 0,
            inclusive_wall: 0,
        }
    }
}

/// A thread during the replay.
#[derive(Debug)]
pub(crate) struct Thread {
    pub(crate) id: i64,
    /// `[id] name`.
    pub(crate) name: String,
    /// Indexes in the call list, outermost first, without the root.
    pub(super) stack: Vec<u32>,
    /// How often each method is on the stack.
    pub(super) on_stack: FxHashMap<u32, u32>,
    pub(crate) root: Call,
    /// Whether no method was called yet.
    pub(crate) is_empty: bool,
    pub(super) has_wall: bool,
    pub(super) has_cpu: bool,
    pub(crate) wall_start: i64,
    pub(crate) wall_end: i64,
    pub(crate) cpu_start: i64,
    pub(crate) cpu_end: i64,
    /// The CPU time of the thread that the rebuilt time line has used so far.
    pub(super) cpu_used: i64,
}

impl Thread {
    /// A thread without calls.
    pub(super) fn new(position: u32, id: i64, name: &str) -> Self {
        Self {
            id,
            name: format!("[{id}] {name}"),
            stack: Vec::new(),
            on_stack: FxHashMap::default(),
            root: Call::new(position, TOPLEVEL, NO_CALL),
            is_empty: true,
            has_wall: false,
            has_cpu: false,
            wall_start: 0,
            wall_end: 0,
            cpu_start: 0,
            cpu_end: 0,
            cpu_used: 0,
        }
    }

    /// Wall time since the thread's last record; 0 for the first.
    pub(super) fn advance_wall(&mut self, wall: i64) -> i64 {
        if !std::mem::replace(&mut self.has_wall, true) {
            (self.wall_start, self.wall_end) = (wall, wall);
        }
        wall.wrapping_sub(std::mem::replace(&mut self.wall_end, wall))
    }

    /// CPU time since the thread's last record; 0 for the first.
    pub(super) fn advance_cpu(&mut self, cpu: i64) -> i64 {
        if !std::mem::replace(&mut self.has_cpu, true) {
            (self.cpu_start, self.cpu_end, self.cpu_used) = (cpu, cpu, cpu);
        }
        cpu.wrapping_sub(std::mem::replace(&mut self.cpu_end, cpu))
    }

    pub(super) fn now(&self) -> (i64, i64) {
        (self.cpu_end, self.wall_end)
    }

    /// Advances the rebuilt time line by the thread's CPU time up to `cpu`.
    pub(super) fn advance_line(&mut self, now: &mut i64, cpu: i64) {
        *now = now.wrapping_add(cpu.wrapping_sub(self.cpu_used));
        self.cpu_used = cpu;
        if !std::mem::replace(&mut self.has_wall, true) {
            self.wall_start = *now;
        }
    }
}
