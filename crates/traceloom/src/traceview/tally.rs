//! Sums per method, and the ids of methods.

use rustc_hash::FxHashMap;
use traceloom_trace::sort;

use super::java::{compare_strings, hash_map_order};
use super::key::Clock;

/// The pseudo-method called by the root of every thread.
pub(crate) const TOPLEVEL: u32 = 0;

/// The pseudo-method for the time that a thread was off the CPU.
pub(crate) const CONTEXT_SWITCH: u32 = 1;

/// A method and its sums, µs.
#[derive(Clone, Debug)]
pub(crate) struct Tally {
    /// `class.method signature`, the class alone, or `(0xid)`.
    pub(crate) name: String,
    pub(crate) exclusive_cpu: i64,
    pub(crate) inclusive_cpu: i64,
    pub(crate) exclusive_wall: i64,
    pub(crate) inclusive_wall: i64,
    pub(crate) calls: u64,
    pub(crate) recursive_calls: u64,
}

impl Tally {
    fn new(name: String) -> Self {
        Self {
            name,
            exclusive_cpu: 0,
            inclusive_cpu: 0,
            exclusive_wall: 0,
            inclusive_wall: 0,
            calls: 0,
            recursive_calls: 0,
        }
    }

    pub(crate) fn add_exclusive(&mut self, cpu: i64, wall: i64) {
        self.exclusive_cpu = self.exclusive_cpu.wrapping_add(cpu);
        self.exclusive_wall = self.exclusive_wall.wrapping_add(wall);
    }

    /// A recursive call is counted, but its time is already included in the outermost call.
    pub(crate) fn add_inclusive(&mut self, cpu: i64, wall: i64, is_recursive: bool) {
        if is_recursive {
            self.recursive_calls += 1;
            return;
        }
        self.calls += 1;
        self.inclusive_cpu = self.inclusive_cpu.wrapping_add(cpu);
        self.inclusive_wall = self.inclusive_wall.wrapping_add(wall);
    }

    fn inclusive(&self, clock: Clock) -> i64 {
        match clock {
            Clock::Wall => self.inclusive_wall,
            _ => self.inclusive_cpu,
        }
    }
}

/// The methods of a trace. If the file declares a method under the id of a pseudo-method (0, as for
/// ART's first method, or -1), that method takes over the id: the pseudo-method is still called,
/// but the statistics no longer list it.
#[derive(Debug)]
pub(crate) struct Methods {
    tallies: Vec<Tally>,
    /// Ids in order of arrival, each with its current method.
    ids: Vec<(i32, u32)>,
    by_id: FxHashMap<i32, usize>,
}

impl Methods {
    pub(crate) fn new() -> Self {
        let mut methods = Self {
            tallies: Vec::new(),
            ids: Vec::new(),
            by_id: FxHashMap::default(),
        };
        methods.declare(0, "(toplevel)".into());
        methods.declare(-1, "(context switch)".into());
        methods
    }

    /// Assigns `id` to a new method, and returns its position.
    pub(crate) fn declare(&mut self, id: i32, name: String) -> u32 {
        let position = self.tallies.len() as u32;
        self.tallies.push(Tally::new(name));
        match self.by_id.get(&id) {
            Some(&place) => self.ids[place].1 = position,
            None => {
                self.by_id.insert(id, self.ids.len());
                self.ids.push((id, position));
            }
        }
        position
    }

    /// The method with `id`; an undeclared one is called `(0xid)`.
    pub(crate) fn find(&mut self, id: i32) -> u32 {
        match self.by_id.get(&id) {
            Some(&place) => self.ids[place].1,
            None => self.declare(id, format!("(0x{id:x})")),
        }
    }

    pub(crate) fn tally_mut(&mut self, position: u32) -> &mut Tally {
        &mut self.tallies[position as usize]
    }

    pub(crate) fn name(&self, position: u32) -> &str {
        &self.tallies[position as usize].name
    }

    pub(crate) fn rename(&mut self, position: u32, name: String) {
        self.tallies[position as usize].name = name;
    }

    /// Methods by rank: most inclusive time first, then by name. Methods without time are left out.
    pub(crate) fn ranked(&self, clock: Clock) -> Vec<&Tally> {
        let ids: Vec<i32> = self.ids.iter().map(|&(id, _)| id).collect();
        let mut ranked: Vec<&Tally> = hash_map_order(&ids)
            .into_iter()
            .map(|place| &self.tallies[self.ids[place].1 as usize])
            .collect();
        sort::by(&mut ranked, |a, b| {
            let by_time = b.inclusive(clock).cmp(&a.inclusive(clock));
            by_time.then_with(|| compare_strings(&a.name, &b.name))
        });
        let end = ranked.iter().position(|tally| tally.inclusive(clock) == 0);
        ranked.truncate(end.unwrap_or(ranked.len()));
        ranked
    }
}
