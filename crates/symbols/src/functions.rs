//! The functions of a file, sorted by address.

use std::cmp::Reverse;
use std::ops::Range;

use traceloom_formats::CodePlaces;

/// Assumed size of a file's last function if the file does not give it, bytes. perf assumes the same.
const LAST_BYTES: u64 = 4096;

/// A function of a symbol table. `N` identifies its name. Large programs have a million functions, but few names are
/// needed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Function<N> {
    pub start: u64,
    /// Size of the function; 0 if the file does not give it.
    pub bytes: u64,
    pub preference: Preference,
    pub name: N,
}

/// Decides which of several functions with the same start is named: the one with the lowest preference. The order is
/// perf's for ELF files.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Preference {
    is_weak: bool,
    is_local: bool,
    underscores: usize,
    length: Reverse<usize>,
}

impl Preference {
    /// Prefers symbols that are not weak, then global ones, then fewer leading underscores, then the longest name.
    pub fn new(name: &str, is_weak: bool, is_global: bool) -> Self {
        Self {
            is_weak,
            is_local: !is_global,
            underscores: name.len() - name.trim_start_matches('_').len(),
            length: Reverse(name.len()),
        }
    }
}

/// Code of a file, and its virtual address.
#[derive(Clone, Debug)]
pub(crate) struct Segment {
    /// Its range in the file; empty if the file has only symbols.
    pub in_file: Range<u64>,
    pub address: u64,
    /// The address and the file offset are equal modulo this number.
    pub align: u64,
}

/// The code of a file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Code {
    pub segments: Vec<Segment>,
    /// The lowest virtual address of all segments, also of those without code.
    pub image_start: u64,
}

/// The functions of a file.
#[derive(Debug)]
pub(crate) struct Functions<N> {
    /// Sorted by start; no two starts are equal.
    all: Vec<Function<N>>,
    code: Code,
}

impl<N> Functions<N> {
    /// If several functions have the same start, keeps one: preferably one with a size, then the one with the lowest
    /// [`Preference`], then the first.
    pub fn new(mut all: Vec<Function<N>>, code: Code) -> Self {
        all.sort_by_key(|function| (function.start, function.bytes == 0, function.preference));
        all.dedup_by_key(|function| function.start);
        Self { all, code }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The name of the function at a place.
    pub fn at(&self, place: u64, places: CodePlaces) -> Option<&N> {
        let address = match places {
            CodePlaces::FileOffsets { mapped_from } => self.address_of(place, mapped_from)?,
            CodePlaces::BiasedAddresses { load_bias } => self.unbiased(place, load_bias)?,
            CodePlaces::FromImageStart => self.code.image_start.checked_add(place)?,
            CodePlaces::Addresses | CodePlaces::Kernel => place,
        };
        let after = self.all.partition_point(|one| one.start <= address);
        let function = self.all.get(after.checked_sub(1)?)?;
        let end = match (function.bytes, self.all.get(after)) {
            (0, Some(next)) => next.start,
            (0, None) => function.start.saturating_add(LAST_BYTES),
            (bytes, _) => function.start.saturating_add(bytes),
        };
        (address < end).then_some(&function.name)
    }

    /// The virtual address of an offset in the file. A file that has only symbols gives the address of its code, but
    /// not its offset, which is taken from the mapping. Both begin at a multiple of the alignment.
    fn address_of(&self, offset: u64, mapped_from: u64) -> Option<u64> {
        let mut code = self.code.segments.iter();
        if let Some(segment) = code.find(|segment| segment.in_file.contains(&offset)) {
            return (offset - segment.in_file.start).checked_add(segment.address);
        }
        let first = self
            .code
            .segments
            .first()
            .filter(|first| first.in_file.is_empty())?;
        let aligned = |number: u64| number - number.checked_rem(first.align).unwrap_or(0);
        let in_mapping = offset.checked_sub(aligned(mapped_from))?;
        aligned(first.address).checked_add(in_mapping)
    }

    /// Converts an address that was computed with a load bias to an address of the file.
    fn unbiased(&self, address: u64, recorded: u64) -> Option<u64> {
        let first = self.code.segments.first();
        let whole = first.filter(|code| !code.in_file.is_empty());
        let bias = whole.map_or(0, |code| code.address.saturating_sub(code.in_file.start));
        address.checked_add(bias.saturating_sub(recorded))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(start: u64, bytes: u64, name: &'static str) -> Function<&'static str> {
        Function {
            start,
            bytes,
            preference: Preference::new(name, false, true),
            name,
        }
    }

    const ANY: CodePlaces = CodePlaces::Addresses;

    #[test]
    fn places_are_inside_of_their_functions() {
        let all = vec![
            function(0x200, 0, "label"),
            function(0x100, 0x80, "sized"),
            function(0x300, 0, "last"),
        ];
        let functions = Functions::new(all, Code::default());
        let names = [
            0xff, 0x100, 0x17f, 0x180, 0x200, 0x2ff, 0x300, 0x12ff, 0x1300,
        ];
        let names = names.map(|place| functions.at(place, ANY).copied());
        let expected = [
            None,
            Some("sized"),
            Some("sized"),
            None,
            Some("label"),
            Some("label"),
            Some("last"),
            Some("last"),
            None,
        ];
        assert_eq!(names, expected);
    }

    #[test]
    fn offsets_become_addresses_and_old_biases_are_repaired() {
        let segment = Segment {
            in_file: 0x1000..0x2000,
            address: 0x5000,
            align: 0x1000,
        };
        let code = Code {
            segments: vec![segment],
            image_start: 0x4000,
        };
        let functions = Functions::new(vec![function(0x5010, 8, "f")], code);
        let offsets = CodePlaces::FileOffsets {
            mapped_from: 0x1000,
        };
        assert_eq!(functions.at(0x1010, offsets), Some(&"f"));
        assert_eq!(functions.at(0x2010, offsets), None);
        let biased = |load_bias| CodePlaces::BiasedAddresses { load_bias };
        assert_eq!(functions.at(0x5010, biased(0x4000)), Some(&"f"));
        assert_eq!(functions.at(0x1010, biased(0)), Some(&"f"));
        assert_eq!(functions.at(0x1010, CodePlaces::FromImageStart), Some(&"f"));
        assert_eq!(functions.at(0x5010, CodePlaces::FromImageStart), None);
    }

    #[test]
    fn symbols_alone_need_the_mapping() {
        let segment = Segment {
            in_file: 0..0,
            address: 0x5400,
            align: 0x1000,
        };
        let code = Code {
            segments: vec![segment],
            image_start: 0x4000,
        };
        let functions = Functions::new(vec![function(0x5410, 8, "f")], code);
        let mapped = |mapped_from| CodePlaces::FileOffsets { mapped_from };
        assert_eq!(functions.at(0x2410, mapped(0x2000)), Some(&"f"));
        assert_eq!(functions.at(0x2410, mapped(0x1000)), None);
        assert_eq!(functions.at(0x0410, mapped(0x2000)), None);
    }

    #[test]
    fn the_best_of_several_names_is_taken() {
        let mut weak = function(1, 9, "aaaaaaaaaaaa");
        weak.preference.is_weak = true;
        let mut local = function(1, 9, "bbbbbbbbbbbb");
        local.preference.is_local = true;
        let rest = [
            function(1, 0, "no_length_at_all"),
            function(1, 9, "__malloc_of_libc"),
            function(1, 9, "malloc"),
            function(1, 9, "valloc_"),
        ];
        let mut all = vec![weak, local];
        all.extend(rest);
        let functions = Functions::new(all, Code::default());
        assert_eq!(functions.at(1, ANY), Some(&"valloc_"));
    }
}
