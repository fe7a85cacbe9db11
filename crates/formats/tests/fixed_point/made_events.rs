//! Generates lines of ftrace text from numbers.

use std::collections::BTreeSet;
use std::fmt::Write;

/// Texts of the events that make slices in pairs.
#[path = "../../src/ftrace/pairs/samples.rs"]
mod samples;

pub(crate) use samples::SAMPLES;

/// tid, tgid, name and a later name.
const THREADS: &[(i32, i32, &str, &str)] = &[
    (10, 10, "main", "com.example.app"),
    (11, 10, "RenderThread", "RenderThread"),
    (21, 20, "binder:20_1", "binder:20_1"),
    (20, 20, "system server", "system_server"),
    (7, 7, "kworker/0:1", "kworker/0:1-mm"),
];

const STATES: &[&str] = &["S", "R", "R+", "D", "S", "D|K", "I", "X"];
const PRIORITIES: &[i32] = &[120, 97, 98, 139, 0, 49];
/// The flags column of wake-ups. The first one is also used for other events.
const FLAGS: &[&str] = &["....", "d.h.", "d..4", "dNs2"];
const NAMES: &[&str] = &["draw", "a|b", "", "x: y=1", "Choreographer#doFrame 12"];
const VALUES: &[&str] = &[
    "0",
    "7",
    "-3",
    "0.5",
    "9007199254740993",
    "-9223372036854775808",
    "1e300",
    "-0.0",
];

/// Other events, with `{}` for a small number.
const OTHERS: &[&str] = &[
    "cpu_idle: state=4294967295 cpu_id={}",
    "cpu_idle: state=2 cpu_id={}",
    "cpu_frequency: state=1708800 cpu_id={}",
    "cpu_frequency_limits: min=300000 max=1708800 cpu_id={}",
    "clock_set_rate: gcc_clk state=200000000 cpu_id={}",
    "clock_enable: gcc_clk state=1 cpu_id={}",
    "clock_disable: gcc_clk state=0 cpu_id={}",
    "gpu_frequency: gpu_id={} state=585000",
    "thermal_temperature: thermal_zone=soc id={} temp_prev=68794 temp=68786",
    "cdev_update: type=thermal-cpufreq-{} target=0",
    "suspend_resume: dpm_suspend[{}] begin",
    "suspend_resume: dpm_suspend[{}] end",
    "block_rq_issue: 8,0 WS 4096 () 6{} + 8 [app]",
    "block_rq_complete: 8,0 WS () 6{} + 8 [0]",
    "block_rq_requeue: 8,0 WS () 6{} + 8 [0]",
    "binder_transaction: transaction={} dest_node=3 dest_proc=20 dest_thread=0 reply=0 flags=0x10 code=0x1",
    "binder_transaction: transaction={} dest_node=3 dest_proc=20 dest_thread=0 reply=0 flags=0x11 code=0x1",
    "binder_transaction: transaction={} dest_node=0 dest_proc=10 dest_thread=10 reply=1 flags=0x0 code=0x0",
    "binder_transaction_received: transaction={}",
    "oom_score_adj_update: pid=10 comm=main oom_score_adj=90{}",
    "rss_stat: mm_id=17 curr=1 type=MM_ANONPAGES size=409{}B",
    "rss_stat: mm_id=17 curr=0 type=MM_FILEPAGES size=409{}B",
    "rss_stat: member=1 size=409{}B",
    "ion_heap_grow: heap_name=system, len=4096, total_allocated=819{}",
    "ion_stat: buffer_id=1 len=4096 total_allocated=819{}",
    "dma_heap_stat: inode=1 len=4096 total_allocated=819{}",
    "gpu_mem_total: gpu_id=0 pid={} size=4096",
    "sched_process_exit: comm=main pid=5{} prio=120",
    "sched_process_exec: filename=/system/bin/app pid=10 old_pid=5{}",
    "sched_process_fork: comm=main pid=10 child_comm=main child_pid=5{}",
    "task_newtask: pid=5{} comm=main clone_flags=3d0f00 oom_score_adj=0",
    "task_newtask: pid=5{} comm=main clone_flags=1200011 oom_score_adj=0",
    "task_rename: pid=5{} oldcomm=main newcomm=app oom_score_adj=0",
    "sched_stat_runtime: comm=main pid=10 runtime={}572 [ns]",
    "sched_stat_runtime: comm=RenderThread pid=11 runtime={}0572 [ns]",
    "some_event: a={} b=0xff name=x y",
    "tracing_mark_write: trace_event_clock_sync: parent_ts=12.00000{}",
    "tracing_mark_write: plain text {}",
    "vfs_read <-ksys_read",
];

/// A text that is being generated.
pub struct Maker {
    pub text: String,
    holes: bool,
    now_us: u64,
    /// The flags of the next line.
    flags: &'static str,
    /// The thread on each CPU, if it is known and not the idle thread.
    running: [Option<usize>; 3],
    /// Whether the thread on each CPU is known.
    switched: [bool; 3],
    renamed: bool,
    /// The kind of table that the last event went to.
    last_table: usize,
    /// Open slices of each thread, and open asynchronous ones.
    open: [usize; THREADS.len()],
    open_async: BTreeSet<String>,
}

impl Maker {
    /// A text without steps. With `holes`, a third of the switches is left out, and threads appear on CPUs that are
    /// idle.
    pub fn new(holes: bool) -> Self {
        let mut maker = Self {
            holes,
            text: "# tracer: nop\n#\n".to_owned(),
            now_us: 1_000_000,
            flags: FLAGS[0],
            running: [None; 3],
            switched: [false; 3],
            renamed: false,
            last_table: 3,
            open: [0; THREADS.len()],
            open_async: BTreeSet::new(),
        };
        // Some events are not kept, such as ends without a begin. Here, another event gives the information that only
        // their columns had.
        for (thread, (_, tgid, ..)) in THREADS.iter().enumerate() {
            maker.line(0, thread, &format!("tracing_mark_write: I|{tgid}|here"));
        }
        maker
    }

    /// Adds the event that these numbers select.
    pub fn step(&mut self, [kind, a, b, c]: [u16; 4]) {
        let table = usize::from(kind % 20) / 5;
        // The tables do not store the order between switches, wake-ups, marks and other events of the same time.
        self.now_us += u64::from(a % 4).max((table == 3 || self.last_table != table).into());
        self.last_table = table;
        let (cpu, a, b) = (usize::from(a >> 4) % 3, usize::from(b), usize::from(c));
        let thread = self.running[cpu].unwrap_or(a % THREADS.len());
        match kind % 20 {
            0..=4 => self.switch(cpu, a, b),
            5..=8 => self.wake(cpu, thread, a, b),
            9 => {
                let (caller, (tid, ..)) = (b % 3, THREADS[a % THREADS.len()]);
                let event = format!(
                    "sched_blocked_reason: pid={tid} iowait={} caller=f+0x{caller}/0x9",
                    b % 2
                );
                self.line(cpu, thread, &event);
            }
            10..=14 => {
                let mark = self.mark(thread, a, b);
                self.line(cpu, thread, &format!("tracing_mark_write: {mark}"));
            }
            15..=16 => {
                let event = OTHERS[a % OTHERS.len()].replace("{}", &(b % 3).to_string());
                self.line(cpu, thread, &event);
            }
            17 if !self.renamed => self.rename(cpu, thread),
            _ => self.sample(cpu, thread, a, b),
        }
    }

    fn line(&mut self, cpu: usize, thread: usize, event: &str) {
        if self.running[cpu].is_none() && self.switched[cpu] && !self.holes {
            return self.idle_line(cpu, event);
        }
        self.thread_line(cpu, thread, event);
    }

    fn thread_line(&mut self, cpu: usize, thread: usize, event: &str) {
        let (tid, tgid, ..) = THREADS[thread];
        let comm = self.comm(thread);
        let (seconds, micros) = (self.now_us / 1_000_000, self.now_us % 1_000_000);
        let flags = self.flags;
        let front = format!(
            "{comm:>16}-{tid:<7} ({tgid:>7}) [{cpu:03}] {flags} {seconds:>5}.{micros:06}: "
        );
        _ = writeln!(self.text, "{front}{event}");
    }

    fn comm(&self, thread: usize) -> &'static str {
        let (_, _, early, late) = THREADS[thread];
        if self.renamed { late } else { early }
    }

    /// Gives all threads their later names in an event, because a line that only has the name in its columns may not be
    /// kept.
    fn rename(&mut self, cpu: usize, waker: usize) {
        self.renamed = true;
        for (tid, _, _, name) in THREADS {
            let event = format!("sched_waking: comm={name} pid={tid} prio=120 target_cpu=000");
            self.line(cpu, waker, &event);
        }
    }

    /// A switch, mostly away from the thread that runs.
    fn switch(&mut self, cpu: usize, a: usize, b: usize) {
        let odd = b.is_multiple_of(13);
        let prev = if odd {
            Some(b % THREADS.len())
        } else {
            self.running[cpu]
        };
        let next = Some(a % 8).filter(|next| *next < THREADS.len());
        let next = next.filter(|next| !self.running.contains(&Some(*next)) && prev != Some(*next));
        let task = |thread: Option<usize>| match thread {
            Some(thread) => (self.comm(thread).to_owned(), THREADS[thread].0),
            None => (format!("swapper/{cpu}"), 0),
        };
        let ((prev_comm, prev_tid), (next_comm, next_tid)) = (task(prev), task(next));
        let state = if prev.is_none() {
            "R"
        } else {
            STATES[a / 8 % STATES.len()]
        };
        let prio = |n: usize| PRIORITIES[n % PRIORITIES.len()];
        let (prev_prio, next_prio) = (prio(a / 64), prio(b / 16));
        let event = format!(
            "sched_switch: prev_comm={prev_comm} prev_pid={prev_tid} prev_prio={prev_prio} prev_state={state} ==> \
             next_comm={next_comm} next_pid={next_tid} next_prio={next_prio}"
        );
        let is_left_out = self.holes && b % 3 == 1;
        match prev {
            _ if is_left_out => {}
            Some(prev) => self.thread_line(cpu, prev, &event),
            None => self.idle_line(cpu, &event),
        }
        (self.running[cpu], self.switched[cpu]) = (next, true);
    }

    fn idle_line(&mut self, cpu: usize, event: &str) {
        let (seconds, micros) = (self.now_us / 1_000_000, self.now_us % 1_000_000);
        let flags = self.flags;
        let front = format!(
            "          <idle>-0       (-------) [{cpu:03}] {flags} {seconds:>5}.{micros:06}: "
        );
        _ = writeln!(self.text, "{front}{event}");
    }

    fn wake(&mut self, cpu: usize, thread: usize, a: usize, b: usize) {
        let (tid, ..) = THREADS[a % THREADS.len()];
        let comm = self.comm(a % THREADS.len());
        let (prio, target) = (PRIORITIES[b % PRIORITIES.len()], b % 3);
        let event = match b / 8 % 5 {
            0 | 1 => {
                format!("sched_waking: comm={comm} pid={tid} prio={prio} target_cpu={target:03}")
            }
            2 => format!(
                "sched_wakeup: comm={comm} pid={tid} prio={prio} success=1 target_cpu={target:03}"
            ),
            3 => format!("sched_wakeup: comm={comm} pid={tid} prio={prio}"),
            _ => format!(
                "sched_wakeup_new: comm=main pid=6{target} prio={prio} target_cpu={target:03}"
            ),
        };
        self.flags = FLAGS[b / 40 % FLAGS.len()];
        self.line(cpu, thread, &event);
        self.flags = FLAGS[0];
    }

    /// A mark of a program. Ends have a begin.
    fn mark(&mut self, thread: usize, a: usize, b: usize) -> String {
        let (_, tgid, ..) = THREADS[thread];
        let (name, cookie) = (NAMES[b % NAMES.len()], ["7", "987654", "-1", "a1 x"][b % 4]);
        let value = VALUES[b % VALUES.len()];
        match a % 10 {
            0..=2 if self.open[thread] > 0 => {
                self.open[thread] -= 1;
                format!("E|{tgid}")
            }
            0..=4 => {
                self.open[thread] += 1;
                format!("B|{tgid}|{name}")
            }
            5 => self.toggle(["S", "F"], &format!("{tgid}|{name}"), "", cookie),
            6 => self.toggle(["G", "H"], &format!("{tgid}|lane"), name, cookie),
            7 | 8 => format!("C|{tgid}|counter {}|{value}", b % 2),
            _ if b.is_multiple_of(2) => format!("I|{tgid}|{name}"),
            _ => format!("N|{tgid}|lane|{name}"),
        }
    }

    /// Begins or ends an asynchronous slice.
    fn toggle(&mut self, [begin, end]: [&str; 2], owner: &str, name: &str, cookie: &str) -> String {
        let key = format!("{end}|{owner}|{cookie}");
        if self.open_async.remove(&key) {
            return key;
        }
        self.open_async.insert(key);
        match begin {
            "G" => format!("{begin}|{owner}|{name}|{cookie}"),
            _ => format!("{begin}|{owner}|{cookie}"),
        }
    }

    /// An event of the table of pairs.
    fn sample(&mut self, cpu: usize, thread: usize, a: usize, b: usize) {
        let (names, text) = SAMPLES[a % SAMPLES.len()];
        let names: Vec<&str> = names.split(' ').collect();
        let name = names[b % names.len()];
        self.line(cpu, thread, &format!("{name}: {}", sample_text(text)));
    }
}

/// The text of a sample, with values in the place of its fields.
pub fn sample_text(sample: &str) -> String {
    let (mut shown, mut rest) = (String::new(), sample);
    while let Some((before, field)) = rest.split_once('{') {
        let (field, after) = field.split_once('}').expect("closed");
        let (_, value) = field.split_once('=').expect("a value");
        shown += before;
        shown += &value_text(before, value);
        rest = after;
    }
    shown + rest
}

/// A value after the text `before`. After `0x`, it is hexadecimal.
fn value_text(before: &str, value: &str) -> String {
    match value.parse::<i64>() {
        Ok(number) if before.ends_with("0x") => format!("{number:x}"),
        _ => value.to_owned(),
    }
}
