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
    /// Never 0: the pseudo-method with index 0 is called by nobody.
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
    /// 0: a free place.
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

/// An open-addressing table of edges. With many edges every call misses the cache, so calls wait
/// until there is a batch of them: touching all their places first lets the misses overlap.
pub(super) struct Edges {
    places: Vec<Edge>,
    len: usize,
    seeded: Seeded,
    /// Packed key and elapsed time of calls not yet counted, oldest first.
    waiting: Vec<(u64, u64)>,
}

/// Calls that wait at most.
const BATCH: usize = 64;

/// Places that the cache holds: nothing is gained by waiting.
const NEAR_PLACES: usize = 1 << 14;

/// Places to start with; a power of two.
const FIRST_PLACES: usize = 1 << 11;

impl Edges {
    pub fn new() -> Self {
        Edges {
            places: vec![Edge::default(); FIRST_PLACES],
            len: 0,
            seeded: Seeded::new(),
            waiting: Vec::new(),
        }
    }

    /// Counts one call of `elapsed` µs.
    #[inline]
    pub fn add(&mut self, key: EdgeKey, elapsed: u64) {
        match self.is_near() {
            true => self.count(key.pack(), elapsed),
            false => self.wait(key, elapsed),
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
        let mask = self.places.len() - 1;
        let touched = waiting.iter().fold(0, |touched, (key, _)| {
            touched ^ self.places[self.seeded.mix(*key) as usize & mask].found
        });
        std::hint::black_box(touched);
        for &(key, elapsed) in &waiting {
            self.count(key, elapsed);
        }
        self.waiting = waiting;
        self.waiting.clear();
    }

    #[inline]
    fn count(&mut self, key: u64, elapsed: u64) {
        let mask = self.places.len() - 1;
        let mut place = self.seeded.mix(key) as usize & mask;
        loop {
            let edge = &mut self.places[place];
            if edge.key == key {
                edge.inclusive = edge.inclusive.wrapping_add(elapsed);
                edge.calls = edge.calls.wrapping_add(1);
                return;
            }
            if edge.key == 0 {
                return self.insert(place, key, elapsed);
            }
            place = (place + 1) & mask;
        }
    }

    #[cold]
    fn insert(&mut self, place: usize, key: u64, elapsed: u64) {
        self.len += 1;
        self.places[place] = Edge {
            key,
            inclusive: elapsed,
            calls: 1,
            found: self.len as u32,
        };
        // Where the cache holds the table, room is cheap and looking further is not.
        let full = if self.places.len() < NEAR_PLACES {
            3
        } else {
            5
        };
        if self.len * 8 > self.places.len() * full {
            self.grow();
        }
    }

    /// Every edge, in no order.
    pub fn finish(mut self) -> Vec<Edge> {
        self.settle();
        let mut list = self.places;
        // Whether a place is taken is anybody's guess, so the processor is not asked to.
        let mut kept = 0;
        for at in 0..list.len() {
            let edge = list[at];
            list[kept] = edge;
            kept += usize::from(edge.key != 0);
        }
        list.truncate(kept);
        list
    }

    #[cold]
    fn grow(&mut self) {
        let mask = self.places.len() * 2 - 1;
        let twice = vec![Edge::default(); mask + 1];
        let old = std::mem::replace(&mut self.places, twice);
        for edge in old.into_iter().filter(|e| e.key != 0) {
            let mut place = self.seeded.mix(edge.key) as usize & mask;
            while self.places[place].key != 0 {
                place = (place + 1) & mask;
            }
            self.places[place] = edge;
        }
    }
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
        let mut found = edges.finish();
        found.sort_by_key(|e| e.found);
        assert_eq!(found.len(), 5000);
        for (i, edge) in found.iter().enumerate() {
            assert_eq!(edge.key(), key(i as u32));
            assert_eq!((edge.calls, edge.inclusive), (2, 2 * i as u64 + 1));
        }
    }
}
