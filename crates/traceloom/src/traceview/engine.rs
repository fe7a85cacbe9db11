//! Traceview's replay of a method trace: calls with both clocks, context switches where a thread
//! slept and, for traces with CPU time only, a time line of all threads one after another.
//!
//! A context switch is a call of the pseudo-method `(context switch)`:
//!
//! ```text
//! dual clock, one thread:    wall  ──r1────────────────r2──►    wall advanced > 100 µs more than cpu:
//!                            call      └─(switch)───┘           in the middle, with no cpu time
//!
//! cpu clock, two threads:    A ──r1─┐(switch of A … )┌─r4──►    every change of thread in the file
//!                            B      └─r2────r3───────┘
//! ```

use super::call::{Call, NO_CALL, Thread};
use super::key::Clock;
use super::tally::{CONTEXT_SWITCH, Methods, TOPLEVEL};

/// If wall time runs this far ahead of CPU time, a dual-clock trace gets a context switch, µs.
const SWITCH_US: i64 = 100;

/// A step of the rebuilt time line.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// The thread with this number began.
    Root(u32),
    Enter(u32),
    Exit(u32),
}

/// The action of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Action {
    Enter,
    Exit,
}

/// Errors that crash the original; they are counted and reported on stderr.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Mended {
    /// Exits of a method that is not on the stack; they are ignored.
    pub(crate) unmatched_exits: u64,
    /// Calls whose caller exited first; they are closed with it.
    pub(crate) missing_exits: u64,
}

/// The replay.
#[derive(Debug)]
pub(crate) struct Engine {
    clock: Clock,
    pub(crate) methods: Methods,
    pub(crate) threads: Vec<Thread>,
    pub(crate) calls: Vec<Call>,
    steps: Vec<Step>,
    running: Option<u32>,
    pub(crate) mended: Mended,
}

impl Engine {
    pub(crate) fn new(clock: Clock, methods: Methods) -> Self {
        Self {
            clock,
            methods,
            threads: Vec::new(),
            calls: Vec::new(),
            steps: Vec::new(),
            running: None,
            mended: Mended::default(),
        }
    }

    /// Adds a thread and returns its position.
    pub(crate) fn add_thread(&mut self, id: i64, name: &str) -> u32 {
        let position = self.threads.len() as u32;
        self.threads.push(Thread::new(position, id, name));
        position
    }

    /// Changes the id and name of a thread.
    pub(crate) fn rename_thread(&mut self, thread: u32, id: i64, name: &str) {
        let thread = &mut self.threads[thread as usize];
        thread.id = id;
        thread.name = format!("[{id}] {name}");
    }

    /// Replays a record.
    pub(crate) fn record(&mut self, thread: u32, method: u32, action: Action, cpu: i64, wall: i64) {
        let wall_elapsed = if self.clock.has_wall() {
            self.threads[thread as usize].advance_wall(wall)
        } else {
            0
        };
        if self.clock.has_cpu() {
            let cpu_elapsed = self.threads[thread as usize].advance_cpu(cpu);
            match self.clock {
                Clock::Dual => self.switch_by_sleep(thread, cpu_elapsed, wall_elapsed),
                _ => self.switch_by_thread(thread, cpu_elapsed),
            }
            let top = self.top(thread);
            top.exclusive_cpu = top.exclusive_cpu.wrapping_add(cpu_elapsed);
            top.inclusive_cpu = top.inclusive_cpu.wrapping_add(cpu_elapsed);
        }
        match action {
            Action::Enter => {
                let call = self.enter(thread, method);
                let call = &mut self.calls[call as usize];
                (call.cpu_start, call.wall_start) = (cpu, wall);
            }
            Action::Exit => self.leave(thread, method, cpu, wall),
        }
    }

    fn top(&mut self, thread: u32) -> &mut Call {
        let thread = &mut self.threads[thread as usize];
        match thread.stack.last() {
            Some(&call) => &mut self.calls[call as usize],
            None => &mut thread.root,
        }
    }

    /// Opens a call and returns its position.
    fn enter(&mut self, thread_number: u32, method: u32) -> u32 {
        let thread = &mut self.threads[thread_number as usize];
        let rebuilds_time = !self.clock.has_wall();
        if std::mem::take(&mut thread.is_empty) && rebuilds_time {
            self.steps.push(Step::Root(thread_number));
        }
        let number = self.calls.len() as u32;
        let caller = thread.stack.last().copied().unwrap_or(NO_CALL);
        let depth = thread.on_stack.entry(method).or_default();
        self.calls.push(Call {
            is_recursive: *depth > 0,
            ..Call::new(thread_number, method, caller)
        });
        *depth += 1;
        thread.stack.push(number);
        if rebuilds_time {
            self.steps.push(Step::Enter(number));
        }
        number
    }

    /// Closes the innermost call and returns its position.
    fn exit(&mut self, thread: u32) -> Option<u32> {
        let thread = &mut self.threads[thread as usize];
        let number = thread.stack.pop()?;
        let method = self.calls[number as usize].method;
        if let Some(depth) = thread.on_stack.get_mut(&method) {
            *depth -= 1;
            if *depth == 0 {
                thread.on_stack.remove(&method);
            }
        }
        if !self.clock.has_wall() {
            self.steps.push(Step::Exit(number));
        }
        Some(number)
    }

    /// Handles an exit record. On an empty stack it does nothing, like the original: the call began
    /// before the recording. A mismatch, which crashes the original, is repaired.
    fn leave(&mut self, thread: u32, method: u32, cpu: i64, wall: i64) {
        let state = &self.threads[thread as usize];
        if state.stack.is_empty() {
            return;
        }
        if !state.on_stack.contains_key(&method) {
            self.mended.unmatched_exits += 1;
            return;
        }
        while let Some(number) = self.exit(thread) {
            let call = &mut self.calls[number as usize];
            (call.cpu_end, call.wall_end) = (cpu, wall);
            if call.method == method {
                return;
            }
            self.mended.missing_exits += 1;
        }
    }

    /// CPU clock only: if the record's thread differs from the last one, inserts a context switch.
    /// It lies in the middle of the CPU time that the thread spent around it, and takes no CPU time
    /// itself.
    fn switch_by_thread(&mut self, thread: u32, cpu_elapsed: i64) {
        let before = self.running.replace(thread);
        let Some(before) = before.filter(|&before| before != thread) else {
            return;
        };
        let switch = self.enter(before, CONTEXT_SWITCH);
        self.calls[switch as usize].cpu_start = self.threads[before as usize].cpu_end;
        if self.top(thread).method != CONTEXT_SWITCH {
            return;
        }
        if let Some(resumed) = self.exit(thread) {
            let resumed = &mut self.calls[resumed as usize];
            resumed.cpu_start = resumed.cpu_start.wrapping_add(cpu_elapsed / 2);
            resumed.cpu_end = resumed.cpu_start;
        }
    }

    /// Both clocks: wall time that runs well ahead of CPU time was spent off the CPU.
    fn switch_by_sleep(&mut self, thread: u32, cpu_elapsed: i64, wall_elapsed: i64) {
        if wall_elapsed.wrapping_sub(cpu_elapsed) <= SWITCH_US {
            return;
        }
        let switch = self.enter(thread, CONTEXT_SWITCH);
        let (cpu, wall) = self.threads[thread as usize].now();
        let before = cpu_elapsed / 2;
        let after = cpu_elapsed.wrapping_sub(before);
        let call = &mut self.calls[switch as usize];
        call.wall_start = wall.wrapping_sub(wall_elapsed).wrapping_add(before);
        call.wall_end = wall.wrapping_sub(after);
        call.cpu_start = cpu.wrapping_sub(after);
        call.cpu_end = call.cpu_start;
        self.exit(thread);
    }

    /// Closes open calls, rebuilds the time line if necessary, and computes all sums. Returns the
    /// CPU and wall time of all threads, µs.
    pub(crate) fn finish(&mut self) -> (i64, i64) {
        self.close_open_calls();
        if !self.clock.has_wall() {
            self.rebuild_wall_time();
        }
        self.sum_calls();
        self.sum_threads()
    }

    fn close_open_calls(&mut self) {
        for thread in &mut self.threads {
            for number in std::mem::take(&mut thread.stack) {
                let call = &mut self.calls[number as usize];
                (call.cpu_end, call.wall_end) = (thread.cpu_end, thread.wall_end);
            }
        }
    }

    /// Concatenates the CPU times of the threads. The root of a thread counts from CPU time 0, so a
    /// thread that begins late moves the line back by the CPU time it had used before. This quirk
    /// of the original is kept.
    fn rebuild_wall_time(&mut self) {
        let mut now = 0_i64;
        for step in std::mem::take(&mut self.steps) {
            let (number, is_exit) = match step {
                Step::Root(thread) => {
                    let thread = &mut self.threads[thread as usize];
                    let cpu = thread.root.cpu_start;
                    thread.advance_line(&mut now, cpu);
                    continue;
                }
                Step::Enter(number) => (number, false),
                Step::Exit(number) => (number, true),
            };
            let call = &mut self.calls[number as usize];
            let thread = &mut self.threads[call.thread as usize];
            if is_exit {
                thread.advance_line(&mut now, call.cpu_end);
                (call.wall_end, thread.wall_end) = (now, now);
            } else {
                thread.advance_line(&mut now, call.cpu_start);
                call.wall_start = now;
            }
        }
    }

    /// In the list, callees come after their callers, so one backward pass computes all sums.
    fn sum_calls(&mut self) {
        for number in (0..self.calls.len()).rev() {
            let call = &mut self.calls[number];
            let wall = call.wall_end.wrapping_sub(call.wall_start);
            let exclusive_wall = wall.wrapping_sub(call.inclusive_wall).max(0);
            call.inclusive_wall = wall;
            let call = *call;
            let caller = match self.calls.get_mut(call.caller as usize) {
                Some(caller) => caller,
                None => &mut self.threads[call.thread as usize].root,
            };
            caller.inclusive_cpu = caller.inclusive_cpu.wrapping_add(call.inclusive_cpu);
            caller.inclusive_wall = caller.inclusive_wall.wrapping_add(wall);
            let tally = self.methods.tally_mut(call.method);
            tally.add_exclusive(call.exclusive_cpu, exclusive_wall);
            tally.add_inclusive(call.inclusive_cpu, wall, call.is_recursive);
        }
    }

    fn sum_threads(&mut self) -> (i64, i64) {
        let mut total = (0_i64, 0_i64);
        for thread in &mut self.threads {
            let root = &mut thread.root;
            if !thread.is_empty {
                (root.cpu_start, root.cpu_end) = (thread.cpu_start, thread.cpu_end);
                (root.wall_start, root.wall_end) = (thread.wall_start, thread.wall_end);
            }
            let toplevel = self.methods.tally_mut(TOPLEVEL);
            toplevel.add_exclusive(root.exclusive_cpu, 0);
            toplevel.add_inclusive(root.inclusive_cpu, root.inclusive_wall, false);
            total.0 = total.0.wrapping_add(root.inclusive_cpu);
            total.1 = total.1.wrapping_add(root.inclusive_wall);
        }
        total
    }

    /// The sort key of threads: their time on the preferred clock, µs.
    pub(crate) fn preferred_time(&self, thread: &Thread) -> i64 {
        match self.clock {
            Clock::Wall => thread.root.inclusive_wall,
            _ => thread.root.inclusive_cpu,
        }
    }

    pub(crate) fn clock(&self) -> Clock {
        self.clock
    }
}
