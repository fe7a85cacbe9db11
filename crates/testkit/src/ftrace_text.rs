//! Synthetic ftrace text of any size, for benchmarks.

use std::fmt::Write;

use crate::rng::Rng;

/// The threads: tid, tgid, name.
const THREADS: &[(u32, u32, &str)] = &[
    (1412, 1412, "com.example.app"),
    (1431, 1412, "RenderThread"),
    (1433, 1412, "binder:1412_1"),
    (520, 520, "surfaceflinger"),
    (533, 520, "app-sf vsync"),
    (870, 812, "android.display"),
    (8, 8, "kworker/0:1H"),
    (231, 231, "mmc-cmdqd/0"),
];

/// About `bytes` bytes of ftrace text with a TGID column, for 4 CPUs. The mix is that of a typical recording: two thirds
/// scheduler events, a quarter trace marks, the rest frequencies and interrupts.
pub fn ftrace_text(bytes: usize, seed: u64) -> Vec<u8> {
    let mut maker = Maker {
        out: String::with_capacity(bytes + 512),
        rng: Rng::new(seed),
        now_us: 1_000_000_000,
        running: [None; 4],
        open: vec![0; THREADS.len()],
    };
    maker.header();
    while maker.out.len() < bytes {
        maker.event();
    }
    maker.out.into_bytes()
}

struct Maker {
    out: String,
    rng: Rng,
    now_us: u64,
    /// The thread on each CPU; `None` if idle.
    running: [Option<usize>; 4],
    /// Number of open trace marks of each thread.
    open: Vec<u32>,
}

impl Maker {
    fn header(&mut self) {
        self.out.push_str(
            "# tracer: nop\n#\n# entries-in-buffer/entries-written: 100/100   #P:4\n#\n\
             #                                      _-----=> irqs-off\n\
             #                                     / _----=> need-resched\n\
             #                                    | / _---=> hardirq/softirq\n\
             #                                    || / _--=> preempt-depth\n\
             #                                    ||| /     delay\n\
             #           TASK-PID    TGID   CPU#  ||||    TIMESTAMP  FUNCTION\n\
             #              | |        |      |   ||||       |         |\n",
        );
    }

    fn event(&mut self) {
        self.now_us += self.rng.between(1, 12);
        let cpu = self.rng.index(self.running.len());
        match (self.rng.below(100), self.running[cpu]) {
            (0..=29, _) => self.switch(cpu),
            (30..=62, _) => self.wake(cpu),
            (63..=91, Some(thread)) => self.mark(cpu, thread),
            (92..=95, _) => self.frequency(cpu),
            _ => self.interrupt(cpu),
        }
    }

    /// The columns in front of every event.
    fn prefix(&mut self, cpu: usize) {
        let (seconds, micros) = (self.now_us / 1_000_000, self.now_us % 1_000_000);
        let (tid, tgid, name) =
            self.running[cpu].map_or((0, 0, "<idle>"), |thread| THREADS[thread]);
        if tid == 0 {
            write!(self.out, "{name:>16}-{tid:<7} (-----) ").unwrap();
        } else {
            write!(self.out, "{name:>16}-{tid:<7} ({tgid:>5}) ").unwrap();
        }
        write!(self.out, "[{cpu:03}] d..2 {seconds:>5}.{micros:06}: ").unwrap();
    }

    fn switch(&mut self, cpu: usize) {
        self.prefix(cpu);
        let next = Some(self.rng.index(THREADS.len() * 2)).filter(|&next| next < THREADS.len());
        let next = next.filter(|next| !self.running.contains(&Some(*next)));
        let task =
            |thread: Option<usize>| thread.map_or((0, 0, "swapper"), |thread| THREADS[thread]);
        let ((from, _, from_name), (to, _, to_name)) = (task(self.running[cpu]), task(next));
        let state = ["R", "S", "S", "D", "R+"][self.rng.index(5)];
        writeln!(
            self.out,
            "sched_switch: prev_comm={from_name} prev_pid={from} prev_prio=120 prev_state={state} \
             ==> next_comm={to_name} next_pid={to} next_prio=120"
        )
        .unwrap();
        self.running[cpu] = next;
    }

    fn wake(&mut self, cpu: usize) {
        self.prefix(cpu);
        let (tid, _, name) = THREADS[self.rng.index(THREADS.len())];
        let target = self.rng.below(4);
        writeln!(
            self.out,
            "sched_waking: comm={name} pid={tid} prio=120 target_cpu={target:03}"
        )
        .unwrap();
    }

    fn mark(&mut self, cpu: usize, thread: usize) {
        const NAMES: [&str; 6] = [
            "Choreographer#doFrame",
            "draw",
            "measure",
            "layout",
            "RV OnBindView",
            "DrawFrames 7",
        ];
        self.prefix(cpu);
        let (_, tgid, _) = THREADS[thread];
        let name = NAMES[self.rng.index(NAMES.len())];
        if self.rng.chance(8) {
            let value = self.rng.below(100);
            writeln!(self.out, "tracing_mark_write: C|{tgid}|aq:pending|{value}").unwrap();
        } else if self.open[thread] > 0 && (self.open[thread] > 5 || self.rng.chance(50)) {
            self.open[thread] -= 1;
            writeln!(self.out, "tracing_mark_write: E|{tgid}").unwrap();
        } else {
            self.open[thread] += 1;
            writeln!(self.out, "tracing_mark_write: B|{tgid}|{name}").unwrap();
        }
    }

    fn frequency(&mut self, cpu: usize) {
        self.prefix(cpu);
        let state = self.rng.between(3, 25) * 100_000;
        writeln!(self.out, "cpu_frequency: state={state} cpu_id={cpu}").unwrap();
    }

    fn interrupt(&mut self, cpu: usize) {
        self.prefix(cpu);
        writeln!(self.out, "irq_handler_entry: irq=27 name=arch_timer").unwrap();
        self.now_us += 3;
        self.prefix(cpu);
        writeln!(self.out, "irq_handler_exit: irq=27 ret=handled").unwrap();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_complete() {
        let text = String::from_utf8(ftrace_text(20_000, 1)).unwrap();
        assert!(text.ends_with('\n') && text.len() < 21_000);
        let events = text.lines().filter(|line| !line.starts_with('#'));
        assert!(
            events
                .into_iter()
                .all(|line| line.contains("] d..2  1000."))
        );
    }
}
