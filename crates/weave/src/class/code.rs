//! The `Code` attribute: a method's instructions and its exception table.

use std::borrow::Cow;

use super::ClassError;
use super::file::{Attribute, read_attributes, write_attributes};
use super::input::{Cursor, Put};

/// Code can have this many bytes (specification, 4.7.3).
pub const MAX_CODE_BYTES: usize = 65_535;

/// A method's code (specification, 4.7.3).
#[derive(Clone, Debug)]
pub struct Code<'a> {
    /// Slots that its operand stack needs.
    pub max_stack: u16,
    /// Slots that its local variables need, parameters among them.
    pub max_locals: u16,
    /// The instructions.
    pub code: Cow<'a, [u8]>,
    /// The exception table: the first entry that fits an exception catches it.
    pub handlers: Vec<Handler>,
    /// `LineNumberTable`, `StackMapTable` and others.
    pub attributes: Vec<Attribute<'a>>,
}

/// An entry of the exception table; offsets into the code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Handler {
    /// The first covered byte.
    pub start: u16,
    /// Behind the last covered byte.
    pub end: u16,
    /// The handler's first instruction.
    pub target: u16,
    /// Index of the class that is caught; 0 for everything.
    pub class: u16,
}

impl<'a> Code<'a> {
    /// Reads the content of a `Code` attribute, which stands at `at` in the file.
    ///
    /// # Errors
    /// If it ends early or goes on behind its end, or has no code or too much of it.
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
