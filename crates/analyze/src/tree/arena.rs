//! The growing calling-context tree: nodes in order of their first call, and finding a child.

use rustc_hash::FxHashMap;

/// Stands for "no node".
pub(crate) const NONE: u32 = u32::MAX;

/// In [`Node::key`]: this node's children are found by the hash table.
const MANY_CHILDREN: u32 = 1 << 31;

/// Children that are looked for one after the other; with more, the hash table is asked.
const RING: usize = 8;

/// The largest number of slots that may be filled, of 8.
const FILL_OF_8: usize = 5;

/// A call path; 32 bytes, so that two share a cache line. Once the tree is finished its two links
/// mean something else: fresh memory for other columns costs the kernel more time than counting a
/// call does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    /// The function; while growing, with the flag [`MANY_CHILDREN`].
    pub key: u32,
    /// Growing: the child that was entered last, since most calls repeat it. Then: the row behind
    /// the subtree.
    pub child_or_end: u32,
    /// Growing: the next child of the same parent; the last one's is the first. Then: the parent.
    pub sibling_or_parent: u32,
    /// Low 32 bits; what runs over is in [`Arena::more_calls`].
    pub calls: u32,
    pub wall_ns: i64,
    pub cpu_ns: i64,
}

impl Node {
    pub(crate) const BLANK: Self = Self {
        key: 0,
        child_or_end: NONE,
        sibling_or_parent: NONE,
        calls: 0,
        wall_ns: 0,
        cpu_ns: 0,
    };

    #[inline]
    pub(crate) fn function(&self) -> u32 {
        self.key & !MANY_CHILDREN
    }
}

/// All nodes. The children of a node form a ring:
///
/// ```text
/// parent ─last_child─► b ─sibling─► c ─► a ─► b      a, b, c called in turn: after b comes c
/// ```
///
/// A new child goes behind the one called before it, so code that calls the same methods in the
/// same order finds each at the first or second look, and nodes made together lie together. Past
/// [`RING`] children they are found in one hash table for all nodes:
///
/// ```text
/// slot: [ 32 bits of hash | 32 bits of node ]   at hash · slots / 2^32, then the next ones
/// ```
///
/// The slot's place comes from the hash bits it keeps, so growing the table reads no nodes.
#[derive(Debug)]
pub(crate) struct Arena {
    nodes: Vec<Node>,
    parents: Vec<u32>,
    slots: Vec<u64>,
    filled: usize,
    more_calls: FxHashMap<u32, u64>,
}

impl Default for Arena {
    fn default() -> Self {
        Self {
            nodes: Vec::new(),
            parents: Vec::new(),
            slots: vec![u64::MAX; 1 << 10],
            filled: 0,
            more_calls: FxHashMap::default(),
        }
    }
}

impl Arena {
    /// A node without a parent.
    pub(crate) fn root(&mut self, key: u32) -> u32 {
        self.push(NONE, key)
    }

    /// The node of `key` called from `parent`; made at its first call. `key` is below 2^31.
    #[inline]
    pub(crate) fn child(&mut self, parent: u32, key: u32) -> u32 {
        let last = self.nodes[parent as usize].child_or_end;
        match self.nodes.get(last as usize) {
            Some(node) if node.function() == key => last,
            Some(node) => {
                let next = node.sibling_or_parent;
                if self.nodes[next as usize].function() == key {
                    self.nodes[parent as usize].child_or_end = next;
                    return next;
                }
                self.other_child(parent, last, key)
            }
            None => self.first_child(parent, key),
        }
    }

    /// Adds a finished call.
    #[inline]
    pub(crate) fn add_call(&mut self, node: u32, wall_ns: i64, cpu_ns: i64) {
        let counted = &mut self.nodes[node as usize];
        counted.wall_ns = counted.wall_ns.saturating_add(wall_ns);
        counted.cpu_ns = counted.cpu_ns.saturating_add(cpu_ns);
        let (calls, ran_over) = counted.calls.overflowing_add(1);
        counted.calls = calls;
        if ran_over {
            self.count_overflow(node);
        }
    }

    /// How many nodes there are.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Bytes of memory that the tree takes at most until it is finished: nodes with their parents,
    /// the nodes in their final order, and slots while they grow.
    pub(crate) fn peak_bytes(&self) -> usize {
        let node = 2 * size_of::<Node>() + size_of::<u32>();
        self.nodes.len() * node + self.slots.len() * 3 / 2 * size_of::<u64>()
    }

    /// The nodes, the parent of each ([`NONE`] for a root; else below the node's own number), and
    /// how often calls ran over 32 bits. No child is looked for any more.
    pub(crate) fn into_parts(self) -> (Vec<Node>, Vec<u32>, FxHashMap<u32, u64>) {
        (self.nodes, self.parents, self.more_calls)
    }

    #[cold]
    fn count_overflow(&mut self, node: u32) {
        *self.more_calls.entry(node).or_default() += 1;
    }

    fn push(&mut self, parent: u32, key: u32) -> u32 {
        let id = self.nodes.len() as u32;
        self.nodes.push(Node {
            key,
            sibling_or_parent: id,
            ..Node::BLANK
        });
        self.parents.push(parent);
        id
    }

    fn first_child(&mut self, parent: u32, key: u32) -> u32 {
        let id = self.push(parent, key);
        self.nodes[parent as usize].child_or_end = id;
        id
    }

    /// A child that is neither the last one called nor the one behind it.
    fn other_child(&mut self, parent: u32, last: u32, key: u32) -> u32 {
        let found = match self.nodes[parent as usize].key & MANY_CHILDREN {
            0 => self.find_in_ring(parent, last, key),
            _ => self.find(tag(parent, key), parent, key),
        };
        let id = match found {
            Some(id) => id,
            None => self.new_sibling(parent, last, key),
        };
        self.nodes[parent as usize].child_or_end = id;
        id
    }

    fn new_sibling(&mut self, parent: u32, last: u32, key: u32) -> u32 {
        let id = self.push(parent, key);
        self.nodes[id as usize].sibling_or_parent = self.nodes[last as usize].sibling_or_parent;
        self.nodes[last as usize].sibling_or_parent = id;
        if self.nodes[parent as usize].key & MANY_CHILDREN != 0 {
            self.insert(tag(parent, key), id);
        }
        id
    }

    /// Looks around the ring. One that is full and has not got the key goes into the hash table.
    fn find_in_ring(&mut self, parent: u32, last: u32, key: u32) -> Option<u32> {
        let mut at = self.nodes[last as usize].sibling_or_parent;
        for _ in 0..RING {
            if at == last {
                return None;
            }
            let node = &self.nodes[at as usize];
            if node.function() == key {
                return Some(at);
            }
            at = node.sibling_or_parent;
        }
        self.move_to_table(parent, last);
        self.find(tag(parent, key), parent, key)
    }

    fn move_to_table(&mut self, parent: u32, last: u32) {
        self.nodes[parent as usize].key |= MANY_CHILDREN;
        let mut at = last;
        loop {
            let node = self.nodes[at as usize];
            self.insert(tag(parent, node.function()), at);
            at = node.sibling_or_parent;
            if at == last {
                return;
            }
        }
    }

    fn find(&self, tag: u32, parent: u32, key: u32) -> Option<u32> {
        let mask = self.slots.len() - 1;
        let mut at = place(tag, self.slots.len());
        loop {
            let slot = self.slots[at];
            let id = slot as u32;
            if id == NONE {
                return None;
            }
            if (slot >> 32) as u32 == tag {
                let node = &self.nodes[id as usize];
                if self.parents[id as usize] == parent && node.function() == key {
                    return Some(id);
                }
            }
            at = (at + 1) & mask;
        }
    }

    fn insert(&mut self, tag: u32, id: u32) {
        if self.filled * 8 >= self.slots.len() * FILL_OF_8 {
            self.grow();
        }
        self.filled += 1;
        put(&mut self.slots, u64::from(tag) << 32 | u64::from(id));
    }

    #[cold]
    fn grow(&mut self) {
        let mut bigger = vec![u64::MAX; self.slots.len() * 2];
        for &slot in self.slots.iter().filter(|&&slot| slot as u32 != NONE) {
            put(&mut bigger, slot);
        }
        self.slots = bigger;
    }
}

fn put(slots: &mut [u64], slot: u64) {
    let mask = slots.len() - 1;
    let mut at = place((slot >> 32) as u32, slots.len());
    while slots[at] as u32 != NONE {
        at = (at + 1) & mask;
    }
    slots[at] = slot;
}

/// Where the search for a slot starts. `slots` is a power of two.
#[inline]
fn place(tag: u32, slots: usize) -> usize {
    ((u64::from(tag) * slots as u64) >> 32) as usize
}

/// 32 well-mixed bits of (parent, key).
#[inline]
fn tag(parent: u32, key: u32) -> u32 {
    let mixed = (u64::from(parent) << 32 | u64::from(key)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    ((mixed ^ mixed >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93) >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_are_found_again_through_growth() {
        let mut arena = Arena::default();
        let root = arena.root(7);
        let children: Vec<u32> = (0..50_000).map(|key| arena.child(root, key)).collect();
        let inner: Vec<u32> = children.iter().map(|&node| arena.child(node, 3)).collect();
        for (key, (&child, &inner)) in children.iter().zip(&inner).enumerate() {
            assert_eq!(arena.child(root, key as u32), child);
            assert_eq!(arena.child(child, 3), inner);
            assert_eq!(arena.parents[inner as usize], child);
        }
        assert_eq!(arena.len(), 100_001);
        assert_eq!(arena.nodes[root as usize].function(), 7);
    }

    #[test]
    fn calls_beyond_32_bits_are_kept() {
        let mut arena = Arena::default();
        let root = arena.root(0);
        arena.nodes[root as usize].calls = u32::MAX;
        arena.add_call(root, 5, 4);
        let (nodes, _, more_calls) = arena.into_parts();
        assert_eq!(
            (nodes[0].calls, nodes[0].wall_ns, nodes[0].cpu_ns),
            (0, 5, 4)
        );
        assert_eq!(more_calls[&root], 1);
    }
}
