//! The methods of a trace, sorted by id, and the lookup of a record's id.

use std::cmp::Ordering;

/// A method's index in [`Methods::list`].
pub(super) type MethodIndex = u32;

/// The pseudo-method in which every thread runs: the method with the lowest id, which is −2 for
/// `(toplevel)` unless a file declares a lower one.
pub(super) const TOPLEVEL: MethodIndex = 0;

/// The pseudo-method of records with an undeclared id; its id is −1, so it is second.
pub(super) const UNKNOWN: MethodIndex = 1;

/// The length of an escaped text, with C's final NUL, at which the original aborts.
const ORIGINAL_HTML_LIMIT: usize = 10_240;

/// A line of `*methods`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Method<'a> {
    pub id: i64,
    pub class: &'a [u8],
    /// None for pseudo-methods and for lines with only a function name.
    pub name: Option<&'a [u8]>,
    pub signature: &'a [u8],
}

impl Method<'_> {
    /// Whether a text of this method is too long for the original to escape.
    pub fn is_too_long(&self) -> bool {
        let texts = [self.class, self.name.unwrap_or_default(), self.signature];
        texts.iter().any(|text| {
            let escaped_len = |byte: &u8| match byte {
                b'<' | b'>' => 4,
                b'&' => 5,
                _ => 1,
            };
            text.iter().map(escaped_len).sum::<usize>() >= ORIGINAL_HTML_LIMIT
        })
    }
}

/// All methods, sorted by id, with the two pseudo-methods.
pub(super) struct Methods<'a> {
    pub list: Vec<Method<'a>>,
}

impl<'a> Methods<'a> {
    /// Adds the pseudo-methods to the declared ones and sorts by id; equal ids stay in file order.
    pub fn new(declared: Vec<Method<'a>>) -> Self {
        let pseudo = |id, class| Method {
            id,
            class,
            name: None,
            signature: &b""[..],
        };
        // They come before declared methods with the same id.
        let mut list = vec![pseudo(-2, &b"(toplevel)"[..]), pseudo(-1, b"(unknown)")];
        list.extend(declared);
        list.sort_by_key(|method| method.id);
        Methods { list }
    }

    pub fn get(&self, index: MethodIndex) -> &Method<'a> {
        &self.list[index as usize]
    }

    /// The method with this id, if it is declared. If several methods have it, the result depends
    /// on the steps of the binary search, which are the same as in the original.
    pub fn find(&self, id: u32) -> Option<MethodIndex> {
        let (mut low, mut high) = (0, self.list.len());
        while low < high {
            // The original's upper end is the last method, not the one after it.
            let middle = (low + high - 1) / 2;
            match self.list[middle].id.cmp(&i64::from(id)) {
                Ordering::Equal => return Some(middle as MethodIndex),
                Ordering::Less => low = middle + 1,
                Ordering::Greater => high = middle,
            }
        }
        None
    }
}
