//! Weaving one method.

use std::borrow::Cow;

use super::call::CallCode;
use super::emit::{Emitted, emit, move_handlers, push};
use super::layout::{Layout, instructions};
use super::move_frames::{move_frames, push_handler_frame};
use super::skip_reason::SkipReason;
use super::super_call;
use crate::class::descriptor::method_slots;
use crate::class::tables::{
    Moves, move_character_ranges, move_lines, move_type_annotations, move_variables,
};
use crate::class::{
    Attribute, ClassError, Code, ConstantPool, Frames, Instruction, VerificationType, opcode,
};

/// First major version that needs frames at jump targets (specification, 4.10).
const FIRST_WITH_FRAMES: u16 = 50;

/// Facts about a method besides its code.
#[derive(Clone, Copy, Debug)]
pub(super) struct About {
    pub major: u16,
    pub is_static: bool,
    /// Whether it is a constructor of a class with a superclass.
    pub is_constructor: bool,
    /// Index of the descriptor.
    pub descriptor: u16,
    /// Index of the Class constant of the class.
    pub class: u16,
}

/// Indexes of constants for handlers and frames; 0 until needed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Shared {
    throwable: u16,
    stack_map_table: u16,
}

/// Inserts the calls into a method's code.
pub(super) fn weave(
    old: &Code<'_>,
    about: About,
    call: &CallCode,
    pool: &mut ConstantPool<'_>,
    shared: &mut Shared,
    buffer: &mut Vec<Instruction>,
) -> Result<Vec<u8>, SkipReason> {
    instructions(&old.code, buffer)?;
    let opened = if about.is_constructor {
        Some(super_call::find(old, buffer, pool)?)
    } else {
        None
    };
    let with_frames = about.major >= FIRST_WITH_FRAMES;
    let table = find_frames(old, pool)?;
    let frames = with_frames.then(|| frame_offsets(&table));
    let layout = Layout::new(old, buffer, call, opened.as_ref(), frames.as_deref())?;
    let emitted = emit(&old.code, &layout, pool)?;
    let mut writer = Writer {
        old,
        about,
        layout: &layout,
        pool,
        shared,
    };
    writer.write(emitted, table, with_frames)
}

fn find_frames(code: &Code<'_>, pool: &ConstantPool<'_>) -> Result<Option<Frames>, ClassError> {
    let is_table = |one: &&Attribute<'_>| pool.utf8(one.name) == Ok(b"StackMapTable");
    let table = code.attributes.iter().find(is_table);
    table
        .map(|table| Frames::read(&table.content, table.at))
        .transpose()
}

/// Offsets with a frame.
fn frame_offsets(frames: &Option<Frames>) -> Vec<u32> {
    let frames = frames.iter().flat_map(|frames| &frames.frames);
    frames.map(|frame| frame.at).collect()
}

struct Writer<'w, 'c, 'a> {
    old: &'w Code<'c>,
    about: About,
    layout: &'w Layout<'w>,
    pool: &'w mut ConstantPool<'a>,
    shared: &'w mut Shared,
}

impl Writer<'_, '_, '_> {
    /// The content of the new `Code` attribute.
    fn write(
        &mut self,
        mut emitted: Emitted,
        frames: Option<Frames>,
        with_frames: bool,
    ) -> Result<Vec<u8>, SkipReason> {
        let (mut handlers, numbers) =
            move_handlers(&self.old.handlers, self.layout, &emitted.foreign)?;
        let handler = self.add_handler(&mut emitted, &mut handlers)?;
        let mut attributes = self.attributes(&numbers)?;
        let frames = match frames {
            Some(frames) => Some(self.moved_frames(frames)?),
            None => None,
        };
        if let Some(frames) = self.with_handler(frames, handler.filter(|_| with_frames))? {
            let content = Cow::Owned(frames.write());
            let name = self.stack_map_table()?;
            attributes.push(Attribute {
                name,
                at: 0,
                content,
            });
        }
        let code = Code {
            max_stack: self.max_stack(emitted.has_exit, handler.is_some())?,
            max_locals: self.old.max_locals,
            code: emitted.code.into(),
            handlers,
            attributes,
        };
        Ok(code.write())
    }

    /// Appends our handler, which closes the section and rethrows. Its entries come after the
    /// method's entries, so the method's own handlers run first. Returns the handler's offset, or
    /// `None` if it is not needed.
    fn add_handler(
        &self,
        emitted: &mut Emitted,
        handlers: &mut Vec<crate::class::Handler>,
    ) -> Result<Option<u32>, SkipReason> {
        if emitted.covered.is_empty() {
            return Ok(None);
        }
        let at = emitted.code.len() as u32;
        for &range in &emitted.covered {
            push(handlers, range, at, 0);
        }
        emitted.code.extend_from_slice(&self.layout.call.exit);
        emitted.code.push(opcode::ATHROW);
        let fits = emitted.code.len() <= crate::class::MAX_CODE_BYTES
            && handlers.len() <= usize::from(u16::MAX);
        if fits {
            Ok(Some(at))
        } else {
            Err(SkipReason::TooLarge)
        }
    }

    fn max_stack(&self, has_exit: bool, has_handler: bool) -> Result<u16, SkipReason> {
        let (call, old) = (self.layout.call, self.old.max_stack);
        // At the start of a method the stack is empty. After a superclass constructor call it may not be.
        let before = if self.about.is_constructor { old } else { 0 };
        let enter = before.checked_add(call.enter_stack);
        let exit = old.checked_add(if has_exit { call.exit_stack } else { 0 });
        let handler = if has_handler { 1 + call.exit_stack } else { 0 };
        match (enter, exit) {
            (Some(enter), Some(exit)) => Ok(enter.max(exit).max(handler)),
            _ => Err(SkipReason::TooLarge),
        }
    }

    /// The attributes of the code with new offsets, except the frames.
    fn attributes(&self, handlers: &[u16]) -> Result<Vec<Attribute<'static>>, SkipReason> {
        let moves = NewPlaces {
            layout: self.layout,
            handlers,
        };
        let mut attributes = Vec::with_capacity(self.old.attributes.len() + 1);
        for old in &self.old.attributes {
            let mut content = old.content.to_vec();
            match self.pool.utf8(old.name)? {
                b"StackMapTable" => continue,
                b"LineNumberTable" => move_lines(&mut content, old.at, &moves)?,
                b"LocalVariableTable" | b"LocalVariableTypeTable" => {
                    move_variables(&mut content, old.at, &moves)?;
                }
                b"CharacterRangeTable" => move_character_ranges(&mut content, old.at, &moves)?,
                b"RuntimeVisibleTypeAnnotations" | b"RuntimeInvisibleTypeAnnotations" => {
                    move_type_annotations(&mut content, old.at, &moves)?;
                }
                _ => {}
            }
            attributes.push(Attribute {
                name: old.name,
                at: old.at,
                content: content.into(),
            });
        }
        Ok(attributes)
    }

    fn moved_frames(&mut self, frames: Frames) -> Result<Frames, SkipReason> {
        let (about, pool) = (self.about, &mut *self.pool);
        move_frames(frames, self.layout, || initial_locals(about, pool))
    }

    fn with_handler(
        &mut self,
        frames: Option<Frames>,
        handler: Option<u32>,
    ) -> Result<Option<Frames>, SkipReason> {
        let Some(at) = handler else {
            return Ok(frames);
        };
        let mut frames = frames.unwrap_or_default();
        let throwable = self.throwable()?;
        let keeps_parameters = !self.about.is_constructor && self.keeps_parameters()?;
        push_handler_frame(&mut frames, at, throwable, keeps_parameters);
        Ok(Some(frames))
    }

    /// Whether no instruction stores to the variable of a parameter.
    fn keeps_parameters(&self) -> Result<bool, SkipReason> {
        let descriptor = self.about.descriptor;
        let (slots, _) = method_slots(self.pool.utf8(descriptor)?)
            .ok_or(ClassError::Descriptor { index: descriptor })?;
        let slots = slots + usize::from(!self.about.is_static);
        let stores = |instruction: &Instruction| match instruction.stores(&self.old.code) {
            Some((variable, _)) => usize::from(variable) < slots,
            None => false,
        };
        Ok(!self.layout.instructions.iter().any(stores))
    }

    fn throwable(&mut self) -> Result<u16, ClassError> {
        if self.shared.throwable == 0 {
            const NAME: &[u8] = b"java/lang/Throwable";
            let name = match self.pool.find([NAME])[0] {
                0 => self.pool.add_utf8(NAME)?,
                name => name,
            };
            self.shared.throwable = match self.pool.find_class(name) {
                0 => self.pool.add_class(name)?,
                class => class,
            };
        }
        Ok(self.shared.throwable)
    }

    fn stack_map_table(&mut self) -> Result<u16, ClassError> {
        if self.shared.stack_map_table == 0 {
            const NAME: &[u8] = b"StackMapTable";
            self.shared.stack_map_table = match self.pool.find([NAME])[0] {
                0 => self.pool.add_utf8(NAME)?,
                name => name,
            };
        }
        Ok(self.shared.stack_map_table)
    }
}

/// The variables at the start of a method (specification, 4.10.1.6).
fn initial_locals(
    about: About,
    pool: &mut ConstantPool<'_>,
) -> Result<Vec<VerificationType>, SkipReason> {
    use VerificationType as Type;
    let mut locals = Vec::new();
    if !about.is_static {
        locals.push(if about.is_constructor {
            Type::UninitializedThis
        } else {
            Type::Object(about.class)
        });
    }
    let index = about.descriptor;
    let wrong = || SkipReason::from(ClassError::Descriptor { index });
    let descriptor = pool.utf8(index)?.to_vec();
    method_slots(&descriptor).ok_or_else(wrong)?;
    let mut rest = &descriptor[1..];
    while rest[0] != b')' {
        let (_, after) = crate::class::descriptor::field_slots(rest).ok_or_else(wrong)?;
        let one = &rest[..rest.len() - after.len()];
        locals.push(match one[0] {
            b'J' => Type::Long,
            b'D' => Type::Double,
            b'F' => Type::Float,
            b'L' => Type::Object(class_constant(&one[1..one.len() - 1], pool)?),
            b'[' => Type::Object(class_constant(one, pool)?),
            _ => Type::Int,
        });
        rest = after;
    }
    Ok(locals)
}

fn class_constant(name: &[u8], pool: &mut ConstantPool<'_>) -> Result<u16, ClassError> {
    let text = match pool.find([name])[0] {
        0 => pool.add_utf8(name)?,
        text => text,
    };
    match pool.find_class(text) {
        0 => pool.add_class(text),
        class => Ok(class),
    }
}

/// Maps old offsets in tables.
struct NewPlaces<'n> {
    layout: &'n Layout<'n>,
    handlers: &'n [u16],
}

impl Moves for NewPlaces<'_> {
    fn start(&self, old: u16, what: &'static str) -> Result<u16, ClassError> {
        // The inserted call belongs to the first line, and parameters exist from the start.
        match old {
            0 => Ok(0),
            _ => Ok(self.layout.jump(old.into(), what)? as u16),
        }
    }

    fn end(&self, old: u32, what: &'static str) -> Result<u16, ClassError> {
        Ok(self.layout.jump(old.into(), what)? as u16)
    }

    fn instruction(&self, old: u16, what: &'static str) -> Result<u16, ClassError> {
        Ok(self.layout.place_of(old.into(), what)? as u16)
    }

    fn handler(&self, old: u16) -> u16 {
        self.handlers.get(usize::from(old)).copied().unwrap_or(old)
    }
}
