//! Formats the text of `trace_printk`, whose arguments the kernel records as words (`vbin_printf`).
//!
//! ```text
//! fmt  "cpu: %d load: %lu %s\n"
//! buf  03 00 00 00 | (to 4) 2a 00 00 00 00 00 00 00 | 6f 6b 00
//! ```
//! Numbers are aligned to 4 bytes and have the size of their type. Strings are copied with their
//! NUL. Pointers are words, except that pointers which the kernel had to dereference are stored as
//! strings.

use super::format::up_to_nul;
use super::print::template::{Conversion, Piece, Size, Style, Template};
use super::symbols::Symbols;
use crate::bytes::ByteOrder;

/// The recorded arguments of a text.
pub(super) struct Words<'a> {
    pub bytes: &'a [u8],
    pub order: ByteOrder,
    pub long_bytes: usize,
    pub at: usize,
}

/// The maximum length of a text in the kernel, bytes.
const LONGEST: usize = 4096;

/// The maximum length of a format. The formats in the kernel's source are shorter.
const LONGEST_FORMAT: usize = 1024;

/// Writes the text to `out`, up to the first missing argument.
pub(super) fn print(format: &[u8], words: &mut Words<'_>, symbols: &Symbols, out: &mut Vec<u8>) {
    let format = &format[..format.len().min(LONGEST_FORMAT)];
    let template = Template::parse(format, words.long_bytes);
    let start = out.len();
    for piece in &template.pieces {
        out.extend_from_slice(&piece.before);
        if out.len() - start > LONGEST || argument(piece, words, symbols, out).is_none() {
            return;
        }
    }
    out.extend_from_slice(&template.after);
}

/// Writes the value of a conversion.
fn argument(
    piece: &Piece,
    words: &mut Words<'_>,
    symbols: &Symbols,
    out: &mut Vec<u8>,
) -> Option<()> {
    let mut style = piece.style;
    let width = words.size(piece.width)?;
    // A negative width stands for the flag `-`.
    style.left |= width < 0;
    let precision = match piece.precision {
        Some(size) => usize::try_from(words.size(size)?).ok(),
        None => None,
    };
    let limit = precision.map(|precision| precision.min(LONGEST));
    let shown = match piece.conversion.number_bytes() {
        Some(size) => {
            style.zeros &= limit.is_none();
            let (prefix, digits) = digits(piece.conversion, style, words.number(size)?);
            (prefix, at_least(limit, digits))
        }
        None => {
            style.zeros = false;
            ("", text(piece.conversion, limit, words, symbols)?)
        }
    };
    let width = (width.unsigned_abs() as usize).min(LONGEST);
    pad(shown, style, width, out);
    Some(())
}

/// What precedes the digits of a number, and the digits.
fn digits(conversion: Conversion, style: Style, value: u64) -> (&'static str, String) {
    match (conversion, style.prefix) {
        (Conversion::Signed(size), _) => {
            let value = super::print::cut(value as i64, size, true);
            (sign(value, style), value.unsigned_abs().to_string())
        }
        (Conversion::Octal(_), true) if value != 0 => ("0", format!("{value:o}")),
        (Conversion::Octal(_), _) => ("", format!("{value:o}")),
        (Conversion::Hex(_), true) if style.capitals => ("0X", format!("{value:X}")),
        (Conversion::Hex(_), true) => ("0x", format!("{value:x}")),
        (Conversion::Hex(_), false) if style.capitals => ("", format!("{value:X}")),
        (Conversion::Hex(_), false) => ("", format!("{value:x}")),
        _ => ("", value.to_string()),
    }
}

/// The text of a conversion that is not a number.
fn text(
    conversion: Conversion,
    limit: Option<usize>,
    words: &mut Words<'_>,
    symbols: &Symbols,
) -> Option<Vec<u8>> {
    Some(match conversion {
        Conversion::Character => vec![words.number(1)? as u8],
        Conversion::Text => {
            let text = words.text()?;
            text[..text.len().min(limit.unwrap_or(usize::MAX))].to_vec()
        }
        Conversion::Pointed(_) if words.has_text() => words.text()?.to_vec(),
        Conversion::Function => function(words.address()?, false, symbols),
        Conversion::FunctionOffset => function(words.address()?, true, symbols),
        _ => format!("{:#x}", words.address()?).into_bytes(),
    })
}

/// The sign before a number.
fn sign(value: i64, style: Style) -> &'static str {
    match style.sign {
        _ if value < 0 => "-",
        Some(b'+') => "+",
        Some(_) => " ",
        None => "",
    }
}

/// A number with at least this many digits.
fn at_least(precision: Option<usize>, digits: String) -> Vec<u8> {
    let missing = precision.unwrap_or(0).saturating_sub(digits.len());
    let zeros = std::iter::repeat_n(b'0', missing);
    zeros.chain(digits.bytes()).collect()
}

/// The function at an address, or the address if it is unknown.
fn function(address: u64, with_offset: bool, symbols: &Symbols) -> Vec<u8> {
    let Some((name, offset)) = symbols.function(address) else {
        return format!("{address:#x}").into_bytes();
    };
    let mut text = name.to_vec();
    if with_offset && offset != 0 {
        text.extend(format!("+{offset:#x}").bytes());
    }
    text
}

/// Writes a value that takes at least `width` characters.
fn pad((prefix, rest): (&str, Vec<u8>), style: Style, width: usize, out: &mut Vec<u8>) {
    let missing = width.saturating_sub(prefix.len() + rest.len());
    let fill =
        |byte: u8, is_here: bool| std::iter::repeat_n(byte, if is_here { missing } else { 0 });
    out.extend(fill(b' ', !style.left && !style.zeros));
    out.extend(prefix.bytes());
    out.extend(fill(b'0', !style.left && style.zeros));
    out.extend(rest);
    out.extend(fill(b' ', style.left));
}

impl<'a> Words<'a> {
    fn number(&mut self, size: u8) -> Option<u64> {
        // The kernel stores a `char` or `short` with its own size.
        let align = usize::from(size).min(4);
        self.at = self.at.next_multiple_of(align.max(1));
        let value = self.order.uint(self.bytes, self.at, size.into())?;
        self.at += usize::from(size);
        Some(value)
    }

    /// A width or a precision.
    fn size(&mut self, size: Size) -> Option<i32> {
        Some(match size {
            Size::Fixed(size) => i32::try_from(size).unwrap_or(i32::MAX),
            Size::Argument => self.number(4)? as i32,
        })
    }

    fn address(&mut self) -> Option<u64> {
        self.number(self.long_bytes as u8)
    }

    /// Whether the next argument is a text. Kernels before 4.16 recorded the address of an object instead of its text.
    fn has_text(&self) -> bool {
        let next = self.bytes.get(self.at);
        next.is_some_and(|byte| *byte == b' ' || byte.is_ascii_graphic())
    }

    fn text(&mut self) -> Option<&'a [u8]> {
        let rest = self.bytes.get(self.at..)?;
        let text = up_to_nul(rest);
        self.at += text.len() + 1;
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_texts() {
        let mut bytes = 3u32.to_le_bytes().to_vec();
        bytes.extend((-2i64).to_le_bytes());
        bytes.extend(b"ok\0\0");
        bytes.extend(0xabcu32.to_le_bytes());
        let mut words = Words {
            bytes: &bytes,
            order: ByteOrder::default(),
            long_bytes: 8,
            at: 0,
        };
        let mut out = Vec::new();
        let format = b"cpu: %03d n=%ld %s 0x%x%% %d";
        print(format, &mut words, &Symbols::default(), &mut out);
        assert_eq!(String::from_utf8_lossy(&out), "cpu: 003 n=-2 ok 0xabc% ");
    }

    /// Numbers and texts with flags, widths and precisions, as the kernel prints them.
    #[test]
    fn flags_widths_and_precisions() {
        let printed = |format: &str, bytes: &[u8]| {
            let mut words = Words {
                bytes,
                order: ByteOrder::default(),
                long_bytes: 8,
                at: 0,
            };
            let mut out = Vec::new();
            print(format.as_bytes(), &mut words, &Symbols::default(), &mut out);
            String::from_utf8_lossy(&out).into_owned()
        };
        let word = 0o755u32.to_le_bytes();
        for (format, expected) in [
            ("%o", "755"),
            ("%#o", "0755"),
            ("%#x", "0x1ed"),
            ("%X", "1ED"),
            ("%#08x|", "0x0001ed|"),
            ("%-6d|", "493   |"),
            ("%6d|", "   493|"),
            ("%+d", "+493"),
            ("%.5d", "00493"),
        ] {
            assert_eq!(printed(format, &word), expected, "{format}");
        }
        assert_eq!(printed("%-5s|%5s|%.2s", b"ab\0cd\0efg\0"), "ab   |   cd|ef");
        let width = |width: i32, rest: &[u8]| [&width.to_le_bytes(), rest].concat();
        assert_eq!(printed("%.*s|", &width(2, b"abcd\0")), "ab|");
        assert_eq!(printed("%*s|", &width(-3, b"a\0")), "a  |");
        assert_eq!(printed("%*s|", &width(3, b"a\0")), "  a|");
        // A kernel before 4.16 records the address of what `%pI4` prints.
        let address = 0xffff_8880_0000_1000u64.to_le_bytes();
        assert_eq!(printed("%pI4", &address), "0xffff888000001000");
        assert_eq!(
            printed("%pI4 %d", b"127.0.0.1\0\0\0\x05\0\0\0"),
            "127.0.0.1 5"
        );
    }
}
