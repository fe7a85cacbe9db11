//! The steps of a thread.

use std::collections::VecDeque;

use crate::rng::Rng;

/// A signal that threads wait for and others post. One pending post is remembered.
pub(super) type Signal = usize;

/// Creates signals.
#[derive(Default)]
pub(super) struct Signals(usize);

impl Signals {
    pub fn make(&mut self) -> Signal {
        self.0 += 1;
        self.0 - 1
    }

    pub fn count(&self) -> usize {
        self.0
    }
}

/// A step of a thread.
pub(super) enum Step {
    /// Computes for this time, µs.
    Run(u64),
    /// An event that the kernel writes while the thread runs: its name and fields.
    Line(&'static str, String),
    Post(Signal),
    Wait(Signal),
    /// Sleeps until this time, µs after the start.
    Until(u64),
    /// Sleeps until the display's next tick and this much more, µs.
    Tick(u64),
    /// Waits for the disk for this time, µs, in this kernel function.
    Disk(u64, &'static str),
}

/// A thread: its identity and its steps.
pub(super) struct Task {
    pub comm: &'static str,
    pub tid: u32,
    pub tgid: u32,
    pub prio: u32,
    pub steps: VecDeque<Step>,
}

/// Writes a thread's steps.
pub(super) struct Script {
    task: Task,
    rng: Rng,
}

impl Script {
    pub fn new(comm: &'static str, tid: u32, tgid: u32, prio: u32) -> Self {
        Self {
            task: Task {
                comm,
                tid,
                tgid,
                prio,
                steps: VecDeque::new(),
            },
            rng: Rng::new(tid.into()),
        }
    }

    pub fn done(self) -> Task {
        self.task
    }

    pub fn step(&mut self, step: Step) -> &mut Self {
        self.task.steps.push_back(step);
        self
    }

    /// Uses the CPU for this time, µs, plus or minus up to a quarter.
    pub fn run(&mut self, us: u64) -> &mut Self {
        let us = self.rng.between(us * 3 / 4, us * 5 / 4 + 1).max(1);
        self.step(Step::Run(us))
    }

    pub fn mark(&mut self, text: String) -> &mut Self {
        self.step(Step::Line("tracing_mark_write", text));
        let us = self.rng.between(1, 5);
        self.step(Step::Run(us))
    }

    pub fn begin(&mut self, name: &str) -> &mut Self {
        self.mark(format!("B|{}|{name}", self.task.tgid))
    }

    pub fn end(&mut self) -> &mut Self {
        self.mark(format!("E|{}", self.task.tgid))
    }

    /// A slice in which the thread computes.
    pub fn slice(&mut self, name: &str, us: u64) -> &mut Self {
        self.begin(name).run(us).end()
    }

    /// A slice with more inside.
    pub fn within(&mut self, name: &str, inside: impl FnOnce(&mut Self)) -> &mut Self {
        self.begin(name);
        inside(self);
        self.end()
    }

    pub fn count(&mut self, name: &str, value: u64) -> &mut Self {
        self.mark(format!("C|{}|{name}|{value}", self.task.tgid))
    }

    pub fn start_async(&mut self, name: &str, cookie: u64) -> &mut Self {
        self.mark(format!("S|{}|{name}|{cookie}", self.task.tgid))
    }

    pub fn finish_async(&mut self, name: &str, cookie: u64) -> &mut Self {
        self.mark(format!("F|{}|{name}|{cookie}", self.task.tgid))
    }

    pub fn post(&mut self, signal: Signal) -> &mut Self {
        self.step(Step::Post(signal))
    }

    pub fn wait(&mut self, signal: Signal) -> &mut Self {
        self.step(Step::Wait(signal))
    }

    pub fn disk(&mut self, us: u64, function: &'static str) -> &mut Self {
        let us = self.rng.between(us * 3 / 4, us * 5 / 4);
        self.step(Step::Disk(us, function))
    }

    /// Calls another process and waits for the answer.
    pub fn call(&mut self, line: &Line) -> &mut Self {
        let Line { id, server, .. } = *line;
        let fields = format!(
            "transaction={id} dest_node={} dest_proc={server} dest_thread=0 reply=0 flags=0x12 code=0x{:x}",
            7_000 + server,
            id % 9 + 1
        );
        self.step(Step::Line("binder_transaction", fields)).run(6);
        self.post(line.call).wait(line.reply);
        let received = format!("transaction={}", id + 1);
        self.step(Step::Line("binder_transaction_received", received))
            .run(4)
    }

    /// Answers a call of another process.
    pub fn answer(&mut self, line: &Line, inside: impl FnOnce(&mut Self)) -> &mut Self {
        let Line {
            id, client, thread, ..
        } = *line;
        let received = format!("transaction={id}");
        self.wait(line.call);
        self.step(Step::Line("binder_transaction_received", received))
            .run(5);
        inside(self);
        let fields = format!(
            "transaction={} dest_node=0 dest_proc={client} dest_thread={thread} reply=1 flags=0x0 code=0x0",
            id + 1
        );
        self.step(Step::Line("binder_transaction", fields)).run(5);
        self.post(line.reply)
    }
}

/// A call between processes.
#[derive(Clone, Copy)]
pub(super) struct Line {
    /// The call's number; its answer has the next.
    pub id: u32,
    pub call: Signal,
    pub reply: Signal,
    pub server: u32,
    pub client: u32,
    pub thread: u32,
}
