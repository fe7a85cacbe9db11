//! A sparse list, indexed by number. Only pages in use need memory.

/// The number of items per page.
const PAGE: usize = 64;

/// A list of items by number. Items that were never changed are blank.
///
/// ```
/// let mut counts = traceloom_trace::Paged::new(0);
/// *counts.get_mut(60_000) += 1;
/// assert_eq!((counts.get(60_000), counts.get(7)), (1, 0));
/// ```
#[derive(Clone, Debug)]
pub struct Paged<T> {
    blank: T,
    pages: Vec<Option<Box<[T; PAGE]>>>,
}

impl<T: Copy> Paged<T> {
    /// An empty list.
    pub fn new(blank: T) -> Self {
        Self {
            blank,
            pages: Vec::new(),
        }
    }

    /// An item.
    #[inline]
    pub fn get(&self, at: usize) -> T {
        match self.pages.get(at / PAGE) {
            Some(Some(page)) => page[at % PAGE],
            _ => self.blank,
        }
    }

    /// An item, mutable.
    #[inline]
    pub fn get_mut(&mut self, at: usize) -> &mut T {
        if !matches!(self.pages.get(at / PAGE), Some(Some(_))) {
            self.add(at / PAGE);
        }
        let blank = self.blank;
        let page = self.pages[at / PAGE].get_or_insert_with(|| Box::new([blank; PAGE]));
        &mut page[at % PAGE]
    }

    #[cold]
    fn add(&mut self, page: usize) {
        if page >= self.pages.len() {
            self.pages.resize(page + 1, None);
        }
        self.pages[page] = Some(Box::new([self.blank; PAGE]));
    }
}
