//! The growing calling-context tree: its nodes in order of their first call, and the lookup of children.

use super::counts::Counts;

/// No node.
pub(crate) const NONE: u32 = u32::MAX;

/// Flag in [`Origin::key`]: the children of this node are in the hash table.
const MANY_CHILDREN: u32 = 1 << 31;

/// Flag in the second key of a growing [`Link`]: the node has more children than these two.
const MORE_CHILDREN: u32 = 1 << 31;

/// The most children to search one by one. Nodes with more use the hash table.
const RING: usize = 8;

/// The most filled slots of every 8.
const FILL_OF_8: usize = 5;

/// The part of a node that each event reads. It has 16 bytes, so that four share a cache line: large trees exceed the
/// caches, and most of the time of counting calls is spent waiting for memory.
///
/// ```text
/// growing    key and number of the child entered last, then of the one entered before it;
///            the second key has the flag MORE_CHILDREN
/// finished   function, end row of the subtree, row of the parent, number of the path's counts
/// ```
///
/// Two children suffice for almost every call, and no other memory is read to find them. Finished links reuse the memory
/// of growing ones, as fresh memory costs the kernel more time than counting a call does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link(pub [u32; 4]);

impl Link {
    const CHILDLESS: Self = Self([NONE; 4]);
}

/// The part of a node that only new paths and the finished tree read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin {
    /// The function, with the flag [`MANY_CHILDREN`].
    pub key: u32,
    /// The caller; [`NONE`] for a root.
    pub parent: u32,
    /// The next child of the same parent. The last child points to the first one.
    pub sibling: u32,
}

impl Origin {
    #[inline]
    pub(crate) fn function(&self) -> u32 {
        self.key & !MANY_CHILDREN
    }
}

/// The data of all nodes, by number. Parents have smaller numbers than their children.
#[derive(Debug)]
pub(crate) struct Parts {
    pub links: Vec<Link>,
    pub origins: Vec<Origin>,
    pub counts: Counts,
}

/// All nodes. The children of a node form a ring:
///
/// ```text
/// parent ─last child─► b ─sibling─► c ─► a ─► b      a, b, c called in turn: after b comes c
/// ```
///
/// A new child is inserted after the one called before it. Code that calls the same methods in the same order then finds
/// each at the first or second look, and nodes created together are adjacent. If a node has more than [`RING`] children,
/// they are in one hash table for all nodes:
///
/// ```text
/// slot: [ 32 bits of hash | 32 bits of node ]   at hash · slots / 2^32 or a slot after it
/// ```
///
/// A slot has all hash bits that determine its position, so growing the table reads no nodes.
#[derive(Debug)]
pub(crate) struct Arena {
    parts: Parts,
    slots: Vec<u64>,
    filled: usize,
}

impl Default for Arena {
    fn default() -> Self {
        Self {
            parts: Parts {
                links: Vec::new(),
                origins: Vec::new(),
                counts: Counts::default(),
            },
            slots: vec![u64::MAX; 1 << 10],
            filled: 0,
        }
    }
}

impl Arena {
    /// Adds a node without a parent.
    pub(crate) fn root(&mut self, key: u32) -> u32 {
        self.push(NONE, key)
    }

    /// The node of `key` called from `parent`, created at its first call. `key` is below 2^31 - 1.
    #[inline]
    pub(crate) fn child(&mut self, parent: u32, key: u32) -> u32 {
        let link = &mut self.parts.links[parent as usize];
        let Link([last_key, last, other_key, other]) = *link;
        if last_key == key {
            return last;
        }
        if other_key & !MORE_CHILDREN == key {
            let more = other_key & MORE_CHILDREN;
            *link = Link([key, other, last_key | more, last]);
            return other;
        }
        self.other_child(parent, key)
    }

    /// Adds a finished call. Times above 2^63 - 1 ns are clamped.
    #[inline]
    pub(crate) fn add_call(&mut self, node: u32, wall_ns: u64, cpu_ns: u64) {
        self.parts.counts.add_call(node, wall_ns, cpu_ns);
    }

    /// The counts, to add slices that never ended.
    pub(crate) fn counts_mut(&mut self) -> &mut Counts {
        &mut self.parts.counts
    }

    /// The caller of a node; [`NONE`] for a root.
    pub(crate) fn parent(&self, node: u32) -> u32 {
        self.parts.origins[node as usize].parent
    }

    /// The number of nodes.
    pub(crate) fn len(&self) -> usize {
        self.parts.links.len()
    }

    /// The memory of the tree in bytes, including the peak while the hash table grows.
    pub(crate) fn peak_bytes(&self) -> usize {
        let node = size_of::<Link>() + size_of::<Origin>() + Counts::BYTES;
        let slots = self.slots.len() * 3 / 2 * size_of::<u64>();
        self.len() * node + slots + self.parts.counts.rare_bytes()
    }

    /// Takes the nodes, once no more children are added.
    pub(crate) fn into_parts(self) -> Parts {
        self.parts
    }

    fn push(&mut self, parent: u32, key: u32) -> u32 {
        let id = self.len() as u32;
        self.parts.links.push(Link::CHILDLESS);
        self.parts.origins.push(Origin {
            key,
            parent,
            sibling: id,
        });
        self.parts.counts.push();
        id
    }

    /// Finds or creates a child other than the two entered last.
    #[inline(never)]
    fn other_child(&mut self, parent: u32, key: u32) -> u32 {
        let Link([last_key, last, other_key, other]) = self.parts.links[parent as usize];
        if last == NONE {
            let id = self.push(parent, key);
            self.parts.links[parent as usize] = Link([key, id, NONE, NONE]);
            return id;
        }
        let more = if other == NONE { 0 } else { MORE_CHILDREN };
        // If there are only these two, the ring need not be read.
        let id = match (other, other_key & more) {
            (NONE, _) => self.new_sibling(parent, key, last, last),
            (_, 0) => self.new_sibling(parent, key, last, other),
            _ => self.one_of_more(parent, key, last),
        };
        self.parts.links[parent as usize] = Link([key, id, last_key | more, last]);
        id
    }

    /// Creates a child between `last` and `next` in the ring.
    fn new_sibling(&mut self, parent: u32, key: u32, last: u32, next: u32) -> u32 {
        let id = self.push(parent, key);
        self.parts.origins[id as usize].sibling = next;
        self.parts.origins[last as usize].sibling = id;
        id
    }

    /// Finds or creates a child of a node with more than two children.
    fn one_of_more(&mut self, parent: u32, key: u32, last: u32) -> u32 {
        if let Some(id) = self.find_child(parent, last, key) {
            return id;
        }
        let next = self.parts.origins[last as usize].sibling;
        let id = self.new_sibling(parent, key, last, next);
        if self.parts.origins[parent as usize].key & MANY_CHILDREN != 0 {
            self.insert(tag(parent, key), id);
        }
        id
    }

    fn find_child(&mut self, parent: u32, last: u32, key: u32) -> Option<u32> {
        match self.parts.origins[parent as usize].key & MANY_CHILDREN {
            0 => self.find_in_ring(parent, last, key),
            _ => self.find(tag(parent, key), parent, key),
        }
    }

    /// Searches the ring. If the key is missing and the ring is full, moves it into the hash table.
    fn find_in_ring(&mut self, parent: u32, last: u32, key: u32) -> Option<u32> {
        let mut at = self.parts.origins[last as usize].sibling;
        for _ in 0..RING {
            if at == last {
                return None;
            }
            let origin = &self.parts.origins[at as usize];
            if origin.function() == key {
                return Some(at);
            }
            at = origin.sibling;
        }
        self.move_to_table(parent, last);
        self.find(tag(parent, key), parent, key)
    }

    fn move_to_table(&mut self, parent: u32, last: u32) {
        self.parts.origins[parent as usize].key |= MANY_CHILDREN;
        let mut at = last;
        loop {
            let origin = self.parts.origins[at as usize];
            self.insert(tag(parent, origin.function()), at);
            at = origin.sibling;
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
                let origin = &self.parts.origins[id as usize];
                if origin.parent == parent && origin.function() == key {
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

/// The slot at which a search starts. `slots` is a power of two.
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
            assert_eq!(arena.parts.origins[inner as usize].parent, child);
        }
        assert_eq!(arena.len(), 100_001);
        assert_eq!(arena.parts.origins[root as usize].function(), 7);
    }
}
