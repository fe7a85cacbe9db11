//! The `StackMapTable`: the types that the verifier expects at jump targets.
//!
//! A frame stores its distance from the previous frame: the first frame its offset, each later one the distance minus
//! one (specification, 4.7.4). So only the first frame can be at offset 0. It moves like any other frame if code is
//! inserted before it.
//!
//! ```text
//! offsets   0      5           70
//! deltas    0      4 = 5-0-1   64 = 70-5-1 (too large for a `same` frame, which takes 0 to 63)
//! ```

use super::error::ClassError;
use super::input::{Cursor, Put};

/// The type of a variable or stack entry (specification, 4.7.4).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VerificationType {
    /// Unknown or unused.
    Top,
    /// An int or a smaller integer type.
    Int,
    /// A float.
    Float,
    /// A double: one entry, two slots.
    Double,
    /// A long: one entry, two slots.
    Long,
    /// The null reference.
    Null,
    /// `this` in a constructor, before the superclass constructor was called.
    UninitializedThis,
    /// An object of a class, by the index of its Class constant.
    Object(u16),
    /// An object made by the `new` at this offset of the code, before its constructor was called.
    Uninitialized(u16),
}

/// A frame, in the form used by the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Frame {
    /// Offset of the instruction, bytes.
    pub at: u32,
    /// Its types, relative to the previous frame.
    pub form: FrameForm,
}

/// The forms of frames. Types are ranges in [`Frames::types`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FrameForm {
    /// The same variables, an empty stack.
    Same {
        /// Stored with a 16-bit distance, even if a shorter one would do.
        extended: bool,
    },
    /// The same variables, one entry on the stack.
    OneOnStack {
        /// Stored with a 16-bit distance.
        extended: bool,
        /// The entry.
        stack: VerificationType,
    },
    /// The last one to three variables are removed.
    Chop(u8),
    /// One to three variables are added: index of the first type, and count.
    Append(u32, u8),
    /// All variables, then the stack.
    Full {
        /// Index of the first type.
        from: u32,
        /// Number of variables.
        locals: u16,
        /// Number of stack entries after them.
        stack: u16,
    },
}

/// All frames of a method.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Frames {
    /// The frames, ordered by offset.
    pub frames: Vec<Frame>,
    /// The types that frames refer to.
    pub types: Vec<VerificationType>,
}

const SAME_END: u8 = 64;
const ONE_ON_STACK_END: u8 = 128;
const ONE_ON_STACK_EXTENDED: u8 = 247;
const SAME_EXTENDED: u8 = 251;
const FULL: u8 = 255;

impl Frames {
    /// Reads the content of a `StackMapTable`, which is at offset `at` in the file.
    ///
    /// # Errors
    /// If it is truncated, has trailing bytes, or contains an unknown tag.
    pub fn read(content: &[u8], at: usize) -> Result<Self, ClassError> {
        let mut cursor = Cursor::new(content, at);
        let count = cursor.u16("number_of_entries")?;
        let mut frames = Self::default();
        let mut next = 0;
        for _ in 0..count {
            let (distance, form) = frames.read_form(&mut cursor)?;
            let at = next + u32::from(distance);
            frames.frames.push(Frame { at, form });
            next = at + 1;
        }
        cursor.end("StackMapTable")?;
        Ok(frames)
    }

    fn read_form(&mut self, cursor: &mut Cursor<'_>) -> Result<(u16, FrameForm), ClassError> {
        let tag = cursor.u8("frame_type")?;
        let mut distance = || cursor.u16("offset_delta");
        Ok(match tag {
            0..SAME_END => (tag.into(), FrameForm::Same { extended: false }),
            SAME_END..ONE_ON_STACK_END => {
                let stack = read_type(cursor)?;
                let distance = tag - SAME_END;
                let extended = false;
                (distance.into(), FrameForm::OneOnStack { extended, stack })
            }
            ONE_ON_STACK_EXTENDED => {
                let distance = distance()?;
                let stack = read_type(cursor)?;
                let extended = true;
                (distance, FrameForm::OneOnStack { extended, stack })
            }
            248..SAME_EXTENDED => (distance()?, FrameForm::Chop(SAME_EXTENDED - tag)),
            SAME_EXTENDED => (distance()?, FrameForm::Same { extended: true }),
            252..FULL => {
                let distance = distance()?;
                let count = tag - SAME_EXTENDED;
                let from = self.read_types(cursor, count.into())?;
                (distance, FrameForm::Append(from, count))
            }
            FULL => {
                let distance = distance()?;
                let locals = cursor.u16("number_of_locals")?;
                let from = self.read_types(cursor, locals)?;
                let stack = cursor.u16("number_of_stack_items")?;
                self.read_types(cursor, stack)?;
                (
                    distance,
                    FrameForm::Full {
                        from,
                        locals,
                        stack,
                    },
                )
            }
            ONE_ON_STACK_END..ONE_ON_STACK_EXTENDED => {
                return Err(cursor.wrong("frame_type", tag.into(), 1));
            }
        })
    }

    fn read_types(&mut self, cursor: &mut Cursor<'_>, count: u16) -> Result<u32, ClassError> {
        let from = self.types.len() as u32;
        for _ in 0..count {
            self.types.push(read_type(cursor)?);
        }
        Ok(from)
    }

    /// The content of the attribute. Frames keep their form unless their distance needs a longer one. Offsets must be
    /// increasing.
    pub fn write(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(2 + 4 * self.frames.len() + 3 * self.types.len());
        out.put_u16(self.frames.len() as u16);
        let mut next = 0;
        for frame in &self.frames {
            let distance = (frame.at - next) as u16;
            self.write_form(frame.form, distance, &mut out);
            next = frame.at + 1;
        }
        out
    }

    fn write_form(&self, form: FrameForm, distance: u16, out: &mut Vec<u8>) {
        let is_short = distance < u16::from(SAME_END);
        match form {
            FrameForm::Same { extended: false } if is_short => out.put_u8(distance as u8),
            FrameForm::Same { .. } => {
                out.put_u8(SAME_EXTENDED);
                out.put_u16(distance);
            }
            FrameForm::OneOnStack { extended, stack } => {
                if is_short && !extended {
                    out.put_u8(SAME_END + distance as u8);
                } else {
                    out.put_u8(ONE_ON_STACK_EXTENDED);
                    out.put_u16(distance);
                }
                write_type(stack, out);
            }
            FrameForm::Chop(count) => {
                out.put_u8(SAME_EXTENDED - count);
                out.put_u16(distance);
            }
            FrameForm::Append(from, count) => {
                out.put_u8(SAME_EXTENDED + count);
                out.put_u16(distance);
                self.write_types(from, count.into(), out);
            }
            FrameForm::Full {
                from,
                locals,
                stack,
            } => {
                out.put_u8(FULL);
                out.put_u16(distance);
                out.put_u16(locals);
                self.write_types(from, locals, out);
                out.put_u16(stack);
                self.write_types(from + u32::from(locals), stack, out);
            }
        }
    }

    fn write_types(&self, from: u32, count: u16, out: &mut Vec<u8>) {
        for &each in &self.types[from as usize..][..usize::from(count)] {
            write_type(each, out);
        }
    }

    /// The offsets of `new` instructions in frames, to be updated when code moves.
    pub(crate) fn uninitialized(&mut self) -> impl Iterator<Item = &mut u16> {
        let on_stack = self.frames.iter_mut().map(|frame| match &mut frame.form {
            FrameForm::OneOnStack { stack, .. } => Some(stack),
            _ => None,
        });
        let all = on_stack.flatten().chain(&mut self.types);
        all.filter_map(|each| match each {
            VerificationType::Uninitialized(at) => Some(at),
            _ => None,
        })
    }
}

fn read_type(cursor: &mut Cursor<'_>) -> Result<VerificationType, ClassError> {
    use VerificationType as Type;
    Ok(match cursor.u8("verification type")? {
        0 => Type::Top,
        1 => Type::Int,
        2 => Type::Float,
        3 => Type::Double,
        4 => Type::Long,
        5 => Type::Null,
        6 => Type::UninitializedThis,
        7 => Type::Object(cursor.u16("class of a verification type")?),
        8 => Type::Uninitialized(cursor.u16("offset of a verification type")?),
        tag => return Err(cursor.wrong("verification type", tag.into(), 1)),
    })
}

fn write_type(each: VerificationType, out: &mut Vec<u8>) {
    use VerificationType as Type;
    let (tag, operand) = match each {
        Type::Top => (0, None),
        Type::Int => (1, None),
        Type::Float => (2, None),
        Type::Double => (3, None),
        Type::Long => (4, None),
        Type::Null => (5, None),
        Type::UninitializedThis => (6, None),
        Type::Object(class) => (7, Some(class)),
        Type::Uninitialized(at) => (8, Some(at)),
    };
    out.put_u8(tag);
    if let Some(operand) = operand {
        out.put_u16(operand);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_written_as_it_was_read() {
        let content = [
            0, 8, // entries
            0, // same, at 0
            255, 0, 1, 0, 1, 6, 0, 1, 8, 0, 0, // full: uninitialized this; new at 0
            247, 0, 9, 5, // one on the stack, needlessly extended
            127, 7, 0, 3, // one on the stack, the longest distance
            248, 0, 0, // three variables fewer
            253, 0, 0, 1, 4, // two more
            251, 0, 1,  // same, needlessly extended
            63, // same, the longest distance
        ];
        let frames = Frames::read(&content, 0).unwrap();
        assert_eq!(frames.write(), content);
        let at: Vec<u32> = frames.frames.iter().map(|frame| frame.at).collect();
        assert_eq!(at, [0, 2, 12, 76, 77, 78, 80, 144]);
    }

    #[test]
    fn a_frame_that_moves_far_takes_the_longer_form() {
        let mut frames = Frames::read(&[0, 2, 0, 64 + 63, 1], 0).unwrap();
        for frame in &mut frames.frames {
            frame.at += 64;
        }
        frames.frames[1].at += 1;
        assert_eq!(frames.write(), [0, 2, 251, 0, 64, 247, 0, 64, 1]);
    }

    #[test]
    fn invalid_frames_are_errors() {
        let read = |content: &[u8]| Frames::read(content, 100).unwrap_err().to_string();
        assert_eq!(
            read(&[0, 1, 128]),
            "frame_type at byte 102 is 128, which is invalid"
        );
        assert_eq!(
            read(&[0, 1, 64, 9]),
            "verification type at byte 103 is 9, which is invalid"
        );
        assert_eq!(
            read(&[0, 1, 0, 0]),
            "StackMapTable ends at byte 103, and 1 bytes follow"
        );
    }
}
