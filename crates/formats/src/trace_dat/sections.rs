//! Sections of version 7: id, flags, name, size, content.

use std::borrow::Cow;

use traceloom_trace::Place;

use super::compression::{Failure, Unpacker};
use super::input::{Input, wrong};
use crate::bytes::ByteOrder;
use crate::error::ReadError;
use crate::format_id;

/// Flag of a compressed section.
const PACKED: u16 = 1;

/// The file and the state for reading its sections.
pub(super) struct Sections<'a, 'u> {
    pub file: &'a [u8],
    pub order: ByteOrder,
    pub unpacker: &'u mut Unpacker,
}

impl<'a> Sections<'a, '_> {
    /// Opens section `id` at byte `offset`. Returns whether it is compressed, and the input after
    /// its header.
    pub fn open(
        &self,
        id: u16,
        offset: u64,
        inside: &'static str,
    ) -> Result<(bool, Input<'a>), ReadError> {
        let start = usize::try_from(offset).ok();
        let Some(bytes) = start.and_then(|start| self.file.get(start..)) else {
            return Err(ReadError::Truncated {
                format: format_id::TRACE_DAT,
                inside,
                offset: self.file.len() as u64,
            });
        };
        let mut input = Input::new(bytes, offset, self.order);
        let found = input.u16(inside)?;
        if found != id {
            let expected = "the number of the section that the options announce";
            let place = Place::at_offset(offset);
            return Err(wrong(inside, format!("section {found}"), expected, place));
        }
        let flags = input.u16(inside)?;
        input.u32(inside)?;
        let length = input.u64(inside)?;
        let offset = input.offset();
        // Bytes beyond the length belong to another section. A truncated file has fewer.
        let rest = input.rest();
        let length = usize::try_from(length)
            .unwrap_or(usize::MAX)
            .min(rest.len());
        let input = Input::new(&rest[..length], offset, self.order);
        Ok((flags & PACKED != 0, input))
    }

    /// The decompressed content of a section, and its position.
    pub fn content(
        &mut self,
        id: u16,
        offset: u64,
        inside: &'static str,
    ) -> Result<(Cow<'a, [u8]>, u64), ReadError> {
        let (is_packed, mut input) = self.open(id, offset, inside)?;
        let offset = input.offset();
        if !is_packed {
            return Ok((Cow::Borrowed(input.rest()), offset));
        }
        match self.unpacker.chunk(&mut input, inside) {
            Ok(content) => Ok((Cow::Owned(content), offset)),
            Err(Failure::Refused(error)) => Err(error),
            Err(Failure::Broken(_, reason)) => {
                let expected = "compressed data";
                Err(wrong(inside, reason, expected, Place::at_offset(offset)))
            }
        }
    }
}
