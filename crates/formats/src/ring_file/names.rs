//! The names of ids: what notes tell of them.

use rustc_hash::FxHashMap;
use traceloom_ring::unnamed_id;

/// Names by id.
pub(super) struct Names<'r> {
    told: FxHashMap<u32, &'r [u8]>,
    made: Vec<u8>,
}

impl<'r> Names<'r> {
    /// The last name of each id.
    pub fn new(names: impl Iterator<Item = (u32, &'r [u8])>) -> Self {
        Self {
            told: names.collect(),
            made: Vec::new(),
        }
    }

    /// The name, if anybody told it.
    pub fn told(&self, id: u32) -> Option<&'r [u8]> {
        self.told.get(&id).copied()
    }

    /// The name, or what stands for it.
    pub fn of(&mut self, id: u32) -> &[u8] {
        if let Some(told) = self.told.get(&id) {
            return told;
        }
        self.made = unnamed_id(id).into_bytes();
        &self.made
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_without_a_name() {
        let mut names = Names::new([(1, &b"a"[..]), (1, b"b")].into_iter());
        assert_eq!(names.of(1), b"b");
        assert_eq!(names.of(22), b"#22");
        assert_eq!(names.told(22), None);
    }
}
