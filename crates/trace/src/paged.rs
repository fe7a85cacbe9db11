//! A sparse list, indexed by number. Only parts in use need memory.

/// The number of items per page, and of pages per shelf.
const PAGE: usize = 64;

/// The number of items per shelf.
const SHELF: usize = PAGE * PAGE;

type Page<T> = Box<[T; PAGE]>;
type Shelf<T> = Box<[Option<Page<T>>; PAGE]>;

/// A list of items by number. Items that were never changed are blank.
///
/// There may be many inputs, each with its own list for a few numbers, which are high because of earlier inputs. The
/// two levels keep such a list small.
///
/// ```
/// let mut counts = traceloom_trace::Paged::new(0);
/// *counts.get_mut(60_000) += 1;
/// assert_eq!((counts.get(60_000), counts.get(7)), (1, 0));
/// ```
#[derive(Clone, Debug)]
pub struct Paged<T> {
    blank: T,
    shelves: Vec<Option<Shelf<T>>>,
}

impl<T: Copy> Paged<T> {
    /// An empty list.
    pub fn new(blank: T) -> Self {
        Self {
            blank,
            shelves: Vec::new(),
        }
    }

    /// An item.
    #[inline]
    pub fn get(&self, at: usize) -> T {
        let Some(Some(shelf)) = self.shelves.get(at / SHELF) else {
            return self.blank;
        };
        match &shelf[at / PAGE % PAGE] {
            Some(page) => page[at % PAGE],
            None => self.blank,
        }
    }

    /// An item, mutable.
    #[inline]
    pub fn get_mut(&mut self, at: usize) -> &mut T {
        if at / SHELF >= self.shelves.len() {
            self.shelves.resize_with(at / SHELF + 1, || None);
        }
        let blank = self.blank;
        let shelf = self.shelves[at / SHELF].get_or_insert_with(new_shelf);
        let page = shelf[at / PAGE % PAGE].get_or_insert_with(|| new_page(blank));
        &mut page[at % PAGE]
    }
}

#[cold]
fn new_shelf<T>() -> Shelf<T> {
    Box::new([const { None }; PAGE])
}

#[cold]
fn new_page<T: Copy>(blank: T) -> Page<T> {
    Box::new([blank; PAGE])
}
