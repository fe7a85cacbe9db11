//! A small scheduler: a few CPUs, one queue, priorities and time slices. It writes the text that ftrace would.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt::Write;

use super::script::{Signal, Step, Task};
use super::story::PERIOD_US;
use crate::rng::Rng;

pub(super) const CPUS: usize = 4;

/// The time slice: how long a thread runs while others of its priority wait, µs.
const TIME_SLICE_US: u64 = 4_000;

/// Start time of the trace, µs.
const START_US: u64 = 8_412_300_000;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// The thread on a CPU has finished its step, unless it left the CPU in the meantime.
    Done { cpu: usize, switches: u64 },
    /// Its time slice has ended.
    SliceOver { cpu: usize, switches: u64 },
    /// A CPU looks for something to do.
    Look { cpu: usize },
    /// A thread wakes up.
    Timer { task: usize },
    /// The disk has finished a thread's request.
    Disk { task: usize },
}

#[derive(Clone, Copy, Default)]
struct Cpu {
    running: Option<usize>,
    /// Counts the switches: events planned for an earlier thread are ignored.
    switches: u64,
    /// When the thread finishes computing.
    until: u64,
    /// A thread was assigned to this CPU.
    is_taken: bool,
    khz: u64,
}

pub(super) struct Sim {
    tasks: Vec<Task>,
    /// For each thread: its last CPU, the rest of its computing time, and why it waits for the disk.
    last_cpu: Vec<usize>,
    left: Vec<u64>,
    blocked_in: Vec<&'static str>,
    cpus: [Cpu; CPUS],
    ready: Vec<usize>,
    posted: Vec<bool>,
    waiting: Vec<Option<usize>>,
    events: BinaryHeap<Reverse<(u64, u64, Event)>>,
    planned: u64,
    now: u64,
    sector: u64,
    rng: Rng,
    out: String,
}

impl Sim {
    pub fn new(tasks: Vec<Task>, signals: usize) -> Self {
        let count = tasks.len();
        let mut sim = Self {
            tasks,
            last_cpu: (0..count).map(|task| task % CPUS).collect(),
            left: vec![0; count],
            blocked_in: vec![""; count],
            cpus: [Cpu::default(); CPUS],
            ready: Vec::new(),
            posted: vec![false; signals],
            waiting: vec![None; signals],
            events: BinaryHeap::new(),
            planned: 0,
            now: 0,
            sector: 48_817_152,
            rng: Rng::new(33),
            out: String::from(HEADER),
        };
        // Every thread wakes up once, one after the other, and then waits for its part.
        (0..count).for_each(|task| sim.plan(task as u64 * 40, Event::Timer { task }));
        sim
    }

    pub fn run(mut self, length_us: u64) -> String {
        while let Some(Reverse((at, _, event))) = self.events.pop() {
            if at > length_us {
                break;
            }
            self.now = self.now.max(at);
            match event {
                Event::Done { cpu, switches } if self.cpus[cpu].switches == switches => {
                    self.go_on(cpu)
                }
                Event::SliceOver { cpu, switches } if self.cpus[cpu].switches == switches => {
                    self.slice_over(cpu);
                }
                Event::Done { .. } | Event::SliceOver { .. } => {}
                Event::Look { cpu } => self.look(cpu),
                Event::Timer { task } => {
                    let cpu = self.last_cpu[task];
                    self.wake(task, cpu);
                }
                Event::Disk { task } => self.disk_done(task),
            }
        }
        let lines = self
            .out
            .lines()
            .filter(|line| !line.starts_with('#'))
            .count();
        let (written, total) = ("written: 0/0", format!("written: {lines}/{lines}"));
        self.out.replacen(written, &total, 1)
    }

    fn plan(&mut self, at: u64, event: Event) {
        self.planned += 1;
        self.events.push(Reverse((at, self.planned, event)));
    }

    fn line(&mut self, cpu: usize, event: &str, fields: &str) {
        let at = START_US + self.now;
        let (seconds, micros) = (at / 1_000_000, at % 1_000_000);
        match self.cpus[cpu].running.map(|task| &self.tasks[task]) {
            Some(task) => {
                let Task {
                    comm, tid, tgid, ..
                } = task;
                write!(self.out, "{comm:>16}-{tid:<5} ({tgid:>5})").unwrap();
            }
            None => write!(self.out, "{:>16}-{:<5} (-----)", "<idle>", 0).unwrap(),
        }
        writeln!(
            self.out,
            " [{cpu:03}] d..2. {seconds}.{micros:06}: {event}: {fields}"
        )
        .unwrap();
    }

    /// Runs the steps of the thread on a CPU until one takes time.
    fn go_on(&mut self, cpu: usize) {
        while let Some(task) = self.cpus[cpu].running {
            match self.tasks[task].steps.pop_front() {
                Some(Step::Run(us)) => return self.compute(cpu, us),
                Some(Step::Line(event, fields)) => self.line(cpu, event, &fields),
                Some(Step::Post(signal)) => self.post(signal, cpu),
                Some(Step::Wait(signal)) if std::mem::take(&mut self.posted[signal]) => {}
                Some(Step::Wait(signal)) => {
                    self.waiting[signal] = Some(task);
                    return self.switch(cpu, "S");
                }
                Some(Step::Until(at)) if at <= self.now => {}
                Some(Step::Until(at)) => return self.sleep(cpu, task, at),
                Some(Step::Tick(offset)) => {
                    let next = (self.now + PERIOD_US - offset) / PERIOD_US * PERIOD_US + offset;
                    let late = self.rng.between(3, 40);
                    return self.sleep(cpu, task, next + late);
                }
                Some(Step::Disk(us, function)) => return self.disk(cpu, task, us, function),
                None => return self.switch(cpu, "S"),
            }
        }
    }

    fn compute(&mut self, cpu: usize, us: u64) {
        self.cpus[cpu].until = self.now + us;
        let switches = self.cpus[cpu].switches;
        self.plan(self.now + us, Event::Done { cpu, switches });
    }

    fn sleep(&mut self, cpu: usize, task: usize, at: u64) {
        self.plan(at, Event::Timer { task });
        self.switch(cpu, "S");
    }

    fn post(&mut self, signal: Signal, cpu: usize) {
        match self.waiting[signal].take() {
            Some(task) => self.wake(task, cpu),
            None => self.posted[signal] = true,
        }
    }

    fn disk(&mut self, cpu: usize, task: usize, us: u64, function: &'static str) {
        self.sector += 8 * self.rng.between(1, 900);
        let fields = format!(
            "259,31 RA 65536 () {} + 128 [{}]",
            self.sector, self.tasks[task].comm
        );
        self.line(cpu, "block_rq_issue", &fields);
        self.blocked_in[task] = function;
        self.plan(self.now + us, Event::Disk { task });
        self.switch(cpu, "D");
    }

    fn disk_done(&mut self, task: usize) {
        let cpu = self.rng.index(CPUS);
        self.line(cpu, "irq_handler_entry", "irq=254 name=ufshcd");
        let fields = format!("259,31 RA () {} + 128 [0]", self.sector);
        self.line(cpu, "block_rq_complete", &fields);
        let (tid, caller) = (self.tasks[task].tid, self.blocked_in[task]);
        self.line(
            cpu,
            "sched_blocked_reason",
            &format!("pid={tid} iowait=1 caller={caller}"),
        );
        self.wake(task, cpu);
        self.now += 4;
        self.line(cpu, "irq_handler_exit", "irq=254 ret=handled");
    }

    /// Wakes a thread on behalf of the thread on `cpu`.
    fn wake(&mut self, task: usize, cpu: usize) {
        let target = self.target(task);
        let Task {
            comm, tid, prio, ..
        } = &self.tasks[task];
        let fields = format!("comm={comm} pid={tid} prio={prio} target_cpu={target:03}");
        self.line(cpu, "sched_waking", &fields);
        self.ready.push(task);
        self.cpus[target].is_taken = true;
        let latency = self.rng.between(3, 12);
        self.plan(self.now + latency, Event::Look { cpu: target });
    }

    /// The CPU for a thread: its last one if that is idle, else any idle one, else the one with the least important thread.
    fn target(&self, task: usize) -> usize {
        let is_idle = |cpu: usize| self.cpus[cpu].running.is_none() && !self.cpus[cpu].is_taken;
        let last = self.last_cpu[task];
        if is_idle(last) {
            return last;
        }
        let prio = |cpu: &usize| {
            self.cpus[*cpu]
                .running
                .map_or(0, |task| self.tasks[task].prio)
        };
        let idle = (0..CPUS).find(|&cpu| is_idle(cpu));
        idle.or_else(|| (0..CPUS).max_by_key(prio)).unwrap_or(last)
    }

    /// The ready thread with the highest priority; among equals, the one that has waited longest.
    fn best(&self) -> Option<usize> {
        let places = 0..self.ready.len();
        places.min_by_key(|&place| self.tasks[self.ready[place]].prio)
    }

    fn look(&mut self, cpu: usize) {
        self.cpus[cpu].is_taken = false;
        let Some(best) = self.best() else {
            return;
        };
        let prio = self.tasks[self.ready[best]].prio;
        match self.cpus[cpu].running {
            None => self.switch(cpu, "R"),
            Some(running) if self.tasks[running].prio > prio => self.preempt(cpu),
            Some(_) => {}
        }
    }

    fn slice_over(&mut self, cpu: usize) {
        let Some(running) = self.cpus[cpu].running else {
            return;
        };
        let best = self.best().map(|place| self.tasks[self.ready[place]].prio);
        if best.is_some_and(|prio| prio <= self.tasks[running].prio) {
            return self.preempt(cpu);
        }
        let switches = self.cpus[cpu].switches;
        self.plan(self.now + TIME_SLICE_US, Event::SliceOver { cpu, switches });
    }

    fn preempt(&mut self, cpu: usize) {
        if let Some(running) = self.cpus[cpu].running {
            self.left[running] = self.cpus[cpu].until.saturating_sub(self.now).max(1);
            self.switch(cpu, "R+");
            self.ready.push(running);
        }
    }

    /// Switches a CPU from its thread, which is then in `state`, to the best ready one.
    fn switch(&mut self, cpu: usize, state: &str) {
        let next = self.best().map(|place| self.ready.remove(place));
        let prev = self.cpus[cpu].running;
        let describe = |task: Option<usize>| match task.map(|task| &self.tasks[task]) {
            Some(task) => (task.comm.to_owned(), task.tid, task.prio),
            None => (format!("swapper/{cpu}"), 0, 120),
        };
        let ((from, from_tid, from_prio), (to, to_tid, to_prio)) = (describe(prev), describe(next));
        if prev.is_none() {
            self.line(cpu, "cpu_idle", &format!("state=4294967295 cpu_id={cpu}"));
        }
        let fields = format!(
            "prev_comm={from} prev_pid={from_tid} prev_prio={from_prio} prev_state={state} ==> \
             next_comm={to} next_pid={to_tid} next_prio={to_prio}"
        );
        self.line(cpu, "sched_switch", &fields);
        self.cpus[cpu].running = next;
        self.cpus[cpu].switches += 1;
        match next {
            Some(next) => self.arrive(cpu, next),
            None => self.line(cpu, "cpu_idle", &format!("state=1 cpu_id={cpu}")),
        }
    }

    fn arrive(&mut self, cpu: usize, task: usize) {
        self.last_cpu[task] = cpu;
        self.frequency(cpu);
        let switches = self.cpus[cpu].switches;
        self.plan(self.now + TIME_SLICE_US, Event::SliceOver { cpu, switches });
        let left = std::mem::take(&mut self.left[task]).max(1);
        self.compute(cpu, left);
    }

    /// The governor adjusts the frequency of a CPU from time to time.
    fn frequency(&mut self, cpu: usize) {
        if !self.rng.chance(6) {
            return;
        }
        let steps: &[u64] = match cpu {
            0 | 1 => &[300_000, 787_200, 1_401_600, 1_804_800],
            _ => &[825_600, 1_574_400, 2_131_200, 2_841_600],
        };
        let khz = steps[self.rng.index(steps.len())];
        if std::mem::replace(&mut self.cpus[cpu].khz, khz) != khz {
            self.line(cpu, "cpu_frequency", &format!("state={khz} cpu_id={cpu}"));
        }
    }
}

const HEADER: &str = "\
# tracer: nop
#
# entries-in-buffer/entries-written: 0/0   #P:4
#
#                                      _-----=> irqs-off
#                                     / _----=> need-resched
#                                    | / _---=> hardirq/softirq
#                                    || / _--=> preempt-depth
#                                    ||| / _-=> migrate-disable
#           TASK-PID    TGID   CPU#  |||||  TIMESTAMP  FUNCTION
#              | |        |      |   |||||     |         |
";
