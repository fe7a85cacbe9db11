//! The engine's memory. A WebAssembly module brings its own allocator, which every report carries,
//! so this one is small: lists of free blocks of like size, after TLSF (Masmano, Ripoll, Crespo and
//! Real, "TLSF: a new dynamic memory allocator for real-time systems", 2004).
//!
//! ```text
//! block:   | its size; bit 0: it is free | its left neighbour's size | bytes …                |
//! if free: | its size; bit 0: it is free | its left neighbour's size | next | previous |      |
//!
//! memory:  |--block--|------block------|--block--|end|   the end is a head that is never free
//! ```
//! Blocks follow each other without gaps, and one that is given back joins neighbours that are free,
//! so that two free ones never touch. There are eight lists for each power of two, and a bit for each
//! says whether it has blocks: taking and giving back take a few steps, however many blocks there are.

use std::ptr::{copy_nonoverlapping, null_mut};

/// Memory that can be made longer. Places in it are distances from its beginning, in bytes.
///
/// # Safety
/// Bytes that [`grow`](Self::grow) gave are there as long as this is, and nobody else uses them.
pub unsafe trait Memory {
    /// Adds so many bytes, whole [`PAGE`]s, and tells where they begin: at the beginning of a page, but
    /// not of the first. `None` if there are no more.
    fn grow(&mut self, bytes: u32) -> Option<u32>;
    /// The pointer to a place.
    fn pointer(&self, place: u32) -> *mut u8;
    /// The place of a pointer.
    fn place(&self, pointer: *mut u8) -> u32;
}

/// What memory grows by, in bytes.
pub const PAGE: u32 = 1 << 16;
/// What all that is taken is aligned to.
pub const ALIGN: usize = UNIT as usize;

/// Blocks are whole units long. What is behind their heads begins at a multiple of one.
const UNIT: u32 = 16;
/// Bytes before those that a block is for: its size, and that of its left neighbour.
const HEAD: u32 = 8;
const LEFT: u32 = 4;
const NEXT: u32 = 8;
const PREVIOUS: u32 = 12;
const FREE: u32 = 1;

/// One more than the list of the greatest size.
const LISTS: usize = 208;
/// Blocks of the wanted size's own list that are looked at: some may be too small.
const LOOK: usize = 16;

/// Memory in blocks that are taken and given back.
pub struct Heap<M> {
    memory: M,
    /// The first free block of each list, or 0.
    lists: [u32; LISTS],
    /// A bit for each list that has blocks.
    filled: [u64; LISTS.div_ceil(64)],
    /// Where the newest stretch of memory ends.
    end: u32,
}

impl<M: Memory> Heap<M> {
    pub const fn new(memory: M) -> Self {
        Self {
            memory,
            lists: [0; LISTS],
            filled: [0; LISTS.div_ceil(64)],
            end: 0,
        }
    }

    /// So many bytes, aligned to [`ALIGN`]; null if there is no more memory.
    pub fn take(&mut self, bytes: usize) -> *mut u8 {
        let Some(size) = block_size(bytes) else {
            return null_mut();
        };
        let block = loop {
            match self.find(size) {
                Some(block) => break block,
                None if self.grow(size) => {}
                None => return null_mut(),
            }
        };
        self.unlink(block);
        self.set(block, self.size(block));
        self.trim(block, size);
        self.memory.pointer(block + HEAD)
    }

    /// Gives a block back.
    ///
    /// # Safety
    /// [`take`](Self::take) or [`resize`](Self::resize) gave the pointer, and nobody uses it again.
    pub unsafe fn give_back(&mut self, pointer: *mut u8) {
        let block = self.memory.place(pointer) - HEAD;
        self.release(block);
    }

    /// Makes a block longer or shorter, at its place if there is room; what is in the first `kept`
    /// bytes stays. Null if there is no more memory; then the old block is as it was.
    ///
    /// # Safety
    /// As [`give_back`](Self::give_back), but if the answer is null. It has `kept` bytes and gets as
    /// many.
    pub unsafe fn resize(&mut self, pointer: *mut u8, kept: usize, bytes: usize) -> *mut u8 {
        let block = self.memory.place(pointer) - HEAD;
        let right = block + self.size(block);
        let room = if self.is_free(right) {
            self.size(block) + self.size(right)
        } else {
            self.size(block)
        };
        if let Some(size) = block_size(bytes).filter(|size| *size <= room) {
            if self.is_free(right) {
                self.unlink(right);
                self.set(block, room);
            }
            self.trim(block, size);
            return pointer;
        }
        let longer = self.take(bytes);
        if !longer.is_null() {
            // SAFETY: both have that many bytes, and a block that was just taken is no other.
            unsafe { copy_nonoverlapping(pointer, longer, kept) };
            self.release(block);
        }
        longer
    }

    /// A free block that is long enough.
    fn find(&self, size: u32) -> Option<u32> {
        let list = list_of(size);
        let mut block = self.lists[list];
        for _ in 0..LOOK {
            if block == 0 {
                break;
            }
            if self.size(block) >= size {
                return Some(block);
            }
            block = self.read(block + NEXT);
        }
        // Whatever is in a later list is.
        let later = list + 1;
        let mut bits = self.filled[later / 64] & (!0 << (later % 64));
        let mut word = later / 64;
        while bits == 0 {
            word += 1;
            bits = *self.filled.get(word)?;
        }
        Some(self.lists[word * 64 + bits.trailing_zeros() as usize])
    }

    /// Makes the memory longer, so that its last block gets this size, or, where somebody else made
    /// it longer too, one that is nearer to it. False if there is no more.
    fn grow(&mut self, size: u32) -> bool {
        let missing = size - self.free_at_end().min(size) + 2 * HEAD;
        let bytes = missing.next_multiple_of(PAGE);
        let Some(start) = self.memory.grow(bytes) else {
            return false;
        };
        let block = if start == self.end {
            start - HEAD
        } else {
            self.write(start + HEAD + LEFT, 0);
            start + HEAD
        };
        // The last page of all ends at 2^32.
        self.end = start.wrapping_add(bytes);
        let end = self.end.wrapping_sub(HEAD);
        self.write(end, 0);
        self.set(block, end - block);
        self.release(block);
        true
    }

    /// The size of the last block, if it is free.
    fn free_at_end(&self) -> u32 {
        let end = self.end.saturating_sub(HEAD);
        if end == 0 {
            return 0;
        }
        let last = end - self.read(end + LEFT);
        if self.is_free(last) {
            self.size(last)
        } else {
            0
        }
    }

    /// Frees what a block that is taken has beyond this size.
    fn trim(&mut self, block: u32, size: u32) {
        let rest = self.size(block) - size;
        if rest > 0 {
            self.set(block, size);
            self.set(block + size, rest);
            self.release(block + size);
        }
    }

    /// Frees a block.
    fn release(&mut self, mut block: u32) {
        let mut size = self.size(block);
        let right = block + size;
        if self.is_free(right) {
            self.unlink(right);
            size += self.size(right);
        }
        // The first one is its own left neighbour, and not free yet.
        let left = block - self.read(block + LEFT);
        if self.is_free(left) {
            self.unlink(left);
            size += self.size(left);
            block = left;
        }
        self.set(block, size);
        self.write(block, size | FREE);
        self.link(block, size);
    }

    fn link(&mut self, block: u32, size: u32) {
        let list = list_of(size);
        let next = std::mem::replace(&mut self.lists[list], block);
        self.filled[list / 64] |= 1 << (list % 64);
        self.write(block + NEXT, next);
        self.write(block + PREVIOUS, 0);
        if next != 0 {
            self.write(next + PREVIOUS, block);
        }
    }

    fn unlink(&mut self, block: u32) {
        let (next, previous) = (self.read(block + NEXT), self.read(block + PREVIOUS));
        if next != 0 {
            self.write(next + PREVIOUS, previous);
        }
        if previous != 0 {
            return self.write(previous + NEXT, next);
        }
        let list = list_of(self.size(block));
        self.lists[list] = next;
        if next == 0 {
            self.filled[list / 64] &= !(1 << (list % 64));
        }
    }

    /// Says how long a block is that is not free, and tells its right neighbour.
    fn set(&mut self, block: u32, size: u32) {
        self.write(block, size);
        self.write(block + size + LEFT, size);
    }

    fn size(&self, block: u32) -> u32 {
        self.read(block) & !FREE
    }

    fn is_free(&self, block: u32) -> bool {
        self.read(block) & FREE != 0
    }

    fn read(&self, place: u32) -> u32 {
        // SAFETY: places are heads of blocks in memory that `grow` gave, or the links behind one
        // that is free; nobody else writes there.
        unsafe { self.memory.pointer(place).cast::<u32>().read() }
    }

    fn write(&mut self, place: u32, value: u32) {
        // SAFETY: as in `read`.
        unsafe { self.memory.pointer(place).cast::<u32>().write(value) }
    }
}

/// The size of a block for so many bytes, its head included; `None` if there can be none.
fn block_size(bytes: usize) -> Option<u32> {
    // No layout has more than half of what can be addressed.
    let bytes = i32::try_from(bytes).ok()?;
    Some((bytes as u32 + HEAD).next_multiple_of(UNIT))
}

/// The list of free blocks of this size: one for each multiple of a unit below 16, then eight for
/// each power of two.
fn list_of(size: u32) -> usize {
    let units = size / UNIT;
    let exponent = units.ilog2().saturating_sub(3);
    (exponent * 8 + (units >> exponent)) as usize
}
