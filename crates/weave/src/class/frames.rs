//! The `StackMapTable`: which types the verifier shall expect where jumps arrive.
//!
//! A frame says how far it is from the one before: the first has its offset as it is, each later
//! one the distance less one (specification, 4.7.4). So a frame at offset 0 can only be the first,
//! and when code moves in front of it, it moves like any other.
//!
//! ```text
//! offsets   0      5           70
//! deltas    0      4 = 5-0-1   64 = 70-5-1 (does not fit a `same` frame, which takes 0 to 63)
//! ```

use super::ClassError;
use super::input::{Cursor, Put};

/// What the verifier knows about a variable or a slot of the stack (specification, 4.7.4).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VerificationType {
    /// Nothing, or the second slot of nothing.
    Top,
    /// An int or what is smaller.
    Int,
    /// A float.
    Float,
    /// A double, which is one entry though it takes two slots.
    Double,
    /// A long, likewise.
    Long,
    /// The null reference.
    Null,
    /// `this` before the constructor of the superclass was called.
    UninitializedThis,
    /// An object of a class, by the index of its Class constant.
    Object(u16),
    /// What the `new` at this offset of the code made, before its constructor was called.
    Uninitialized(u16),
}

/// A frame, in the form that the file has it in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Frame {
    /// The instruction that it is about.
    pub at: u32,
    /// What it says about the frame before it.
    pub form: FrameForm,
}

/// The forms of frames; ranges are types in [`Frames::types`], from and length.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FrameForm {
    /// The same variables, nothing on the stack. `extended` says how its distance was written.
    Same {
        /// With a distance of 16 bits, even where a shorter one would do.
        extended: bool,
    },
    /// The same variables, one entry on the stack.
    OneOnStack {
        /// With a distance of 16 bits.
        extended: bool,
        /// The entry.
        stack: VerificationType,
    },
    /// The last one to three variables are gone.
    Chop(u8),
    /// One to three more variables.
    Append(u32, u8),
    /// Everything anew: variables and then the stack.
    Full {
        /// The first of the types.
        from: u32,
        /// How many variables.
        locals: u16,
        /// How many entries of the stack behind them.
        stack: u16,
    },
}

/// All frames of a method.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Frames {
    /// The frames by rising offset.
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
    /// Reads the content of a `StackMapTable`, which stands at `at` in the file.
    ///
    /// # Errors
    /// If it ends early, goes on behind its end, or has a tag that is none.
    pub fn read(content: &[u8], at: usize) -> Result<Self, ClassError> {
        let mut cursor = Cursor::new(content, at);
        let count = cursor.u16("number_of_entries")?;
        let mut frames = Self::default();
        // The distance of the first counts from one before the code.
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

    /// The content of the attribute. Frames keep their form unless their distance needs a longer
    /// one. Offsets must rise.
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

    /// The offsets of `new` that frames speak of, to be changed when code moves.
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
    fn every_form_comes_back_as_it_was() {
        let content = [
            0, 8, // entries
            0, // same, at 0
            255, 0, 1, 0, 1, 6, 0, 1, 8, 0, 0, // full: uninitialized this; new at 0
            247, 0, 9, 5, // one on the stack, extended though short
            127, 7, 0, 3, // one on the stack, the longest distance
            248, 0, 0, // three variables fewer
            253, 0, 0, 1, 4, // two more
            251, 0, 1,  // same, extended though short
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
    fn what_is_no_frame_is_told() {
        let read = |content: &[u8]| Frames::read(content, 100).unwrap_err().to_string();
        assert_eq!(
            read(&[0, 1, 128]),
            "frame_type at byte 102 is 128, which it cannot be"
        );
        assert_eq!(
            read(&[0, 1, 64, 9]),
            "verification type at byte 103 is 9, which it cannot be"
        );
        assert_eq!(
            read(&[0, 1, 0, 0]),
            "StackMapTable ends at byte 103, and 1 bytes follow"
        );
    }
}
