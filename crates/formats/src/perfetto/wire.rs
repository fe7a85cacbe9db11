//! The fields of a protobuf message, read one at a time without copying.
//!
//! ```text
//! field   varint key: number << 3 | type
//! type 0  varint          type 1  8 bytes          type 5  4 bytes
//! type 2  varint length, then as many bytes: texts, messages, packed numbers
//! ```
//! Source: protobuf.dev, "Encoding". Perfetto never writes the types 3 and 4 (groups).

/// The maximum nesting depth of messages whose fields are read recursively.
pub(super) const MOST_LEVELS: u32 = 40;

/// A field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Field<'a> {
    pub number: u32,
    pub value: Value<'a>,
}

/// The value of a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Value<'a> {
    /// A number of any type, as raw bits.
    Number(u64),
    Bytes(&'a [u8]),
}

impl<'a> Field<'a> {
    /// The number; 0 for bytes.
    pub fn uint(self) -> u64 {
        match self.value {
            Value::Number(number) => number,
            Value::Bytes(_) => 0,
        }
    }

    /// The number as a signed integer.
    pub fn int(self) -> i64 {
        self.uint() as i64
    }

    /// The low 32 bits of the number, as a signed integer.
    pub fn int32(self) -> i32 {
        self.uint() as i32
    }

    /// Whether the number is not 0.
    pub fn bool(self) -> bool {
        self.uint() != 0
    }

    /// The bytes; empty for a number.
    pub fn bytes(self) -> &'a [u8] {
        match self.value {
            Value::Number(_) => &[],
            Value::Bytes(bytes) => bytes,
        }
    }

    /// The numbers of a repeated field, packed or not.
    pub fn numbers(self) -> impl Iterator<Item = u64> + 'a {
        let (one, packed) = match self.value {
            Value::Number(number) => (Some(number), &[][..]),
            Value::Bytes(packed) => (None, packed),
        };
        one.into_iter().chain(Packed::new(packed))
    }

    /// The fields of the message.
    pub fn fields(self) -> Fields<'a> {
        Fields::new(self.bytes())
    }
}

/// The fields of a message. Ends at the first field that is broken or incomplete.
#[derive(Clone, Debug)]
pub(crate) struct Fields<'a> {
    bytes: &'a [u8],
    at: usize,
    broken: bool,
}

impl<'a> Fields<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            at: 0,
            broken: false,
        }
    }

    /// The offset of the end of the last field.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Whether a field was broken or incomplete.
    pub fn is_broken(&self) -> bool {
        self.broken
    }

    #[inline]
    fn read(&mut self) -> Option<Field<'a>> {
        let mut at = self.at;
        let key = varint(self.bytes, &mut at)?;
        let number = u32::try_from(key >> 3).ok().filter(|number| *number > 0)?;
        let value = match key & 7 {
            0 => Value::Number(varint(self.bytes, &mut at)?),
            1 => Value::Number(u64::from_le_bytes(take(self.bytes, &mut at)?)),
            5 => Value::Number(u32::from_le_bytes(take(self.bytes, &mut at)?).into()),
            2 => {
                let length = usize::try_from(varint(self.bytes, &mut at)?).ok()?;
                let start = at;
                at = at.checked_add(length)?;
                Value::Bytes(self.bytes.get(start..at)?)
            }
            _ => return None,
        };
        self.at = at;
        Some(Field { number, value })
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Field<'a>;

    #[inline]
    fn next(&mut self) -> Option<Field<'a>> {
        if self.at >= self.bytes.len() || self.broken {
            return None;
        }
        let field = self.read();
        self.broken = field.is_none();
        field
    }
}

/// Reads a varint. Bits beyond 64 are dropped, as in protobuf's own readers.
#[inline]
pub(super) fn varint(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let mut value = 0;
    for shift in (0..70).step_by(7) {
        let byte = *bytes.get(*at)?;
        *at += 1;
        if shift < 64 {
            value |= u64::from(byte & 0x7f) << shift;
        }
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

#[inline]
fn take<const N: usize>(bytes: &[u8], at: &mut usize) -> Option<[u8; N]> {
    let taken = bytes.get(*at..)?.first_chunk::<N>()?;
    *at += N;
    Some(*taken)
}

/// The numbers of a packed repeated varint field. Ends at the first incomplete one.
#[derive(Clone, Debug)]
pub(super) struct Packed<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Packed<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }
}

impl Iterator for Packed<'_> {
    type Item = u64;

    #[inline]
    fn next(&mut self) -> Option<u64> {
        varint(self.bytes, &mut self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_wire_type() {
        let bytes = [
            0x08, 0x96, 0x01, // 1: 150
            0x12, 0x02, b'h', b'i', // 2: "hi"
            0x19, 1, 0, 0, 0, 0, 0, 0, 0x80, // 3: fixed64
            0x25, 2, 0, 0, 0, // 4: fixed32
        ];
        let fields: Vec<_> = Fields::new(&bytes).collect();
        let numbers: Vec<_> = fields.iter().map(|field| field.number).collect();
        assert_eq!(numbers, [1, 2, 3, 4]);
        assert_eq!(fields[0].uint(), 150);
        assert_eq!(fields[1].bytes(), b"hi");
        assert_eq!(fields[2].int(), i64::MIN + 1);
        assert_eq!(fields[3].uint(), 2);
    }

    #[test]
    fn damage_ends_the_fields() {
        for bytes in [
            &b"\x08"[..],                                        // no value
            b"\x12\x05hi",                                       // a length beyond the end
            b"\x0b\x0c",                                         // a group
            b"\x00\x01",                                         // field 0
            b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", // a varint of 11 bytes
        ] {
            let mut fields = Fields::new(bytes);
            assert_eq!(fields.next(), None, "{bytes:?}");
            assert!(fields.is_broken(), "{bytes:?}");
            assert_eq!(fields.at(), 0);
        }
    }

    #[test]
    fn negative_numbers_have_ten_bytes() {
        let bytes = b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01";
        let field = Fields::new(bytes).next();
        assert_eq!(field.map(Field::int), Some(-1));
        assert_eq!(field.map(Field::int32), Some(-1));
    }
}
