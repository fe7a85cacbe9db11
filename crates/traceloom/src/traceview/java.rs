//! Behaviour of Java's class library that affects Traceview's output: parsing of numbers and lines,
//! and the iteration order of its hash map.

use traceloom_trace::sort;

/// Parses a number like `Long.decode`: decimal, `0x`/`#` hexadecimal, or octal after a `0`, with an
/// optional sign. `None` if Java would throw an exception.
pub(crate) fn decode_long(text: &str) -> Option<i64> {
    let (negative, digits) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let hex = ["0x", "0X", "#"]
        .iter()
        .find_map(|prefix| digits.strip_prefix(prefix));
    let (radix, digits) = match (hex, digits.strip_prefix('0')) {
        (Some(rest), _) => (16, rest),
        (None, Some(rest)) if !rest.is_empty() => (8, rest),
        _ => (10, digits),
    };
    if digits.starts_with(['-', '+']) {
        return None;
    }
    let value = i128::from_str_radix(digits, radix).ok()?;
    i64::try_from(if negative { -value } else { value }).ok()
}

/// Parses a number like `Integer.decode`.
pub(crate) fn decode_int(text: &str) -> Option<i32> {
    decode_long(text)?.try_into().ok()
}

/// Splits at tabs like `String.split`: empty fields at the end are dropped.
pub(crate) fn split_tabs(line: &str) -> Vec<&str> {
    let mut fields: Vec<&str> = line.split('\t').collect();
    while fields.len() > 1 && fields.last() == Some(&"") {
        fields.pop();
    }
    fields
}

/// Splits lines like `BufferedReader.readLine`: at `\n`, `\r` or `\r\n`. A last line without a line
/// end counts unless it is empty.
pub(crate) struct Lines<'a> {
    rest: &'a [u8],
}

impl<'a> Lines<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        let end = self.rest.iter().position(|b| matches!(b, b'\n' | b'\r'));
        let end = end.unwrap_or(self.rest.len());
        let line = &self.rest[..end];
        let eol = if self.rest[end..].starts_with(b"\r\n") {
            2
        } else {
            1
        };
        self.rest = self.rest.get(end + eol..).unwrap_or_default();
        Some(line)
    }
}

/// Decodes text like Java's US-ASCII decoder: every other byte becomes U+FFFD.
pub(crate) fn ascii(bytes: &[u8]) -> String {
    bytes
        .iter()
        .map(|&b| if b.is_ascii() { b as char } else { '\u{fffd}' })
        .collect()
}

/// Compares like `String.compareTo`, by UTF-16 units.
pub(crate) fn compare_strings(a: &str, b: &str) -> std::cmp::Ordering {
    a.encode_utf16().cmp(b.encode_utf16())
}

/// The iteration order of a `java.util.HashMap<Integer, _>` into which `keys` were inserted in this
/// order. The result contains indexes into `keys`.
///
/// The number of bins is a power of two, 16 at first. The bin of a key is given by the low bits of
/// `key ^ (key >>> 16)`. The map doubles when it holds more keys than three quarters of its bins,
/// or when a ninth key is added to a bin while there are fewer than 64 bins. Iteration is by bin,
/// and within a bin in the order of insertion. (In a larger map, a bin with nine or more keys
/// becomes a tree, whose order may differ. That requires nine thread ids with equal low bits.)
pub(crate) fn hash_map_order(keys: &[i32]) -> Vec<usize> {
    let spread = |key: i32| (key as u32) ^ (key as u32 >> 16);
    let bin_of = |key: i32, bins: usize| spread(key) as usize & (bins - 1);
    let mut sizes = vec![0_u32; 16];
    for (count, &key) in keys.iter().enumerate() {
        let bin = bin_of(key, sizes.len());
        sizes[bin] += 1;
        let crowded = sizes[bin] > 8 && sizes.len() < 64;
        let full = |bins: usize| count + 1 > bins / 4 * 3;
        let mut bins = sizes.len() << u32::from(crowded);
        bins <<= u32::from(full(bins));
        if bins != sizes.len() {
            sizes = vec![0; bins];
            for &key in &keys[..=count] {
                sizes[bin_of(key, bins)] += 1;
            }
        }
    }
    let mut order: Vec<usize> = (0..keys.len()).collect();
    sort::by_key(&mut order, |&position| bin_of(keys[position], sizes.len()));
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        assert_eq!(decode_long("0x62830738"), Some(0x6283_0738));
        assert_eq!(decode_long("-0x10"), Some(-16));
        assert_eq!(decode_long("#ff"), Some(255));
        assert_eq!(decode_long("010"), Some(8));
        assert_eq!(decode_long("0"), Some(0));
        for bad in [
            "",
            "-",
            "0x",
            "08",
            "--1",
            "0x-1",
            "1 ",
            "0xffffffffffffffff",
        ] {
            assert_eq!(decode_long(bad), None, "{bad}");
        }
        assert_eq!(decode_int("3000000000"), None);
    }

    #[test]
    fn lines_and_fields() {
        let lines: Vec<_> = Lines::new(b"a\r\nb\rc\n\nd").collect();
        assert_eq!(lines, [&b"a"[..], b"b", b"c", b"", b"d"]);
        assert_eq!(split_tabs("a\t\tb\t\t"), ["a", "", "b"]);
        assert_eq!(split_tabs(""), [""]);
        assert_eq!(ascii("é".as_bytes()), "\u{fffd}\u{fffd}");
    }

    /// The expected orders were printed by a real `java.util.HashMap` (OpenJDK 17).
    #[test]
    fn map_order() {
        let order = |keys: &[i32]| -> Vec<i32> {
            hash_map_order(keys).into_iter().map(|i| keys[i]).collect()
        };
        assert_eq!(order(&[17, 1, 33, 2, 16]), [16, 17, 1, 33, 2]);
        assert_eq!(order(&[-1, 0, 70000]), [-1, 0, 70000]);
        let crowded: Vec<i32> = (1..=11).map(|n| n * 16).chain([5]).collect();
        assert_eq!(
            order(&crowded),
            [32, 64, 96, 128, 160, 5, 16, 48, 80, 112, 144, 176]
        );
    }
}
