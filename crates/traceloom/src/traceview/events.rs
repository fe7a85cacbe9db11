//! Replays traces that Traceview could not open (streaming, ART's newer encodings, compressed,
//! damaged) by the same rules, from traceloom's own reader.

use traceloom_formats::{ReadError, ReadOptions, read_method_events};
use traceloom_trace::{
    MethodAction, MethodEvent, MethodEvents, MethodIndex, MethodLine, MethodTraceStart, Place,
    RepairKind, ThreadIndex,
};

use super::engine::{Action, Engine};
use super::key::Clock;
use super::tally::Methods;

/// Replays any method trace that traceloom reads. Also returns lines about the repairs.
pub(crate) fn replay(bytes: &[u8]) -> Result<(Engine, Vec<String>), ReadError> {
    let mut replay = Replay {
        engine: Engine::new(Clock::ThreadCpu, Methods::new()),
        threads: Vec::new(),
        methods: Vec::new(),
        messages: Vec::new(),
    };
    read_method_events(bytes, ReadOptions::default(), &mut replay)?;
    Ok((replay.engine, replay.messages))
}

struct Replay {
    engine: Engine,
    threads: Vec<Option<u32>>,
    methods: Vec<Option<u32>>,
    messages: Vec<String>,
}

impl Replay {
    fn thread_of(&mut self, index: ThreadIndex) -> u32 {
        let number = index.0 as usize;
        if self.threads.len() <= number {
            self.threads.resize(number + 1, None);
        }
        let engine = &mut self.engine;
        *self.threads[number].get_or_insert_with(|| engine.add_thread(number as i64, "(unknown)"))
    }

    fn method_of(&mut self, index: MethodIndex) -> u32 {
        let number = index.0 as usize;
        if self.methods.len() <= number {
            self.methods.resize(number + 1, None);
        }
        let methods = &mut self.engine.methods;
        // Ids may be 64-bit pointers, so methods are numbered from 1; 0 is the top level.
        *self.methods[number]
            .get_or_insert_with(|| methods.declare(number as i32 + 1, "(unknown)".into()))
    }
}

impl MethodEvents for Replay {
    fn start(&mut self, start: &MethodTraceStart) {
        let clock = match (start.clocks.cpu, start.clocks.wall) {
            (true, true) => Clock::Dual,
            (false, true) => Clock::Wall,
            _ => Clock::ThreadCpu,
        };
        self.engine = Engine::new(clock, Methods::new());
        self.threads.clear();
        self.methods.clear();
    }

    fn thread(&mut self, index: ThreadIndex, tid: u32, name: &str) {
        let thread = self.thread_of(index);
        let name = match name {
            "" => format!("[{tid}]"),
            name => name.to_owned(),
        };
        self.engine.rename_thread(thread, tid.into(), &name);
    }

    fn method(&mut self, index: MethodIndex, line: &MethodLine<'_>) {
        let name = match (line.class, line.name) {
            ("", "") => format!("(0x{:x})", line.raw_id),
            (class, "") => class.to_owned(),
            (class, name) => format!("{class}.{name} {}", line.signature),
        };
        let method = self.method_of(index);
        self.engine.methods.rename(method, name);
    }

    fn events(&mut self, batch: &[MethodEvent]) {
        let clock = self.engine.clock();
        for event in batch {
            let thread = self.thread_of(event.thread);
            let method = self.method_of(event.method());
            let action = match event.action() {
                MethodAction::Enter => Action::Enter,
                MethodAction::Exit | MethodAction::Unwind => Action::Exit,
            };
            let us = |recorded: bool, ns: i64| if recorded { ns.div_euclid(1_000) } else { 0 };
            let cpu = us(clock.has_cpu(), event.cpu_ns);
            let wall = us(clock.has_wall(), event.wall_ns);
            self.engine.record(thread, method, action, cpu, wall);
        }
    }

    fn repair(&mut self, kind: RepairKind, count: u64, place: Place, _detail: String) {
        self.messages.push(format!(
            "{count} × {} (first at {place})",
            kind.explanation()
        ));
    }

    fn finish(&mut self, _key_section: &[(String, String)]) {}
}
