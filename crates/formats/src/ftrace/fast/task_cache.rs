//! A cache of texts that name a thread. Each is parsed once per batch and then recognised by its
//! bytes.

use crate::ftrace::intern::InternTable;
use crate::ftrace::payload::{TaskPlace, TaskText};
use crate::ftrace::swar::same_bytes;

/// A text and its parsed task.
#[derive(Clone, Copy, Debug)]
struct CachedTask<'a> {
    text: &'a [u8],
    place: TaskPlace,
    task: u32,
    prio: i32,
}

/// The texts seen in the batch so far.
#[derive(Debug, Default)]
pub(crate) struct TaskCache<'a> {
    table: InternTable,
    list: Vec<CachedTask<'a>>,
}

/// The number of bytes that are hashed.
pub(crate) const KEY_BYTES: usize = 24;

impl<'a> TaskCache<'a> {
    /// Forgets all texts.
    pub fn clear(&mut self) {
        self.table.clear();
        self.list.clear();
    }

    /// The task at the start of `text`, or the slot to [`add`](Self::add) it to. `key` has the
    /// bytes of the text in which tasks are likely to differ.
    #[inline(always)]
    pub fn find(
        &self,
        place: TaskPlace,
        text: &[u8],
        key: &[u8; KEY_BYTES],
    ) -> Result<TaskText<u32>, usize> {
        let is_it = |cached: &CachedTask<'_>| {
            let begin = text.split_at_checked(cached.text.len());
            let is_there = |(begin, rest): (&[u8], &[u8])| {
                same_bytes(begin, cached.text) && ends_before(place, rest.first())
            };
            cached.place == place && begin.is_some_and(is_there)
        };
        let at = self.table.find(hash(key), &self.list, is_it)?;
        let CachedTask {
            text, task, prio, ..
        } = self.list[at as usize];
        let end = text.len();
        Ok(TaskText { task, prio, end })
    }

    /// Adds a text that [`find`](Self::find) did not find, up to the byte that ends it.
    pub fn add(&mut self, slot: usize, place: TaskPlace, text: &'a [u8], read: TaskText<u32>) {
        let TaskText { task, prio, .. } = read;
        let cached = CachedTask {
            text,
            place,
            task,
            prio,
        };
        self.table.add(slot, &mut self.list, cached);
    }
}

/// Whether a cached text may end before this byte: its last number must not have more digits, and
/// the columns of a line must end at the bracket.
#[inline(always)]
fn ends_before(place: TaskPlace, byte: Option<&u8>) -> bool {
    match place {
        TaskPlace::Columns => byte == Some(&b'['),
        _ => !byte.is_some_and(u8::is_ascii_digit),
    }
}

#[inline(always)]
fn hash(key: &[u8; KEY_BYTES]) -> u32 {
    let mut all = 0_u64;
    for word in key.as_chunks::<8>().0 {
        all = (all.rotate_left(7) ^ u64::from_le_bytes(*word)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
    (all >> 32) as u32
}
