//! Formats the text of `trace_printk`, whose arguments the kernel records as words (`vbin_printf`).
//!
//! ```text
//! fmt  "cpu: %d load: %lu %s\n"
//! buf  03 00 00 00 | (to 4) 2a 00 00 00 00 00 00 00 | 6f 6b 00
//! ```
//! Numbers are aligned to 4 bytes and have the size of their type. Strings are copied with their
//! NUL. Pointers are words, except that pointers which the kernel had to dereference are stored as
//! strings.

use super::bytes::ByteOrder;
use super::format::up_to_nul;
use super::print::template::{Conversion, Piece, Template};
use super::symbols::Symbols;

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

fn argument(
    piece: &Piece,
    words: &mut Words<'_>,
    symbols: &Symbols,
    out: &mut Vec<u8>,
) -> Option<()> {
    for _ in 0..piece.stars {
        words.number(4)?;
    }
    let text = match piece.conversion {
        Conversion::Signed(size) => {
            let value = words.number(size)?;
            super::print::cut(value as i64, size, true).to_string()
        }
        Conversion::Unsigned(size) => words.number(size)?.to_string(),
        Conversion::Hex(size) => format!("{:x}", words.number(size)?),
        Conversion::Character => char::from(words.number(1)? as u8).to_string(),
        // Kernels before 4.16 recorded the address instead of the string.
        Conversion::Text | Conversion::Pointed => {
            let text = words.text()?;
            let shown = text.len().min(piece.precision.unwrap_or(usize::MAX));
            out.extend_from_slice(&text[..shown]);
            return Some(());
        }
        Conversion::Pointer => format!("{:#x}", words.number(words.long_bytes as u8)?),
        Conversion::Function | Conversion::FunctionOffset => {
            let address = words.number(words.long_bytes as u8)?;
            match symbols.function(address) {
                Some((name, 0)) => String::from_utf8_lossy(name).into_owned(),
                Some((name, offset)) if piece.conversion == Conversion::FunctionOffset => {
                    format!("{}+{offset:#x}", String::from_utf8_lossy(name))
                }
                Some((name, _)) => String::from_utf8_lossy(name).into_owned(),
                None => format!("{address:#x}"),
            }
        }
    };
    let missing = piece.width.min(LONGEST).saturating_sub(text.len());
    out.extend(std::iter::repeat_n(piece.pad, missing));
    out.extend(text.bytes());
    Some(())
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
}
