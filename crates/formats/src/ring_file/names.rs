//! The names of ids: what notes tell of them.

use rustc_hash::FxHashMap;

/// Names by id. One that nobody told is shown as `#7`.
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

    /// The name, or the id.
    pub fn of(&mut self, id: u32) -> &[u8] {
        if let Some(told) = self.told.get(&id) {
            return told;
        }
        self.made.clear();
        // Writing into a vector cannot fail.
        let _ = std::io::Write::write_fmt(&mut self.made, format_args!("#{id}"));
        &self.made
    }
}

/// Class, method and signature of a method's name: `class method signature`, as maps of methods have it, or
/// `class.method`. Kotlin's names of methods may have blanks.
pub(super) fn method_parts(name: &str) -> (&str, &str, &str) {
    if let Some((class, rest)) = name.split_once(' ') {
        let signature_at = rest.rfind(" (").unwrap_or(rest.len());
        let (method, signature) = rest.split_at(signature_at);
        return (class, method, signature.trim_start());
    }
    match name.rsplit_once('.') {
        Some((class, method)) => (class, method, ""),
        None => ("", name, ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_methods() {
        assert_eq!(method_parts("a.B c (I)V"), ("a.B", "c", "(I)V"));
        assert_eq!(method_parts("a.B c"), ("a.B", "c", ""));
        let blanks = ("a.B", "does it", "(...)");
        assert_eq!(method_parts("a.B does it (...)"), blanks);
        assert_eq!(method_parts("a.B.c"), ("a.B", "c", ""));
        assert_eq!(method_parts("c"), ("", "c", ""));
    }

    #[test]
    fn ids_without_a_name() {
        let mut names = Names::new([(1, &b"a"[..]), (1, b"b")].into_iter());
        assert_eq!(names.of(1), b"b");
        assert_eq!(names.of(22), b"#22");
        assert_eq!(names.told(22), None);
    }
}
