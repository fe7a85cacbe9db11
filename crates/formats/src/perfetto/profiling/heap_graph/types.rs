//! Class names: arrays, `java.lang.Class` objects, and original names before R8.

use rustc_hash::FxHashMap;
use traceloom_trace::StringId;

/// A field: its name, including its class, and its type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Field {
    pub name: StringId,
    pub kind: StringId,
}

/// Original names: of classes by package and obfuscated name, and of fields by obfuscated name.
#[derive(Debug, Default)]
pub(crate) struct Renamed {
    pub classes: FxHashMap<(StringId, StringId), String>,
    pub fields: FxHashMap<StringId, StringId>,
}

const CLASS: &str = "java.lang.Class<";

/// A class name without `java.lang.Class<…>` and array brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bare<'a> {
    pub name: &'a str,
    /// Whether it is the type of a `java.lang.Class` object.
    pub is_class_object: bool,
    /// The number of dimensions of an array.
    pub arrays: usize,
}

impl<'a> Bare<'a> {
    /// Parses a name. `java.lang.Class<a[]>` is the `java.lang.Class` object of an array of the class `a`.
    pub fn new(name: &'a str) -> Self {
        let inner = name
            .strip_prefix(CLASS)
            .and_then(|rest| rest.strip_suffix('>'));
        let mut bare = Self {
            name: inner.unwrap_or(name),
            is_class_object: inner.is_some(),
            arrays: 0,
        };
        while let Some(element) = bare.name.strip_suffix("[]") {
            bare.name = element;
            bare.arrays += 1;
        }
        bare
    }

    /// The same type with another class name.
    pub fn with(&self, name: &str) -> String {
        let array = format!("{name}{}", "[]".repeat(self.arrays));
        if self.is_class_object {
            format!("{CLASS}{array}>")
        } else {
            array
        }
    }

    /// Whether it is the `java.lang.Class` object of a class other than an array.
    pub fn stands_for_class(&self) -> bool {
        self.is_class_object && self.arrays == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_inside_of_names() {
        let bare = Bare::new("java.lang.Class<a[][]>");
        assert_eq!(
            (bare.name, bare.arrays, bare.is_class_object),
            ("a", 2, true)
        );
        assert_eq!(bare.with("Old"), "java.lang.Class<Old[][]>");
        assert_eq!(Bare::new("b").with("New"), "New");
        assert!(Bare::new("java.lang.Class<a>").stands_for_class());
    }
}
