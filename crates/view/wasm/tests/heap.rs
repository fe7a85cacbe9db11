//! The page's heap, on the machine that tests it.

use std::ptr::null_mut;

use proptest::prelude::*;

#[path = "../src/heap.rs"]
mod heap;

use heap::{ALIGN, Heap, Memory, PAGE};

/// So many pages, of which the first is nobody's.
struct Pages {
    bytes: Vec<[u128; PAGE as usize / 16]>,
    base: *mut u8,
    used: u32,
    /// A page is lost each time: somebody else made the memory longer too.
    gaps: bool,
}

impl Pages {
    fn new(pages: usize, gaps: bool) -> Self {
        let mut bytes = vec![[0; PAGE as usize / 16]; pages];
        Self {
            base: bytes.as_mut_ptr().cast(),
            bytes,
            used: PAGE,
            gaps,
        }
    }
}

// SAFETY: the vector keeps its place, and is used through its pointer alone.
unsafe impl Memory for Pages {
    fn grow(&mut self, bytes: u32) -> Option<u32> {
        assert!(bytes.is_multiple_of(PAGE));
        let start = self.used + if self.gaps { PAGE } else { 0 };
        let end = start.checked_add(bytes)?;
        if end as usize > self.bytes.len() * PAGE as usize {
            return None;
        }
        self.used = end;
        Some(start)
    }

    fn pointer(&self, place: u32) -> *mut u8 {
        assert!((PAGE..self.used).contains(&place));
        self.base.wrapping_add(place as usize)
    }

    fn place(&self, pointer: *mut u8) -> u32 {
        (pointer.addr() - self.base.addr()) as u32
    }
}

/// Bytes that were taken, all of one value.
struct Taken {
    pointer: *mut u8,
    bytes: usize,
    value: u8,
}

impl Taken {
    fn fill(&self) {
        assert!(self.pointer.addr().is_multiple_of(ALIGN));
        // SAFETY: the heap gave so many bytes.
        unsafe { self.pointer.write_bytes(self.value, self.bytes) };
    }

    fn check(&self, bytes: usize) {
        // SAFETY: as above, and `fill` filled them.
        let bytes = unsafe { std::slice::from_raw_parts(self.pointer, bytes) };
        assert!(bytes.iter().all(|byte| *byte == self.value));
    }
}

fn sizes() -> impl Strategy<Value = usize> {
    prop_oneof![8 => 1usize..100, 4 => 100usize..5_000, 1 => 5_000usize..300_000]
}

#[derive(Clone, Debug)]
enum Step {
    Take(usize),
    GiveBack(prop::sample::Index),
    Resize(prop::sample::Index, usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => sizes().prop_map(Step::Take),
        3 => any::<prop::sample::Index>().prop_map(Step::GiveBack),
        2 => (any::<prop::sample::Index>(), sizes()).prop_map(|(at, size)| Step::Resize(at, size)),
    ];
    prop::collection::vec(step, 0..300)
}

/// Takes the steps, then gives all back. What each block holds must stay.
fn walk(heap: &mut Heap<Pages>, steps: Vec<Step>) {
    let mut taken: Vec<Taken> = Vec::new();
    for (number, step) in steps.into_iter().enumerate() {
        let value = number as u8;
        match step {
            Step::Take(bytes) => {
                let pointer = heap.take(bytes);
                if pointer.is_null() {
                    continue;
                }
                let new = Taken {
                    pointer,
                    bytes,
                    value,
                };
                new.fill();
                taken.push(new);
            }
            Step::GiveBack(_) | Step::Resize(..) if taken.is_empty() => {}
            Step::GiveBack(at) => {
                let old = taken.swap_remove(at.index(taken.len()));
                old.check(old.bytes);
                // SAFETY: it was taken, and is forgotten.
                unsafe { heap.give_back(old.pointer) };
            }
            Step::Resize(at, bytes) => {
                let at = at.index(taken.len());
                let block = &mut taken[at];
                let kept = block.bytes.min(bytes);
                // SAFETY: it was taken, has so many bytes, and the old pointer is forgotten.
                let pointer = unsafe { heap.resize(block.pointer, kept, bytes) };
                if pointer.is_null() {
                    continue;
                }
                block.pointer = pointer;
                block.check(kept);
                (block.bytes, block.value) = (bytes, value);
                block.fill();
            }
        }
    }
    for block in taken {
        block.check(block.bytes);
        // SAFETY: as above.
        unsafe { heap.give_back(block.pointer) };
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn blocks_keep_what_they_hold(steps in steps(), gaps in any::<bool>()) {
        let mut heap = Heap::new(Pages::new(300, gaps));
        walk(&mut heap, steps);
    }

    /// What was given back is one block again, as long as all of the memory.
    #[test]
    fn free_blocks_join(steps in steps()) {
        let pages = 300;
        let mut heap = Heap::new(Pages::new(pages, false));
        walk(&mut heap, steps);
        // Growing may take a page more than it must.
        let all = (pages - 2) * PAGE as usize;
        let one = heap.take(all);
        prop_assert!(!one.is_null());
        prop_assert!(heap.take(PAGE as usize).is_null());
    }
}

/// Rounds of questions: what they took is used again, whatever the sizes.
#[test]
fn memory_is_used_again() {
    let pages = |mut heap: Heap<Pages>, rounds: usize| {
        for round in 0..rounds {
            let sizes = (0..300).map(|n| (n * 7919 + round * 104_729) % 40_000 + 1);
            let blocks: Vec<_> = sizes.map(|size| heap.take(size)).collect();
            let (even, odd): (Vec<_>, Vec<_>) = (0..blocks.len()).partition(|n| n % 2 == 0);
            for at in [odd, even].concat() {
                // SAFETY: each was taken, and none is used again.
                unsafe { heap.give_back(blocks[at]) };
            }
        }
        let mut free = 0;
        while !heap.take(PAGE as usize - 24).is_null() {
            free += 1;
        }
        free
    };
    let once = pages(Heap::new(Pages::new(500, false)), 1);
    assert_eq!(pages(Heap::new(Pages::new(500, false)), 300), once);
    assert!(once > 400);
}

#[test]
fn the_last_byte_can_be_taken_and_no_more() {
    let mut heap = Heap::new(Pages::new(4, false));
    assert_eq!(heap.take(usize::MAX), null_mut());
    assert_eq!(heap.take(3 * PAGE as usize - 23), null_mut());
    let one = heap.take(1000);
    let rest = heap.take(2 * PAGE as usize);
    assert!(!one.is_null() && !rest.is_null());
    let kept = Taken {
        pointer: one,
        bytes: 1000,
        value: 7,
    };
    kept.fill();
    // SAFETY: it was taken, has so many bytes, and stays where there is no room.
    let longer = unsafe { heap.resize(one, 1000, 2 * PAGE as usize) };
    assert!(longer.is_null());
    kept.check(1000);
    // SAFETY: as above, but this time there is room elsewhere.
    let pointer = unsafe { heap.resize(one, 1000, 2000) };
    Taken { pointer, ..kept }.check(1000);
}
