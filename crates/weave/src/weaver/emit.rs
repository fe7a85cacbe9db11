//! Writing the new code of a method according to its layout, and noting which ranges handlers must and must not cover.

use super::layout::{Jump, Layout};
use super::skip_reason::SkipReason;
use crate::class::input::{Put, read_u32};
use crate::class::instruction::aligned;
use crate::class::{ClassError, ConstantPool, Handler, Instruction, opcode};

/// The new code.
#[derive(Debug, Default)]
pub(super) struct Emitted {
    pub code: Vec<u8>,
    /// Ranges for our handler: the section is open, and something can throw.
    pub covered: Vec<(u32, u32)>,
    /// Ranges that the method's own handlers must not cover: our calls, and trampolines.
    pub foreign: Vec<(u32, u32)>,
    /// Whether a section is closed before any return.
    pub has_exit: bool,
}

/// Writes the code.
pub(super) fn emit(
    old: &[u8],
    layout: &Layout<'_>,
    pool: &ConstantPool<'_>,
) -> Result<Emitted, SkipReason> {
    let mut emitter = Emitter {
        old,
        layout,
        pool,
        out: Emitted::default(),
        open: None,
        throws: false,
        trampoline: 0,
    };
    emitter.out.code.reserve(layout.end as usize + 16);
    for number in 0..layout.instructions.len() {
        emitter.instruction(number)?;
    }
    emitter.close();
    emitter.trampolines(layout.instructions.len())?;
    Ok(emitter.out)
}

struct Emitter<'e, 'a> {
    old: &'e [u8],
    layout: &'e Layout<'e>,
    pool: &'e ConstantPool<'a>,
    out: Emitted,
    /// Start of the current covered range.
    open: Option<u32>,
    /// Whether something in that range can throw.
    throws: bool,
    trampoline: usize,
}

impl Emitter<'_, '_> {
    fn at(&self) -> u32 {
        self.out.code.len() as u32
    }

    fn instruction(&mut self, number: usize) -> Result<(), SkipReason> {
        let instruction = self.layout.instructions[number];
        self.trampolines(number)?;
        if self.layout.enters_at(instruction.at) {
            self.close();
            self.call(&self.layout.call.enter);
        }
        if self.layout.exits_at(number) {
            self.close();
            self.call(&self.layout.call.exit);
            self.out.has_exit = true;
            self.copy(instruction);
            return Ok(());
        }
        if self.layout.is_open(number) {
            let at = self.at();
            self.open.get_or_insert(at);
            self.throws = self.throws || self.can_throw(instruction);
        } else {
            self.close();
        }
        match instruction.target(self.old) {
            Some(target) => self.jump(number, instruction, target),
            None if instruction.is_switch() => self.switch(instruction).map_err(SkipReason::from),
            None => {
                self.copy(instruction);
                Ok(())
            }
        }
    }

    fn copy(&mut self, instruction: Instruction) {
        let from = instruction.at as usize;
        let bytes = &self.old[from..from + instruction.length as usize];
        self.out.code.extend_from_slice(bytes);
    }

    /// Inserts one of our calls.
    fn call(&mut self, call: &[u8]) {
        let from = self.at();
        self.out.code.extend_from_slice(call);
        self.out.foreign.push((from, self.at()));
    }

    fn trampolines(&mut self, before: usize) -> Result<(), SkipReason> {
        while let Some(trampoline) = self.layout.trampolines.get(self.trampoline) {
            if trampoline.before as usize != before {
                break;
            }
            self.close();
            let from = self.at();
            let to = self.layout.jump(trampoline.target.into(), "a jump")?;
            self.goto_w(from, to);
            self.out.foreign.push((from, self.at()));
            self.trampoline += 1;
        }
        Ok(())
    }

    fn goto_w(&mut self, from: u32, to: u32) {
        self.out.code.put_u8(opcode::GOTO_W);
        self.out.code.put_u32(to.wrapping_sub(from));
    }

    /// Ends the current covered range. It needs no handler if nothing in it can throw.
    fn close(&mut self) {
        let end = self.at();
        if let Some(from) = self.open.take()
            && self.throws
        {
            self.out.covered.push((from, end));
        }
        self.throws = false;
    }

    fn can_throw(&self, instruction: Instruction) -> bool {
        let operands = instruction.at as usize + 1;
        let index = match instruction.opcode {
            opcode::LDC => self.old[operands].into(),
            opcode::LDC_W | opcode::LDC2_W => {
                u16::from_be_bytes([self.old[operands], self.old[operands + 1]])
            }
            opcode => return opcode::may_throw(opcode),
        };
        !self.pool.is_number(index)
    }

    fn jump(
        &mut self,
        number: usize,
        instruction: Instruction,
        target: i64,
    ) -> Result<(), SkipReason> {
        let from = self.at();
        let to = self.layout.jump(target, "a jump")?;
        let distance = |to: u32| i64::from(to) - i64::from(from);
        match self.layout.form(number) {
            Jump::Same if instruction.length == 5 => {
                self.out.code.put_u8(instruction.opcode);
                self.out.code.put_u32(to.wrapping_sub(from));
            }
            Jump::Same => self.short(instruction.opcode, distance(to))?,
            Jump::Trampoline(index) => {
                let trampoline = self.layout.trampolines[index as usize].at;
                self.short(instruction.opcode, distance(trampoline))?;
            }
            Jump::Wide => {
                let wide = instruction.opcode + (opcode::GOTO_W - opcode::GOTO);
                self.out.code.put_u8(wide);
                self.out.code.put_u32(to.wrapping_sub(from));
            }
            Jump::Inverted => {
                self.short(opposite(instruction.opcode), 3 + 5)?;
                self.goto_w(from + 3, to);
            }
        }
        Ok(())
    }

    fn short(&mut self, opcode: u8, distance: i64) -> Result<(), SkipReason> {
        let distance = i16::try_from(distance).map_err(|_| SkipReason::JumpTooFar)?;
        self.out.code.put_u8(opcode);
        self.out.code.put_u16(distance as u16);
        Ok(())
    }

    /// Writes a switch with new padding and new distances.
    fn switch(&mut self, instruction: Instruction) -> Result<(), ClassError> {
        let (at, old_at) = (self.at(), instruction.at as usize);
        let (operands, old_operands) = (aligned(at as usize), aligned(old_at));
        self.out.code.put_u8(instruction.opcode);
        self.out.code.resize(operands, 0);
        let end = old_at + instruction.length as usize;
        self.out
            .code
            .extend_from_slice(&self.old[old_operands..end]);
        for place in instruction.switch_distances() {
            let distance = read_u32(self.old, place) as i32;
            let target = old_at as i64 + i64::from(distance);
            let to = self.layout.jump(target, "a switch")?;
            let place = operands + place - old_operands;
            let bytes = to.wrapping_sub(at).to_be_bytes();
            self.out.code[place..place + 4].copy_from_slice(&bytes);
        }
        Ok(())
    }
}

/// The conditional jump with the opposite condition. They come in pairs: `ifeq` and `ifne` from 153, `ifnull` and
/// `ifnonnull` from 198.
fn opposite(opcode: u8) -> u8 {
    match opcode {
        opcode::IFNULL => opcode::IFNONNULL,
        opcode::IFNONNULL => opcode::IFNULL,
        _ => ((opcode + 1) ^ 1) - 1,
    }
}

/// The method's exception table with new offsets, not covering inserted code. Also, for each old entry, the number of the
/// first new entry made from it.
pub(super) fn move_handlers(
    handlers: &[Handler],
    layout: &Layout<'_>,
    foreign: &[(u32, u32)],
) -> Result<(Vec<Handler>, Vec<u16>), SkipReason> {
    const WHAT: &str = "the exception table";
    let (mut moved, mut numbers) = (Vec::with_capacity(handlers.len() + 4), Vec::new());
    for handler in handlers {
        numbers.push(moved.len() as u16);
        let mut from = layout.jump(handler.start.into(), WHAT)?;
        let end = layout.jump(handler.end.into(), WHAT)?;
        let target = layout.jump(handler.target.into(), WHAT)?;
        let first = foreign.partition_point(|(_, end)| *end <= from);
        for &(begin, after) in foreign[first..]
            .iter()
            .take_while(|(begin, _)| *begin < end)
        {
            push(&mut moved, (from, begin), target, handler.class);
            from = after;
        }
        push(&mut moved, (from, end), target, handler.class);
        if moved.len() > usize::from(u16::MAX) {
            return Err(SkipReason::TooLarge);
        }
    }
    Ok((moved, numbers))
}

/// Adds an entry, unless its range is empty.
pub(super) fn push(into: &mut Vec<Handler>, (from, end): (u32, u32), target: u32, class: u16) {
    if from < end {
        // The layout checked that the code has at most 65,535 bytes.
        into.push(Handler {
            start: from as u16,
            end: end as u16,
            target: target as u16,
            class,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_inverted_in_pairs() {
        for (one, other) in [
            (153, 154),
            (155, 156),
            (157, 158),
            (159, 160),
            (165, 166),
            (198, 199),
        ] {
            assert_eq!((opposite(one), opposite(other)), (other, one));
        }
    }
}
