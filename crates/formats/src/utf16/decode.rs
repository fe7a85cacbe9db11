//! Converts UTF-16 to UTF-8 in chunks of any size.

use std::borrow::Cow;

/// The byte order of UTF-16 units.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Order {
    /// The low byte comes first.
    Little,
    /// The high byte comes first.
    Big,
}

impl Order {
    /// The byte order of a text that begins with `head`; `None` if it is not UTF-16. Without a byte
    /// order mark, only ASCII text is recognised: every second byte is zero.
    pub fn of(head: &[u8]) -> Option<Self> {
        const SHOWN: usize = 256;
        const FEWEST: usize = 8;
        match head {
            [0xff, 0xfe, 0, 0, ..] => return None,
            [0xff, 0xfe, ..] => return Some(Self::Little),
            [0xfe, 0xff, ..] => return Some(Self::Big),
            _ => {}
        }
        let shown = &head[..head.len().min(SHOWN)];
        let is_text = |low: usize| {
            let mut units = shown.chunks_exact(2);
            units.all(|unit| unit[1 - low] == 0 && is_printed(unit[low]))
        };
        if shown.len() < FEWEST {
            None
        } else if is_text(0) {
            Some(Self::Little)
        } else {
            is_text(1).then_some(Self::Big)
        }
    }
}

fn is_printed(byte: u8) -> bool {
    byte.is_ascii_graphic() || matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// Decodes a text in chunks. Invalid units become U+FFFD.
#[derive(Debug)]
pub(super) struct Decoder {
    order: Order,
    /// The first byte of an incomplete unit.
    byte: Option<u8>,
    /// The first half of an incomplete surrogate pair.
    high: Option<u16>,
    begun: bool,
}

impl Decoder {
    pub fn new(order: Order) -> Self {
        Self {
            order,
            byte: None,
            high: None,
            begun: false,
        }
    }

    /// Appends the text of `bytes` to `plain`.
    pub fn push(&mut self, bytes: &[u8], plain: &mut Vec<u8>) {
        for &byte in bytes {
            let Some(first) = self.byte.take() else {
                self.byte = Some(byte);
                continue;
            };
            let unit = match self.order {
                Order::Little => u16::from_le_bytes([first, byte]),
                Order::Big => u16::from_be_bytes([first, byte]),
            };
            self.unit(unit, plain);
        }
    }

    /// Ends the text, which may end in the middle of a character.
    pub fn finish(&mut self, plain: &mut Vec<u8>) {
        if self.byte.take().is_some() | self.high.take().is_some() {
            put(char::REPLACEMENT_CHARACTER, plain);
        }
    }

    fn unit(&mut self, unit: u16, plain: &mut Vec<u8>) {
        const MARK: u16 = 0xfeff;
        let is_mark = !std::mem::replace(&mut self.begun, true) && unit == MARK;
        if is_mark {
            return;
        }
        match (self.high.take(), unit) {
            (Some(high), 0xdc00..0xe000) => {
                let low = u32::from(unit) - 0xdc00;
                let code = 0x1_0000 + ((u32::from(high) - 0xd800) << 10 | low);
                put_code(code, plain);
            }
            (before, _) => {
                if before.is_some() {
                    put(char::REPLACEMENT_CHARACTER, plain);
                }
                match unit {
                    0xd800..0xdc00 => self.high = Some(unit),
                    _ => put_code(unit.into(), plain),
                }
            }
        }
    }
}

fn put_code(code: u32, plain: &mut Vec<u8>) {
    let character = char::from_u32(code);
    put(character.unwrap_or(char::REPLACEMENT_CHARACTER), plain);
}

fn put(character: char, plain: &mut Vec<u8>) {
    plain.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
}

/// Converts a whole text to UTF-8 if it is UTF-16; otherwise returns it unchanged.
pub(crate) fn as_utf8(text: &[u8]) -> Cow<'_, [u8]> {
    let Some(order) = Order::of(text) else {
        return text.into();
    };
    let (mut decoder, mut plain) = (Decoder::new(order), Vec::new());
    decoder.push(text, &mut plain);
    decoder.finish(&mut plain);
    plain.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(text: &str, order: Order) -> Vec<u8> {
        let bytes = |unit: u16| match order {
            Order::Little => unit.to_le_bytes(),
            Order::Big => unit.to_be_bytes(),
        };
        text.encode_utf16().flat_map(bytes).collect()
    }

    #[test]
    fn text_of_both_orders_in_any_chunks() {
        let text = "# tracer: nop\r\n é\u{1f469}\u{ffff}x";
        for order in [Order::Little, Order::Big] {
            for marked in [format!("\u{feff}{text}"), text.to_owned()] {
                let bytes = encoded(&marked, order);
                for chunk in 1..9 {
                    let (mut decoder, mut plain) = (Decoder::new(order), Vec::new());
                    bytes
                        .chunks(chunk)
                        .for_each(|chunk| decoder.push(chunk, &mut plain));
                    decoder.finish(&mut plain);
                    assert_eq!(String::from_utf8(plain).unwrap(), text);
                }
            }
            let ascii = encoded("# tracer: nop\r\n", order);
            assert_eq!(Order::of(&ascii), Some(order));
        }
    }

    #[test]
    fn what_is_no_character_is_replaced() {
        for units in [
            &[0xd800u16][..],
            &[0xdc00],
            &[0xd800, 0x41],
            &[0xd800, 0xd800],
        ] {
            let mut bytes = vec![0xff, 0xfe];
            bytes.extend(units.iter().flat_map(|unit| unit.to_le_bytes()));
            let text = as_utf8(&bytes).into_owned();
            assert!(
                String::from_utf8(text).unwrap().contains('\u{fffd}'),
                "{units:x?}"
            );
        }
        assert_eq!(&*as_utf8(b"\xff\xfea"), "\u{fffd}".as_bytes());
    }

    #[test]
    fn other_bytes_are_left_alone() {
        for bytes in [
            &b"# tracer: nop"[..],
            b"",
            b"a\0b",
            b"SLOW\x03\0\x20\0",
            b"\xff\xfe\0\0a\0\0\0",
        ] {
            assert_eq!(&*as_utf8(bytes), bytes);
        }
    }
}
