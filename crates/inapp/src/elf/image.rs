//! A loaded library: its segments and its dynamic section.

use std::ops::Range;

use super::dynamic::Dynamic;
use super::memory::{Memory, WORD};

const PT_LOAD: u32 = 1;
const PT_DYNAMIC: u32 = 2;
const PT_GNU_RELRO: u32 = 0x6474_e552;

/// The needed fields of a program header. Addresses do not include the load bias.
#[derive(Clone, Copy, Debug)]
pub struct Segment {
    /// `p_type`.
    pub kind: u32,
    /// `p_vaddr`.
    pub address: usize,
    /// `p_memsz`, bytes.
    pub size: usize,
}

/// A library in memory.
pub struct Image<M> {
    memory: M,
    pub(super) bias: usize,
    loaded: Vec<Range<usize>>,
    relro: Option<Range<usize>>,
    pub(super) dynamic: Dynamic,
}

impl<M: Memory> Image<M> {
    /// A library that was loaded `bias` bytes above the addresses in its file. `None` if it has no readable dynamic
    /// section.
    pub fn new(memory: M, bias: usize, headers: &[Segment]) -> Option<Self> {
        let range = |header: &Segment| {
            let start = bias.wrapping_add(header.address);
            Some(start..start.checked_add(header.size)?)
        };
        let of_kind = |kind: u32| headers.iter().filter(move |header| header.kind == kind);
        let table = of_kind(PT_DYNAMIC).find_map(range)?;
        let mut image = Self {
            memory,
            bias,
            loaded: of_kind(PT_LOAD).filter_map(range).collect(),
            relro: of_kind(PT_GNU_RELRO).find_map(range),
            dynamic: Dynamic::default(),
        };
        let entries = table.step_by(2 * WORD);
        let entries = entries.map(|at| image.word(at).zip(image.word(at.wrapping_add(WORD))));
        image.dynamic = Dynamic::read(entries)?;
        Some(image)
    }

    /// Whether all `len` bytes at `address` are in one segment of the library.
    pub fn contains(&self, address: usize, len: usize) -> bool {
        let end = address.checked_add(len);
        let within =
            |part: &Range<usize>| end.is_some_and(|end| part.start <= address && end <= part.end);
        self.loaded.iter().any(within)
    }

    /// The part that the linker makes read-only after binding the library.
    pub fn relro(&self) -> Option<Range<usize>> {
        self.relro.clone()
    }

    /// The address of a `d_ptr`. In memory, glibc adds the bias to these values; bionic and musl do not. A value that is
    /// an address inside the library is taken as such.
    pub(super) fn located(&self, pointer: usize) -> usize {
        if self.contains(pointer, 1) {
            pointer
        } else {
            self.bias.wrapping_add(pointer)
        }
    }

    pub(super) fn bytes<const N: usize>(&self, address: usize) -> Option<[u8; N]> {
        let mut bytes = [0; N];
        (self.contains(address, N) && self.memory.read(address, &mut bytes)).then_some(bytes)
    }

    pub(super) fn word(&self, address: usize) -> Option<usize> {
        self.bytes::<WORD>(address).map(usize::from_ne_bytes)
    }

    pub(super) fn u32(&self, address: usize) -> Option<u32> {
        self.bytes(address).map(u32::from_ne_bytes)
    }

    /// Whether the C string at `address` equals `text`.
    pub(super) fn is_text(&self, address: usize, text: &[u8]) -> bool {
        let mut buffer = [0_u8; 64];
        let Some(found) = buffer.get_mut(..=text.len()) else {
            return false;
        };
        let is_readable = self.contains(address, found.len()) && self.memory.read(address, found);
        is_readable && found.strip_suffix(&[0]) == Some(text)
    }
}
