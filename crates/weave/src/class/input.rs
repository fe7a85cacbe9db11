//! Reading and writing big-endian numbers.

use super::error::ClassError;

/// Reads consecutive numbers from a class file and tracks the offset.
#[derive(Clone, Debug)]
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    base: usize,
}

impl<'a> Cursor<'a> {
    /// A cursor over `bytes`, which are at offset `base` in the file.
    pub fn new(bytes: &'a [u8], base: usize) -> Self {
        Self { bytes, at: 0, base }
    }

    /// Offset of the next byte in the file.
    pub fn place(&self) -> usize {
        self.base + self.at
    }

    /// Number of bytes read.
    pub fn consumed(&self) -> usize {
        self.at
    }

    /// The next `need` bytes.
    #[inline]
    pub fn take(&mut self, need: usize, what: &'static str) -> Result<&'a [u8], ClassError> {
        let left = self.bytes.len() - self.at;
        if need > left {
            return Err(self.truncated(need, what));
        }
        let taken = &self.bytes[self.at..self.at + need];
        self.at += need;
        Ok(taken)
    }

    #[cold]
    fn truncated(&self, need: usize, what: &'static str) -> ClassError {
        ClassError::Truncated {
            what,
            at: self.place(),
            need,
            left: self.bytes.len() - self.at,
        }
    }

    #[inline]
    pub fn u8(&mut self, what: &'static str) -> Result<u8, ClassError> {
        Ok(self.take(1, what)?[0])
    }

    #[inline]
    pub fn u16(&mut self, what: &'static str) -> Result<u16, ClassError> {
        Ok(read_u16(self.take(2, what)?, 0))
    }

    #[inline]
    pub fn u32(&mut self, what: &'static str) -> Result<u32, ClassError> {
        Ok(read_u32(self.take(4, what)?, 0))
    }

    /// The bytes since `from`, which was [`Cursor::consumed`] before.
    pub fn since(&self, from: usize) -> &'a [u8] {
        &self.bytes[from..self.at]
    }

    /// Fails unless every byte was read.
    pub fn end(&self, what: &'static str) -> Result<(), ClassError> {
        match self.bytes.len() - self.at {
            0 => Ok(()),
            left => Err(ClassError::Trailing {
                what,
                at: self.place(),
                left,
            }),
        }
    }

    /// The error for an invalid value of the `size` bytes just read.
    pub fn wrong(&self, what: &'static str, value: u32, size: usize) -> ClassError {
        ClassError::Value {
            what,
            at: self.place() - size,
            value,
        }
    }
}

/// The number at `at`. The caller has checked that it exists.
#[inline]
pub(crate) fn read_u16(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([bytes[at], bytes[at + 1]])
}

/// The number at `at`. The caller has checked that it exists.
#[inline]
pub(crate) fn read_u32(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

/// Appends big-endian numbers.
pub(crate) trait Put {
    fn put_u8(&mut self, value: u8);
    fn put_u16(&mut self, value: u16);
    fn put_u32(&mut self, value: u32);
}

impl Put for Vec<u8> {
    #[inline]
    fn put_u8(&mut self, value: u8) {
        self.push(value);
    }

    #[inline]
    fn put_u16(&mut self, value: u16) {
        self.extend_from_slice(&value.to_be_bytes());
    }

    #[inline]
    fn put_u32(&mut self, value: u32) {
        self.extend_from_slice(&value.to_be_bytes());
    }
}
