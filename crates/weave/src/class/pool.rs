//! The constant pool. Existing constants stay unchanged, and new ones are appended.

use super::error::ClassError;
use super::input::{Cursor, Put, read_u16};

/// Tags of constants (Java virtual machine specification, 4.4).
mod tag {
    pub const UTF8: u8 = 1;
    pub const INTEGER: u8 = 3;
    pub const FLOAT: u8 = 4;
    pub const LONG: u8 = 5;
    pub const DOUBLE: u8 = 6;
    pub const CLASS: u8 = 7;
    pub const STRING: u8 = 8;
    pub const FIELD: u8 = 9;
    pub const METHOD: u8 = 10;
    pub const INTERFACE_METHOD: u8 = 11;
    pub const NAME_AND_TYPE: u8 = 12;
    pub const METHOD_HANDLE: u8 = 15;
    pub const METHOD_TYPE: u8 = 16;
    pub const DYNAMIC: u8 = 17;
    pub const INVOKE_DYNAMIC: u8 = 18;
    pub const MODULE: u8 = 19;
    pub const PACKAGE: u8 = 20;
}

/// A slot without a constant: index 0, and the second slot of a long or double.
const UNUSED: u32 = u32::MAX;

/// The constants of a class.
#[derive(Clone, Debug)]
pub struct ConstantPool<'a> {
    /// The original entries as bytes.
    original: &'a [u8],
    /// New entries, encoded.
    added: Vec<u8>,
    /// Offset of each constant, by index; offsets continue from `original` into `added`.
    starts: Vec<u32>,
}

impl<'a> ConstantPool<'a> {
    pub(super) fn read(cursor: &mut Cursor<'a>) -> Result<Self, ClassError> {
        let count = cursor.u16("constant_pool_count")?;
        if count == 0 {
            // The count is one more than the last index, and index 0 is reserved.
            return Err(cursor.wrong("constant_pool_count", 0, 2));
        }
        let begin = cursor.consumed();
        let mut starts = Vec::with_capacity(usize::from(count) + 16);
        starts.push(UNUSED);
        while starts.len() < usize::from(count) {
            starts.push((cursor.consumed() - begin) as u32);
            let tag = cursor.u8("constant tag")?;
            let size = match tag {
                tag::UTF8 => usize::from(cursor.u16("length of a Utf8 constant")?),
                tag::INTEGER | tag::FLOAT => 4,
                tag::LONG | tag::DOUBLE => 8,
                tag::CLASS | tag::STRING | tag::METHOD_TYPE | tag::MODULE | tag::PACKAGE => 2,
                tag::METHOD_HANDLE => 3,
                tag::FIELD..=tag::NAME_AND_TYPE | tag::DYNAMIC | tag::INVOKE_DYNAMIC => 4,
                _ => return Err(cursor.wrong("constant tag", tag.into(), 1)),
            };
            cursor.take(size, "constant")?;
            if matches!(tag, tag::LONG | tag::DOUBLE) {
                starts.push(UNUSED);
                if starts.len() > usize::from(count) {
                    // The second index must exist as well (specification, 4.4.5).
                    return Err(cursor.wrong(
                        "constant_pool_count",
                        count.into(),
                        cursor.consumed() - begin + 2,
                    ));
                }
            }
        }
        Ok(Self {
            original: cursor.since(begin),
            added: Vec::new(),
            starts,
        })
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        out.put_u16(self.len());
        out.extend_from_slice(self.original);
        out.extend_from_slice(&self.added);
    }

    /// `constant_pool_count`: one more than the last index.
    pub fn len(&self) -> u16 {
        self.starts.len() as u16
    }

    /// Whether there is no constant.
    pub fn is_empty(&self) -> bool {
        self.starts.len() <= 1
    }

    /// Size of all entries, bytes.
    pub(super) fn size(&self) -> usize {
        self.original.len() + self.added.len()
    }

    /// The tag and the bytes after it.
    #[inline]
    fn entry(&self, index: u16) -> Option<(u8, &[u8])> {
        let start = *self.starts.get(usize::from(index))?;
        if start == UNUSED {
            return None;
        }
        let start = start as usize;
        let bytes = match start.checked_sub(self.original.len()) {
            None => &self.original[start..],
            Some(start) => &self.added[start..],
        };
        Some((bytes[0], &bytes[1..]))
    }

    #[inline]
    fn of_kind(&self, index: u16, tag: u8, expected: &'static str) -> Result<&[u8], ClassError> {
        match self.entry(index) {
            Some((found, rest)) if found == tag => Ok(rest),
            _ => Err(ClassError::Constant { index, expected }),
        }
    }

    /// A Utf8 constant, in the class file's modified UTF-8.
    ///
    /// # Errors
    /// If the constant is missing or of another kind.
    pub fn utf8(&self, index: u16) -> Result<&[u8], ClassError> {
        let rest = self.of_kind(index, tag::UTF8, "Utf8")?;
        Ok(&rest[2..2 + usize::from(read_u16(rest, 0))])
    }

    /// A Utf8 constant as text; invalid Unicode becomes the replacement character.
    ///
    /// # Errors
    /// As [`ConstantPool::utf8`].
    pub fn text(&self, index: u16) -> Result<String, ClassError> {
        Ok(from_modified_utf8(self.utf8(index)?))
    }

    /// The text of a String constant, in the class file's modified UTF-8.
    ///
    /// # Errors
    /// As [`ConstantPool::utf8`].
    pub fn string(&self, index: u16) -> Result<&[u8], ClassError> {
        self.utf8(read_u16(self.of_kind(index, tag::STRING, "String")?, 0))
    }

    /// The internal name of a Class constant, `java/lang/String`.
    ///
    /// # Errors
    /// As [`ConstantPool::utf8`].
    pub fn class(&self, index: u16) -> Result<&[u8], ClassError> {
        self.utf8(self.class_name(index)?)
    }

    /// Index of the Utf8 constant with the name of a Class constant.
    pub(crate) fn class_name(&self, index: u16) -> Result<u16, ClassError> {
        Ok(read_u16(self.of_kind(index, tag::CLASS, "Class")?, 0))
    }

    /// The indexes of class, name and descriptor of a field or method.
    ///
    /// # Errors
    /// As [`ConstantPool::utf8`].
    pub fn member(&self, index: u16) -> Result<MemberRef, ClassError> {
        match self.entry(index) {
            Some((tag::FIELD..=tag::INTERFACE_METHOD, rest)) => {
                let (name, descriptor) = self.name_and_type(read_u16(rest, 2))?;
                Ok(MemberRef {
                    class: read_u16(rest, 0),
                    name,
                    descriptor,
                })
            }
            _ => Err(ClassError::Constant {
                index,
                expected: "field or method",
            }),
        }
    }

    /// Index of the descriptor of an InvokeDynamic constant.
    ///
    /// # Errors
    /// As [`ConstantPool::utf8`].
    pub fn dynamic_descriptor(&self, index: u16) -> Result<u16, ClassError> {
        let rest = self.of_kind(index, tag::INVOKE_DYNAMIC, "InvokeDynamic")?;
        Ok(self.name_and_type(read_u16(rest, 2))?.1)
    }

    fn name_and_type(&self, index: u16) -> Result<(u16, u16), ClassError> {
        let rest = self.of_kind(index, tag::NAME_AND_TYPE, "NameAndType")?;
        Ok((read_u16(rest, 0), read_u16(rest, 2)))
    }

    /// Whether the constant is a number. Loading other constants may run code or allocate, and so may throw.
    pub fn is_number(&self, index: u16) -> bool {
        let number = |(tag, _): (u8, &[u8])| (tag::INTEGER..=tag::DOUBLE).contains(&tag);
        self.entry(index).is_some_and(number)
    }

    /// Indexes of the given texts, found in one pass over all constants; 0 if missing.
    pub fn find<const N: usize>(&self, texts: [&[u8]; N]) -> [u16; N] {
        let mut found = [0; N];
        for index in 1..self.starts.len() as u32 {
            let index = index as u16;
            let Ok(utf8) = self.utf8(index) else { continue };
            for (text, found) in texts.iter().zip(&mut found) {
                if *found == 0 && *text == utf8 {
                    *found = index;
                }
            }
        }
        found
    }

    /// Index of the Class constant whose name is the Utf8 constant `name`; 0 if there is none.
    pub fn find_class(&self, name: u16) -> u16 {
        let is_it = |index: &u16| match self.entry(*index) {
            Some((tag::CLASS, rest)) => read_u16(rest, 0) == name,
            _ => false,
        };
        (1..self.len()).find(is_it).unwrap_or(0)
    }

    /// Adds a text of at most 65,535 bytes, in modified UTF-8.
    ///
    /// # Errors
    /// [`ClassError::PoolFull`].
    pub fn add_utf8(&mut self, text: &[u8]) -> Result<u16, ClassError> {
        let length = u16::try_from(text.len()).map_err(|_| ClassError::PoolFull)?;
        let index = self.begin(tag::UTF8, 1)?;
        self.added.put_u16(length);
        self.added.extend_from_slice(text);
        Ok(index)
    }

    /// Adds a class with the name in a Utf8 constant.
    ///
    /// # Errors
    /// As [`ConstantPool::add_utf8`].
    pub fn add_class(&mut self, name: u16) -> Result<u16, ClassError> {
        self.add_pointer(tag::CLASS, name)
    }

    /// Adds a string with the text of a Utf8 constant.
    ///
    /// # Errors
    /// As [`ConstantPool::add_utf8`].
    pub fn add_string(&mut self, text: u16) -> Result<u16, ClassError> {
        self.add_pointer(tag::STRING, text)
    }

    fn add_pointer(&mut self, tag: u8, to: u16) -> Result<u16, ClassError> {
        let index = self.begin(tag, 1)?;
        self.added.put_u16(to);
        Ok(index)
    }

    /// Adds an int.
    ///
    /// # Errors
    /// As [`ConstantPool::add_utf8`].
    pub fn add_int(&mut self, value: i32) -> Result<u16, ClassError> {
        let index = self.begin(tag::INTEGER, 1)?;
        self.added.extend_from_slice(&value.to_be_bytes());
        Ok(index)
    }

    /// Adds a long, which takes two indexes.
    ///
    /// # Errors
    /// As [`ConstantPool::add_utf8`].
    pub fn add_long(&mut self, value: i64) -> Result<u16, ClassError> {
        let index = self.begin(tag::LONG, 2)?;
        self.added.extend_from_slice(&value.to_be_bytes());
        Ok(index)
    }

    /// Adds a method of a class (not of an interface); all arguments are indexes.
    ///
    /// # Errors
    /// As [`ConstantPool::add_utf8`].
    pub fn add_method(
        &mut self,
        class: u16,
        name: u16,
        descriptor: u16,
    ) -> Result<u16, ClassError> {
        let name_and_type = self.begin(tag::NAME_AND_TYPE, 1)?;
        self.added.put_u16(name);
        self.added.put_u16(descriptor);
        let index = self.begin(tag::METHOD, 1)?;
        self.added.put_u16(class);
        self.added.put_u16(name_and_type);
        Ok(index)
    }

    fn begin(&mut self, tag: u8, slots: usize) -> Result<u16, ClassError> {
        let index = self.starts.len();
        // The count must fit into 16 bits too, so the last index is 65,534.
        if index + slots > usize::from(u16::MAX) {
            return Err(ClassError::PoolFull);
        }
        self.starts.push(self.size() as u32);
        self.starts.extend((1..slots).map(|_| UNUSED));
        self.added.put_u8(tag);
        Ok(index as u16)
    }
}

/// The parts of a field or method reference, as indexes of the constant pool.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemberRef {
    /// A Class constant.
    pub class: u16,
    /// A Utf8 constant.
    pub name: u16,
    /// A Utf8 constant.
    pub descriptor: u16,
}

/// Decodes text of a class file (specification, 4.4.7). It is like UTF-8, but NUL takes two bytes, and characters above
/// U+FFFF are pairs of surrogates of three bytes each. No crate is used: this is short, and the crates that exist
/// define string types of their own.
pub fn from_modified_utf8(bytes: &[u8]) -> String {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return text.to_owned();
    }
    let mut units = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let [first, after @ ..] = rest {
        let next = |n: usize| after.get(n).map_or(0, |byte| u16::from(byte & 0x3f));
        let first = u16::from(*first);
        let (unit, length) = match first >> 4 {
            0..=7 => (first, 1),
            12 | 13 => ((first & 0x1f) << 6 | next(0), 2),
            14 => ((first & 0xf) << 12 | next(0) << 6 | next(1), 3),
            _ => (0xfffd, 1),
        };
        units.push(unit);
        rest = &rest[length.min(rest.len())..];
    }
    String::from_utf16_lossy(&units)
}

/// Encodes text for a class file: the reverse of [`from_modified_utf8`].
pub fn to_modified_utf8(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    for unit in text.encode_utf16() {
        match unit {
            1..0x80 => bytes.push(unit as u8),
            0 | 0x80..0x800 => bytes.extend([0xc0 | (unit >> 6) as u8, 0x80 | (unit & 0x3f) as u8]),
            _ => bytes.extend([
                0xe0 | (unit >> 12) as u8,
                0x80 | (unit >> 6 & 0x3f) as u8,
                0x80 | (unit & 0x3f) as u8,
            ]),
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modified_utf8_round_trips() {
        for text in ["", "java/lang/Object", "Größe", "\0", "😀 x", "ẞ"] {
            let bytes = to_modified_utf8(text);
            assert!(!bytes.contains(&0), "{text:?}");
            assert_eq!(from_modified_utf8(&bytes), text);
        }
        assert_eq!(from_modified_utf8(&[b'a', 0xe3]), "a\u{3000}");
        assert_eq!(from_modified_utf8(&[0xff, b'b']), "\u{fffd}b");
    }

    #[test]
    fn invalid_counts_are_errors() {
        const LONG: [u8; 9] = [tag::LONG, 0, 0, 0, 0, 0, 0, 0, 7];
        let read = |count: u8| {
            let bytes = [&[0, count][..], &LONG].concat();
            let pool = ConstantPool::read(&mut Cursor::new(&bytes, 8)).map(|pool| pool.len());
            pool.map_err(|error| error.to_string())
        };
        assert_eq!(read(3), Ok(3));
        // The long has no second index.
        let why = "constant_pool_count at byte 8 is 2, which is invalid";
        assert_eq!(read(2), Err(why.to_owned()));
        let why = "constant_pool_count at byte 8 is 0, which is invalid";
        assert_eq!(read(0), Err(why.to_owned()));
    }
}
