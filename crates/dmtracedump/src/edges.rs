//! Who called whom, how often and for how long: a hash table of call edges. The original walks
//! linked lists, which is quadratic where a method has many callers or callees.

use super::methods::MethodIndex;
use super::seeded::Seeded;

/// A method on a stack: its index, and whether it stands deeper in that stack as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Standing(u32);

impl Standing {
    /// 31 bits for the method: a line of `*methods` takes bytes, so there are fewer.
    #[inline]
    pub const fn new(method: MethodIndex, recursive: bool) -> Self {
        Standing(method << 1 | recursive as u32)
    }

    #[inline]
    pub fn method(self) -> MethodIndex {
        self.0 >> 1
    }

    #[inline]
    pub fn is_recursive(self) -> bool {
        self.0 & 1 != 0
    }
}

/// Which calls an edge stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct EdgeKey {
    pub caller: Standing,
    pub callee: Standing,
}

impl EdgeKey {
    #[inline]
    fn pack(self) -> u64 {
        u64::from(self.caller.0) << 32 | u64::from(self.callee.0)
    }

    #[inline]
    fn unpack(key: u64) -> Self {
        EdgeKey {
            caller: Standing((key >> 32) as u32),
            callee: Standing(key as u32),
        }
    }
}

/// What an edge has gathered. Times are µs and wrap as the original's do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Edge {
    key: u64,
    pub inclusive: u64,
    pub calls: u32,
    /// Edges are numbered from 1 in the order in which they were found.
    pub found: u32,
}

impl Edge {
    pub fn key(&self) -> EdgeKey {
        EdgeKey::unpack(self.key)
    }
}

/// A list of edges, and an open-addressing table that leads to them: the table is small, and the list, of which nothing
/// but edges takes room, is the result. With many edges every call misses the cache, so calls wait until there is a
/// batch of them: touching all their places first, then all their edges, lets the misses overlap.
pub(super) struct Edges {
    list: Vec<Edge>,
    /// The number of the edge there, or 0.
    places: Vec<u32>,
    seeded: Seeded,
    /// Packed key and elapsed time of calls not yet counted, oldest first.
    waiting: Vec<(u64, u64)>,
}

/// Calls that wait at most.
const BATCH: usize = 64;

/// Places whose edges the cache holds: nothing is gained by waiting.
const NEAR_PLACES: usize = 1 << 14;

/// Places to start with; a power of two.
const FIRST_PLACES: usize = 1 << 11;

impl Edges {
    pub fn new() -> Self {
        Edges {
            list: Vec::with_capacity(most_edges(FIRST_PLACES)),
            places: vec![0; FIRST_PLACES],
            seeded: Seeded::new(),
            waiting: Vec::new(),
        }
    }

    /// Counts one call of `elapsed` µs.
    #[inline]
    pub fn add(&mut self, key: EdgeKey, elapsed: u64) {
        if self.is_near() {
            self.count(key.pack(), elapsed)
        } else {
            self.wait(key, elapsed)
        }
    }

    #[inline]
    fn is_near(&self) -> bool {
        self.places.len() <= NEAR_PLACES
    }

    fn wait(&mut self, key: EdgeKey, elapsed: u64) {
        self.waiting.push((key.pack(), elapsed));
        if self.waiting.len() == BATCH {
            self.settle();
        }
    }

    /// Counts the calls that wait.
    fn settle(&mut self) {
        let waiting = std::mem::take(&mut self.waiting);
        let mut numbers = [0; BATCH];
        for (number, (key, _)) in numbers.iter_mut().zip(&waiting) {
            *number = self.places[self.home(*key)];
        }
        let touched = numbers.iter().fold(0, |touched, number| {
            touched ^ self.edge(*number).map_or(0, |edge| edge.calls)
        });
        std::hint::black_box(touched);
        for &(key, elapsed) in &waiting {
            self.count(key, elapsed);
        }
        self.waiting = waiting;
        self.waiting.clear();
    }

    /// The edge with this number; none has 0.
    #[inline]
    fn edge(&mut self, number: u32) -> Option<&mut Edge> {
        self.list.get_mut((number as usize).wrapping_sub(1))
    }

    /// The first place where an edge may stand.
    #[inline]
    fn home(&self, key: u64) -> usize {
        self.seeded.mix(key) as usize & (self.places.len() - 1)
    }

    #[inline]
    fn count(&mut self, key: u64, elapsed: u64) {
        let mut place = self.home(key);
        loop {
            let Some(edge) = self.edge(self.places[place]) else {
                return self.insert(place, key, elapsed);
            };
            if edge.key == key {
                edge.inclusive = edge.inclusive.wrapping_add(elapsed);
                edge.calls = edge.calls.wrapping_add(1);
                return;
            }
            place = (place + 1) & (self.places.len() - 1);
        }
    }

    #[cold]
    fn insert(&mut self, place: usize, key: u64, elapsed: u64) {
        let found = self.list.len() as u32 + 1;
        self.list.push(Edge {
            key,
            inclusive: elapsed,
            calls: 1,
            found,
        });
        self.places[place] = found;
        if self.list.len() > most_edges(self.places.len()) {
            self.grow();
        }
    }

    /// Every edge, in the order in which they were found.
    pub fn finish(mut self) -> Vec<Edge> {
        self.settle();
        self.list
    }

    #[cold]
    fn grow(&mut self) {
        self.places = vec![0; self.places.len() * 2];
        let mask = self.places.len() - 1;
        for edge in &self.list {
            let mut place = self.seeded.mix(edge.key) as usize & mask;
            while self.places[place] != 0 {
                place = (place + 1) & mask;
            }
            self.places[place] = edge.found;
        }
    }
}

/// Where the cache holds the table, room is cheap and looking further is not.
fn most_edges(places: usize) -> usize {
    let full = if places < NEAR_PLACES { 3 } else { 5 };
    places * full / 8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_survive_growing() {
        let mut edges = Edges::new();
        let key = |i: u32| EdgeKey {
            caller: Standing::new(i % 97, i.is_multiple_of(2)),
            callee: Standing::new(i + 1, i.is_multiple_of(3)),
        };
        for round in 0..2 {
            for i in 0..5000 {
                edges.add(key(i), u64::from(i) + round);
            }
        }
        let found = edges.finish();
        assert_eq!(found.len(), 5000);
        for (i, edge) in found.iter().enumerate() {
            assert_eq!(edge.key(), key(i as u32));
            assert_eq!((edge.calls, edge.inclusive), (2, 2 * i as u64 + 1));
        }
    }
}
