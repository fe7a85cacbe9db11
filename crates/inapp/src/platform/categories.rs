//! Categories of trace points and their tags: the bits of libcutils' mask (`cutils/trace.h`), with atrace's names.

use std::fmt;

/// `ATRACE_TAG_ALWAYS`: on whenever any tag is on.
pub const ALWAYS: u64 = 1;
/// `ATRACE_TAG_NOT_READY`: the library has not read its properties yet.
pub const NOT_READY: u64 = 1 << 63;
/// `ATRACE_TAG_APP`, which atrace turns on for chosen apps.
const APP: (&str, u8) = ("app", 12);

/// As of Android 14.
const TAGS: [(&str, u8); 26] = [
    ("gfx", 1),
    ("input", 2),
    ("view", 3),
    ("webview", 4),
    ("wm", 5),
    ("am", 6),
    ("sm", 7),
    ("audio", 8),
    ("video", 9),
    ("camera", 10),
    ("hal", 11),
    ("res", 13),
    ("dalvik", 14),
    ("rs", 15),
    ("bionic", 16),
    ("power", 17),
    ("pm", 18),
    ("ss", 19),
    ("database", 20),
    ("network", 21),
    ("adb", 22),
    ("vibrator", 23),
    ("aidl", 24),
    ("nnapi", 25),
    ("rro", 26),
    ("thermal", 27),
];

/// A set of trace points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tags(pub(super) u64);

impl Tags {
    /// No trace points.
    pub(crate) fn none() -> Self {
        Self(0)
    }

    /// All named trace points, including `app`.
    pub fn all() -> Self {
        Self(Self::named().fold(ALWAYS, |mask, (_, bit)| mask | 1 << bit))
    }

    /// The trace points of these categories: `app` (what an app writes through `android.os.Trace.beginSection` or
    /// `ATrace_beginSection`), and atrace's categories with a tag: `gfx`, `view`, `dalvik` …
    ///
    /// # Errors
    ///
    /// The first unknown name.
    pub fn from_names<S: AsRef<str>>(categories: &[S]) -> Result<Self, UnknownCategory> {
        let bit = |name: &str| Self::named().find(|(category, _)| *category == name);
        let mut mask = ALWAYS;
        for name in categories.iter().map(AsRef::as_ref) {
            let (_, bit) = bit(name).ok_or_else(|| UnknownCategory(name.to_owned()))?;
            mask |= 1 << bit;
        }
        Ok(Self(mask))
    }

    /// The trace points of a libcutils mask.
    pub fn from_mask(mask: u64) -> Self {
        Self((mask & !NOT_READY) | ALWAYS)
    }

    /// The mask for libcutils.
    pub fn mask(self) -> u64 {
        self.0
    }

    /// Name and bit of every category.
    pub fn named() -> impl Iterator<Item = (&'static str, u8)> {
        [APP].into_iter().chain(TAGS)
    }
}

/// An unknown category, or one without a tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownCategory(pub String);

impl fmt::Display for UnknownCategory {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        write!(to, "unknown category {:?}; the categories are", self.0)?;
        Tags::named().try_for_each(|(name, _)| write!(to, " {name}"))
    }
}

impl std::error::Error for UnknownCategory {}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use traceloom_tracefs::Catalog;

    use super::*;

    #[test]
    fn names_are_bits() {
        assert_eq!(
            Tags::from_names(&["gfx", "app"]).unwrap().mask(),
            0b1_0000_0000_0011
        );
        assert_eq!(Tags::from_names::<&str>(&[]).unwrap().mask(), ALWAYS);
        assert_eq!(Tags::all().mask(), (1 << 28) - 1);
        let error = Tags::from_names(&["gfx", "sched"]).unwrap_err().to_string();
        assert!(
            error.contains("\"sched\"") && error.contains(" dalvik "),
            "{error}"
        );
    }

    #[test]
    fn the_table_equals_atraces() {
        let catalog = Catalog::built_in();
        let theirs = catalog
            .categories()
            .iter()
            .filter(|category| category.tags != 0);
        let theirs: BTreeMap<_, _> = theirs
            .map(|category| (category.name.as_str(), category.tags))
            .collect();
        let ours: BTreeMap<_, _> = TAGS.iter().map(|(name, bit)| (*name, 1 << bit)).collect();
        assert_eq!(ours, theirs);
    }
}
