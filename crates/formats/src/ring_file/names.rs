//! The names of ids, from the notes in the file.

use rustc_hash::FxHashMap;
use traceloom_ring::unnamed_id;

/// Names by id.
pub(super) struct Names<'r> {
    noted: FxHashMap<u32, &'r [u8]>,
    /// The last generated name.
    made_up: Vec<u8>,
}

impl<'r> Names<'r> {
    /// Takes the last name of each id.
    pub fn new(names: impl Iterator<Item = (u32, &'r [u8])>) -> Self {
        Self {
            noted: names.collect(),
            made_up: Vec::new(),
        }
    }

    /// The recorded name.
    pub fn name(&self, id: u32) -> Option<&'r [u8]> {
        self.noted.get(&id).copied()
    }

    /// The recorded name, or one generated from the id.
    pub fn name_or_id(&mut self, id: u32) -> &[u8] {
        if let Some(noted) = self.noted.get(&id) {
            return noted;
        }
        self.made_up = unnamed_id(id).into_bytes();
        &self.made_up
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_without_a_name() {
        let mut names = Names::new([(1, &b"a"[..]), (1, b"b")].into_iter());
        assert_eq!(names.name_or_id(1), b"b");
        assert_eq!(names.name_or_id(22), b"#22");
        assert_eq!(names.name(22), None);
    }
}
