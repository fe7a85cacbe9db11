//! Synthetic traces, small and large.

use super::events::{DatEvent, DatValue};
use super::file::{DatBuffer, DatBytes};
use super::pages::RingPages;
use super::{DatCompression, Machine};
use crate::rng::Rng;

const MAIN: (&str, i64) = ("com.example.app", 4711);
const RENDER: (&str, i64) = ("RenderThread", 4720);
const IDLE: (&str, i64) = ("swapper/0", 0);

/// Collects events.
struct Script {
    events: Vec<DatEvent>,
    ts: u64,
}

impl Script {
    fn event(&mut self, cpu: usize, tid: i64, name: &'static str, values: Vec<DatValue>) {
        self.ts += 1_000;
        self.events.push(DatEvent {
            ts: self.ts,
            cpu,
            tid: tid as u32,
            name,
            values,
        });
    }

    fn switch(&mut self, cpu: usize, prev: (&str, i64), state: i64, next: (&str, i64)) {
        let values = vec![
            prev.0.into(),
            prev.1.into(),
            120.into(),
            state.into(),
            next.0.into(),
            next.1.into(),
            110.into(),
        ];
        self.event(cpu, prev.1, "sched_switch", values);
    }

    fn wake(&mut self, cpu: usize, by: i64, name: &'static str, thread: (&str, i64)) {
        let values = vec![thread.0.into(), thread.1.into(), 120.into(), 1.into()];
        self.event(cpu, by, name, values);
    }

    fn print(&mut self, cpu: usize, tid: i64, text: &str) {
        self.event(cpu, tid, "print", vec![0x1000.into(), text.into()]);
    }
}

/// An app that draws six frames, with interrupts, a disk request, kernel functions and `trace_printk`: one or two of every
/// event that the assembler supports.
pub fn small_dat_events() -> Vec<DatEvent> {
    let mut script = Script {
        events: Vec::new(),
        ts: 1_000_000_000,
    };
    for frame in 0..6 {
        scene(&mut script, frame);
        // Too long for the time bits of a record.
        script.ts += 300_000_000;
    }
    script.events
}

fn scene(s: &mut Script, frame: i64) {
    s.event(0, 0, "cpu_idle", vec![0xffff_ffff.into(), 0.into()]);
    s.event(
        0,
        0,
        "irq_handler_entry",
        vec![23.into(), "arch_timer".into()],
    );
    s.wake(0, 0, "sched_waking", MAIN);
    s.wake(0, 0, "sched_wakeup", MAIN);
    s.event(0, 0, "irq_handler_exit", vec![23.into(), 1.into()]);
    s.event(0, 0, "softirq_entry", vec![7.into()]);
    s.event(0, 0, "softirq_exit", vec![7.into()]);
    s.switch(0, IDLE, 0, MAIN);
    s.print(0, MAIN.1, &format!("B|4711|doFrame {frame}\n"));
    s.print(0, MAIN.1, &format!("C|4711|pending|{frame}\n"));
    let kmalloc = vec![0x2010.into(), 0x7f00.into(), 64.into(), 0xd00.into()];
    s.event(0, MAIN.1, "kmalloc", kmalloc);
    s.event(0, MAIN.1, "cpu_frequency", vec![1_800_000.into(), 0.into()]);
    s.wake(0, MAIN.1, "sched_waking", RENDER);
    s.switch(1, ("swapper/1", 0), 0, RENDER);
    s.print(1, RENDER.1, "B|4711|draw");
    let issue = [0x0080_0000, 2048, 8, 4096].map(DatValue::Number).to_vec();
    let texts = ["WS", "RenderThread", ""].map(DatValue::from).to_vec();
    s.event(1, RENDER.1, "block_rq_issue", [issue, texts].concat());
    s.switch(1, RENDER, 2, ("swapper/1", 0));
    let complete = [0x0080_0000, 2048, 8, 0].map(DatValue::Number).to_vec();
    let texts = ["WS", ""].map(DatValue::from).to_vec();
    s.event(1, 0, "block_rq_complete", [complete, texts].concat());
    s.switch(1, ("swapper/1", 0), 0, RENDER);
    s.event(
        1,
        RENDER.1,
        "funcgraph_entry",
        vec![0x2000.into(), 0.into()],
    );
    s.event(
        1,
        RENDER.1,
        "funcgraph_entry",
        vec![0x3000.into(), 1.into()],
    );
    let leaf = vec![0x3000.into(), 500.into(), 900.into(), 1.into()];
    s.event(1, RENDER.1, "funcgraph_exit", leaf);
    let exit = vec![0x2000.into(), 500.into(), 2_900.into(), 0.into()];
    s.event(1, RENDER.1, "funcgraph_exit", exit);
    s.event(1, RENDER.1, "function", vec![0x2004.into(), 0x3008.into()]);
    s.event(
        1,
        RENDER.1,
        "bprint",
        vec![0x2000.into(), 0x9000.into(), "\u{7}\0\0".into()],
    );
    s.print(1, RENDER.1, "E|4711");
    let long = "text that is longer than what a record's own bits for length can tell: ".repeat(3);
    s.print(1, RENDER.1, &long);
    let fork = vec![
        "RenderThread".into(),
        RENDER.1.into(),
        "hwuiTask0".into(),
        (5000 + frame).into(),
    ];
    s.event(1, RENDER.1, "sched_process_fork", fork);
    s.switch(1, RENDER, 1, ("swapper/1", 0));
    s.print(0, MAIN.1, "E|4711\n");
    s.switch(0, MAIN, 256, ("swapper/0", 0));
    s.event(0, 0, "cpu_idle", vec![2.into(), 0.into()]);
}

/// A file with [`small_dat_events`], a second buffer, and 17 lost events at the end of CPU 1.
pub fn small_dat(version: u8, machine: Machine, compression: DatCompression) -> DatBytes {
    let events = small_dat_events();
    let page_bytes = 4096;
    let mut cpus = DatBytes::pages(&events, machine, page_bytes);
    let mut lost = RingPages::new(machine, page_bytes);
    lost.lose(17);
    let last = DatEvent {
        ts: 5_000_000_000,
        cpu: 1,
        tid: 0,
        name: "cpu_idle",
        values: vec![1.into(), 1.into()],
    };
    lost.push(last.ts, &last.bytes(machine));
    cpus[1].extend(lost.finish());
    let other = DatEvent {
        ts: 1_000_500_000,
        cpu: 0,
        tid: 77,
        name: "softirq_entry",
        values: vec![1.into()],
    };
    let mut dat = DatBytes::of(version, machine, cpus);
    let mut instance = DatBytes::pages(&[other], machine, page_bytes);
    instance.push(Vec::new());
    dat.buffers.push(DatBuffer {
        name: "other".to_owned(),
        cpus: instance,
    });
    dat.page_bytes = page_bytes;
    dat.compression = compression;
    let long = machine.long_bytes * 2;
    for (address, name) in [
        (0x1000, "tracing_mark_write"),
        (0x2000, "vfs_read"),
        (0x3000, "rw_verify_area"),
        (0x4000, "end"),
    ] {
        dat.kallsyms += &format!("{address:0long$x} T {name}\n");
    }
    dat.printk_formats = "0x9000 : \"cpu: %d\\n\"\n".to_owned();
    dat.cmdlines = "4711 com.example.app\n4720 RenderThread\n77 ksoftirqd/0\n".to_owned();
    dat.options = vec![
        (5, b"Linux phone 6.1.0 aarch64\0".to_vec()),
        (9, b"3.2.0\0".to_vec()),
        (7, b"5\0".to_vec()),
        (
            2,
            b"CPU: 1\nentries: 0\noverrun: 20\ncommit overrun: 0\ndropped events: 0\n\0".to_vec(),
        ),
    ];
    dat
}

/// As [`small_dat`], but only a few events and their formats: a file of a few KB.
pub fn tiny_dat(version: u8, machine: Machine, compression: DatCompression) -> DatBytes {
    const ONLY: [&str; 4] = ["sched_switch", "print", "softirq_entry", "softirq_exit"];
    let events = small_dat_events();
    let some = events
        .into_iter()
        .filter(|event| ONLY.contains(&event.name));
    let events: Vec<_> = some.take(16).collect();
    let mut dat = small_dat(version, machine, compression);
    (dat.page_bytes, dat.align) = (512, 512);
    dat.only = ONLY.to_vec();
    dat.buffers.truncate(1);
    dat.buffers[0].cpus = DatBytes::pages(&events, machine, dat.page_bytes);
    dat
}

/// About `events` events of a busy phone: the scheduler, idle CPUs and the app's markers.
pub fn busy_dat(events: usize, seed: u64) -> Vec<u8> {
    const CPUS: usize = 8;
    const THREADS: u64 = 300;
    let machine = Machine::USUAL;
    let mut rng = Rng::new(seed);
    let mut pages = vec![RingPages::new(machine, 4096); CPUS];
    let mut running = [0i64; CPUS];
    let (mut script, mut made) = (
        Script {
            events: Vec::new(),
            ts: 1_000_000_000,
        },
        0,
    );
    while made < events {
        let cpu = rng.index(CPUS);
        let prev = running[cpu];
        let next = if rng.chance(30) {
            0
        } else {
            1_000 + rng.below(THREADS) as i64
        };
        let (prev_name, next_name) = (name(prev), name(next));
        script.wake(cpu, prev, "sched_waking", (&next_name, next));
        script.wake(cpu, prev, "sched_wakeup", (&next_name, next));
        let state = if rng.chance(20) { 256 } else { 1 };
        script.switch(cpu, (&prev_name, prev), state, (&next_name, next));
        running[cpu] = next;
        if next == 0 {
            script.event(cpu, 0, "cpu_idle", vec![1.into(), (cpu as i64).into()]);
        } else {
            let text = format!("B|{}|Choreographer#doFrame {}", next, rng.below(16));
            script.print(cpu, next, &text);
            script.event(cpu, next, "softirq_entry", vec![1.into()]);
            script.event(cpu, next, "softirq_exit", vec![1.into()]);
            script.print(cpu, next, &format!("E|{next}"));
        }
        made += script.events.len();
        for event in script.events.drain(..) {
            pages[event.cpu].push(event.ts, &event.bytes(machine));
        }
    }
    let cpus = pages.into_iter().map(RingPages::finish).collect();
    let mut dat = DatBytes::of(6, machine, cpus);
    dat.kallsyms = "0000000000001000 T tracing_mark_write\n0000000000002000 T end\n".to_owned();
    dat.cmdlines = (0..THREADS as i64)
        .map(|n| format!("{} {}\n", 1_000 + n, name(1_000 + n)))
        .collect();
    dat.to_bytes()
}

fn name(tid: i64) -> String {
    match tid {
        0 => "swapper/0".to_owned(),
        tid => format!("Binder:{tid}_1"),
    }
}
