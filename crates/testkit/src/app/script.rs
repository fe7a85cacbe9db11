//! Writing the calls of a thread as nested closures.

use std::collections::HashMap;

use crate::method_trace::Record;
use crate::rng::Rng;

/// Every method that was called, in order of its first call.
#[derive(Default)]
pub struct Methods {
    ids: HashMap<&'static str, u32>,
    names: Vec<&'static str>,
}

impl Methods {
    fn id(&mut self, name: &'static str) -> u32 {
        let next = (self.names.len() as u32 + 1) << 2;
        *self.ids.entry(name).or_insert_with(|| {
            self.names.push(name);
            next
        })
    }

    /// Ids and lines for `MethodTraceBytes`.
    pub fn lines(&self) -> Vec<(u32, String)> {
        self.names
            .iter()
            .map(|name| (self.ids[name], line(name)))
            .collect()
    }
}

/// Splits `a.b.Class$1.method(I)V` into the columns of a method line.
fn line(name: &str) -> String {
    let (path, signature) = name.split_at(name.find('(').unwrap_or(name.len()));
    let (class, method) = path.rsplit_once('.').unwrap_or((path, ""));
    let simple = class.rsplit_once('.').map_or(class, |(_, simple)| simple);
    let file = simple.split('$').next().unwrap_or(simple);
    format!("{class}\t{method}\t{signature}\t{file}.java")
}

/// The calls of a thread. Both clocks advance while it works, and only the wall clock while it waits.
pub struct Script<'a> {
    tid: u16,
    wall_us: u32,
    cpu_us: u32,
    rng: Rng,
    records: Vec<Record>,
    methods: &'a mut Methods,
}

impl<'a> Script<'a> {
    /// A thread whose first event is at `start_us`.
    pub fn new(tid: u16, start_us: u32, methods: &'a mut Methods) -> Self {
        Self {
            tid,
            wall_us: start_us,
            cpu_us: u32::from(tid) * 300,
            rng: Rng::new(u64::from(tid) * 7919),
            records: Vec::new(),
            methods,
        }
    }

    /// The records of the thread.
    pub fn into_records(self) -> Vec<Record> {
        self.records
    }

    /// Works for about `us` (up to a fifth more or less).
    pub fn work(&mut self, us: u32) {
        let spent = us - us / 5 + self.rng.below(u64::from(us * 2 / 5) + 1) as u32;
        self.wall_us += spent;
        self.cpu_us += spent;
    }

    /// Waits: only the wall clock advances.
    pub fn wait(&mut self, us: u32) {
        self.wall_us += us - us / 10 + self.rng.below(u64::from(us / 5) + 1) as u32;
    }

    /// Waits until the wall clock reaches `us`.
    pub fn wait_until(&mut self, us: u32) {
        self.wall_us = self.wall_us.max(us);
    }

    /// The wall clock, µs.
    pub fn now(&self) -> u32 {
        self.wall_us
    }

    /// A pseudo-random choice.
    pub fn pick(&mut self, choices: usize) -> usize {
        self.rng.index(choices)
    }

    /// A call without callees that works for about `us`.
    pub fn leaf(&mut self, name: &'static str, us: u32) {
        self.call(name, us, |_| ());
    }

    /// A call that works for about `us` and then runs `body`.
    pub fn call(&mut self, name: &'static str, us: u32, body: impl FnOnce(&mut Self)) {
        self.enter(name);
        self.work(us);
        body(self);
        self.exit(name);
    }

    /// A call that is left by an exception.
    pub fn throwing(&mut self, name: &'static str, us: u32, body: impl FnOnce(&mut Self)) {
        self.enter(name);
        self.work(us);
        body(self);
        self.work(2);
        self.put(name, 2);
    }

    /// A call that is still open when the recording ends.
    pub fn enter(&mut self, name: &'static str) {
        self.put(name, 0);
    }

    /// The end of a call. Without `enter`, the call began before the recording.
    pub fn exit(&mut self, name: &'static str) {
        self.work(1);
        self.put(name, 1);
    }

    fn put(&mut self, name: &'static str, action: u8) {
        let method = self.methods.id(name);
        self.records.push(Record {
            tid: self.tid,
            method,
            action,
            cpu_us: self.cpu_us,
            time_us: self.wall_us,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn a_method_line_has_its_columns() {
        let columns = "android.view.Choreographer$FrameHandler\thandleMessage\t(Landroid/os/Message;)V\tChoreographer.java";
        let name = "android.view.Choreographer$FrameHandler.handleMessage(Landroid/os/Message;)V";
        assert_eq!(line(name), columns);
        assert_eq!(line("a.B.<init>()V"), "a.B\t<init>\t()V\tB.java");
    }
}
