//! A field: its position and type.

use super::line::{FieldLine, field_line};
use crate::bytes::ByteOrder;

/// A field of an event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EventField {
    /// Its name.
    pub name: String,
    /// Its offset in the event, bytes.
    pub offset: usize,
    /// Its size, bytes; 0 for an array that extends to the end of the event.
    pub size: usize,
    /// Whether its numbers are signed.
    pub is_signed: bool,
    /// The type of its contents.
    pub kind: FieldKind,
}

/// The type of a field's contents.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FieldKind {
    /// A number of 1, 2, 4 or 8 bytes.
    Number,
    /// A device number (`dev_t`): 12 bits major, 20 bits minor.
    Device,
    /// A kernel address.
    Pointer,
    /// The kernel address of a text (`const char *`).
    TextPointer,
    /// Characters up to a NUL or the field's end.
    Text,
    /// An array of numbers of this size in bytes.
    Array(usize),
    /// A reference to another position in the event: its offset in the lower 16 bits (from the
    /// event's start, or from the end of this field if relative), its length in the upper ones.
    Elsewhere {
        /// Whether the offset counts from the end of this field (`__rel_loc`).
        relative: bool,
        /// Size of one element, bytes: 1 for characters.
        element: usize,
        /// Whether the elements are characters.
        is_text: bool,
    },
}

impl EventField {
    /// Parses a line of a format file; `None` if it does not describe a field.
    pub(super) fn parse(line: &[u8]) -> Option<Self> {
        let line = field_line(line)?;
        let name = std::str::from_utf8(line.name).ok()?;
        Some(Self {
            name: name.to_owned(),
            offset: line.offset,
            size: line.size,
            is_signed: line.signed,
            kind: kind_of(&line),
        })
    }

    /// The bytes of the field itself. A field of size 0 extends to the end of the event. `None` if
    /// the event ends before it.
    #[inline]
    pub fn bytes<'a>(&self, event: &'a [u8]) -> Option<&'a [u8]> {
        match self.size {
            0 => event.get(self.offset..),
            size => event.get(self.offset..)?.get(..size),
        }
    }

    /// The field's number, signed if the field is. For a reference, the reference itself.
    #[inline]
    pub fn int(&self, event: &[u8], order: ByteOrder) -> Option<i64> {
        if self.is_signed {
            return order.int(event, self.offset, self.size);
        }
        order
            .uint(event, self.offset, self.size)
            .map(|value| value as i64)
    }

    /// The contents of the field: its own bytes, or the bytes that it refers to.
    #[inline]
    pub fn content<'a>(&self, event: &'a [u8], order: ByteOrder) -> Option<&'a [u8]> {
        let FieldKind::Elsewhere { relative, .. } = self.kind else {
            return self.bytes(event);
        };
        let place = order.u32(event, self.offset)? as usize;
        let base = if relative { self.offset + self.size } else { 0 };
        let (start, length) = (base + (place & 0xffff), place >> 16);
        // A length of 0 means that the kernel could not read the text.
        event.get(start..)?.get(..length)
    }

    /// The characters of a text up to its NUL.
    #[inline]
    pub fn text<'a>(&self, event: &'a [u8], order: ByteOrder) -> Option<&'a [u8]> {
        self.content(event, order).map(up_to_nul)
    }

    /// Whether its contents are text, directly or by reference.
    pub fn is_text(&self) -> bool {
        matches!(
            self.kind,
            FieldKind::Text | FieldKind::Elsewhere { is_text: true, .. }
        )
    }
}

/// The bytes before the first NUL.
#[inline]
pub(crate) fn up_to_nul(bytes: &[u8]) -> &[u8] {
    // Names are short, so a simple loop is faster than a call.
    match bytes.iter().position(|&byte| byte == 0) {
        Some(end) => &bytes[..end],
        None => bytes,
    }
}

fn kind_of(line: &FieldLine<'_>) -> FieldKind {
    let declaration = String::from_utf8_lossy(line.declaration);
    let (kind, elsewhere) = match declaration.split_once(char::is_whitespace) {
        Some(("__data_loc", rest)) => (rest, Some(false)),
        Some(("__rel_loc", rest)) => (rest, Some(true)),
        _ => (&*declaration, None),
    };
    let is_char = kind.contains("char") && !kind.contains("unsigned char");
    if let Some(relative) = elsewhere {
        return FieldKind::Elsewhere {
            relative,
            element: if is_char { 1 } else { element_bytes(kind) },
            is_text: is_char,
        };
    }
    let is_array = kind.ends_with(']') || !matches!(line.size, 1 | 2 | 4 | 8);
    match kind {
        // Old kernels declare the text of trace_printk without brackets.
        _ if is_char && !kind.contains('*') && (is_array || line.size == 0) => FieldKind::Text,
        _ if is_array => FieldKind::Array(element_of_array(kind, line.size)),
        _ if kind.contains('*') && is_char => FieldKind::TextPointer,
        _ if kind.contains('*') => FieldKind::Pointer,
        _ if kind.starts_with("dev_t ") => FieldKind::Device,
        _ => FieldKind::Number,
    }
}

/// The size of an array element: from the number of elements in the declaration, otherwise from its
/// type.
fn element_of_array(declaration: &str, size: usize) -> usize {
    let by_type = element_bytes(declaration);
    let count = declaration
        .rsplit_once('[')
        .and_then(|(_, count)| count.trim_end_matches(']').trim().parse::<usize>().ok());
    match count {
        Some(count) if count > 0 && matches!(size / count, 1 | 2 | 4 | 8) => size / count,
        _ => by_type,
    }
}

/// The sizes of C's types on a 64-bit kernel and of the kernel's own types; 1 for unknown types.
fn element_bytes(declaration: &str) -> usize {
    let has = |words: &[&str]| words.iter().any(|word| declaration.contains(word));
    match () {
        () if has(&["64", "long", "*", "loff_t", "ktime_t", "sector_t"]) => 8,
        () if has(&["32", "int", "pid_t", "unsigned "]) && !has(&["char", "short"]) => 4,
        () if has(&["16", "short"]) => 2,
        () => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(declaration: &str, offset: usize, size: usize) -> EventField {
        let line = format!("field:{declaration};\toffset:{offset};\tsize:{size};\tsigned:0;");
        EventField::parse(line.as_bytes()).unwrap()
    }

    #[test]
    fn kinds() {
        use FieldKind::*;
        for (declaration, size, kind) in [
            ("pid_t prev_pid", 4, Number),
            ("char prev_comm[16]", 16, Text),
            ("char prev_comm[32]", 16, Text),
            ("char rwbs[8]", 8, Text),
            ("char buf", 0, Text),
            ("char state", 1, Number),
            ("unsigned char flags", 1, Number),
            ("unsigned char mac[6]", 6, Array(1)),
            ("const char * fmt", 8, TextPointer),
            ("struct page * page", 8, Pointer),
            ("dev_t dev", 4, Device),
            ("u32 buf", 0, Array(4)),
            ("u32 buf[]", 0, Array(4)),
            ("unsigned long args[]", 0, Array(8)),
            ("unsigned long caller[8]", 32, Array(4)),
            ("__u8 saddr[4]", 4, Array(1)),
        ] {
            assert_eq!(field(declaration, 8, size).kind, kind, "{declaration}");
        }
    }

    #[test]
    fn texts_elsewhere() {
        let order = ByteOrder::default();
        let mut event = vec![0u8; 8];
        event.extend((6u32 << 16 | 12).to_le_bytes());
        event.extend(b"timer\0");
        let name = field("__data_loc char[] name", 8, 4);
        assert_eq!(name.text(&event, order), Some(&b"timer"[..]));
        event[8] = 0;
        let name = field("__rel_loc char[] name", 8, 4);
        assert_eq!(name.text(&event, order), Some(&b"timer"[..]));
        event[10] = 7;
        assert_eq!(name.text(&event, order), None);
        assert_eq!(field("int a", 15, 4).int(&event, order), None);
    }
}
