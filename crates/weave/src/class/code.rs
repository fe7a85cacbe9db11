//! The `Code` attribute: a method's instructions and its exception table.

use std::borrow::Cow;

use super::error::ClassError;
use super::file::{Attribute, read_attributes, write_attributes};
use super::input::{Cursor, Put};

/// Maximum size of a method's code, bytes (specification, 4.7.3).
pub const MAX_CODE_BYTES: usize = 65_535;

/// A method's code (specification, 4.7.3).
#[derive(Clone, Debug)]
pub struct Code<'a> {
    /// Size of the operand stack, slots.
    pub max_stack: u16,
    /// Size of the local variables including parameters, slots.
    pub max_locals: u16,
    /// The instructions.
    pub code: Cow<'a, [u8]>,
    /// The exception table. The first matching entry catches an exception.
    pub handlers: Vec<Handler>,
    /// `LineNumberTable`, `StackMapTable` and others.
    pub attributes: Vec<Attribute<'a>>,
}

/// An entry of the exception table. Offsets are into the code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Handler {
    /// The first covered byte.
    pub start: u16,
    /// One past the last covered byte.
    pub end: u16,
    /// The handler's first instruction.
    pub target: u16,
    /// Index of the caught class; 0 for everything.
    pub class: u16,
}

impl<'a> Code<'a> {
    /// Reads the content of a `Code` attribute, which is at offset `at` in the file.
    ///
    /// # Errors
    /// If it is truncated, has trailing bytes, or the code is empty or too large.
    pub fn read(content: &'a [u8], at: usize) -> Result<Self, ClassError> {
        let mut cursor = Cursor::new(content, at);
        let max_stack = cursor.u16("max_stack")?;
        let max_locals = cursor.u16("max_locals")?;
        let length = cursor.u32("code_length")?;
        if length == 0 || length as usize > MAX_CODE_BYTES {
            return Err(cursor.wrong("code_length", length, 4));
        }
        let code = Cow::Borrowed(cursor.take(length as usize, "code")?);
        let handlers = (0..cursor.u16("exception_table_length")?)
            .map(|_| Handler::read(&mut cursor))
            .collect::<Result<_, _>>()?;
        let attributes = read_attributes(&mut cursor)?;
        cursor.end("the Code attribute")?;
        Ok(Self {
            max_stack,
            max_locals,
            code,
            handlers,
            attributes,
        })
    }

    /// The content of the attribute.
    pub fn write(&self) -> Vec<u8> {
        let attributes = self.attributes.iter().map(|one| one.content.len() + 6);
        let size = 12 + self.code.len() + 8 * self.handlers.len() + attributes.sum::<usize>();
        let mut out = Vec::with_capacity(size);
        out.put_u16(self.max_stack);
        out.put_u16(self.max_locals);
        out.put_u32(self.code.len() as u32);
        out.extend_from_slice(&self.code);
        out.put_u16(self.handlers.len() as u16);
        for handler in &self.handlers {
            out.put_u16(handler.start);
            out.put_u16(handler.end);
            out.put_u16(handler.target);
            out.put_u16(handler.class);
        }
        write_attributes(&self.attributes, &mut out);
        out
    }
}

impl Handler {
    fn read(cursor: &mut Cursor<'_>) -> Result<Self, ClassError> {
        Ok(Self {
            start: cursor.u16("start_pc")?,
            end: cursor.u16("end_pc")?,
            target: cursor.u16("handler_pc")?,
            class: cursor.u16("catch_type")?,
        })
    }
}
