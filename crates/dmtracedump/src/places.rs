//! Where each thread of a trace stands in the list of threads.

/// Numbers that share a page of the table.
const PAGE: usize = 1 << 8;

/// By thread number: its place plus one, or 0. Threads have numbers close to each other, so few of the
/// pages are ever needed, and a small trace does not pay for a table of all numbers.
#[derive(Default)]
pub(super) struct Places {
    pages: Vec<Option<Box<[u32; PAGE]>>>,
}

impl Places {
    /// The place of a thread that has one.
    #[inline]
    pub fn of(&self, thread: u16) -> Option<usize> {
        let (page, at) = split(thread);
        let place = self.pages.get(page)?.as_ref()?[at];
        (place as usize).checked_sub(1)
    }

    /// Gives a thread its place.
    pub fn put(&mut self, thread: u16, place: usize) {
        let (page, at) = split(thread);
        if self.pages.len() <= page {
            self.pages.resize(page + 1, None);
        }
        // There are no more threads than numbers.
        self.pages[page].get_or_insert_with(|| Box::new([0; PAGE]))[at] = place as u32 + 1;
    }
}

/// Which page, and where in it.
#[inline]
fn split(thread: u16) -> (usize, usize) {
    let number = usize::from(thread);
    (number / PAGE, number % PAGE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_may_have_a_place() {
        let mut places = Places::default();
        for (place, thread) in (0..=u16::MAX).rev().enumerate() {
            assert_eq!(places.of(thread), None);
            places.put(thread, place);
        }
        assert_eq!(places.of(0), Some(65535));
        assert_eq!(places.of(u16::MAX), Some(0));
    }
}
