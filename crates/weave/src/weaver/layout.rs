//! Where each instruction of a method goes when calls are put between them.
//!
//! ```text
//! old   0 aload_0            new   0 ldc "7"            ┐ enter: jumps to the old 0
//!       1 ifnull 5                 2 invokestatic begin ┘ lead behind it
//!       4 return                   5 aload_0
//!       5 …                        6 ifnull 13
//!                                  9 invokestatic end   ┐ exit: jumps to the old 4
//!                                 12 return             ┘ lead before it
//!                                 13 …
//! ```
//!
//! Code that grew may have jumps that no longer reach. `goto` has a form that reaches everywhere; a
//! conditional jump is turned round and jumps over such a `goto_w`. What then follows the `goto_w`
//! needs a frame, and where there is none the jump goes to a trampoline: a `goto_w` behind an
//! instruction after which nothing flows on, with the frame of the place that it leads to.

use super::LeftOut;
use super::call::CallCode;
use super::super_call::Opened;
use crate::class::instruction::aligned;
use crate::class::{ClassError, Code, Instruction, Instructions, MAX_CODE_BYTES, opcode};

/// No instruction begins there.
const NOWHERE: u32 = u32::MAX;

/// How a jump is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Jump {
    /// As it was.
    Same,
    /// `goto_w` or `jsr_w`.
    Wide,
    /// The opposite condition, over a `goto_w`.
    Inverted,
    /// To the trampoline of this number.
    Trampoline(u32),
}

/// A `goto_w` for jumps that do not reach.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Trampoline {
    /// It stands before the instruction of this number; the number of instructions is the end.
    pub before: u32,
    /// The old offset that it leads to.
    pub target: u32,
    /// Where it is.
    pub at: u32,
}

const TRAMPOLINE_BYTES: u32 = 5;

/// The plan for one method.
#[derive(Debug)]
pub(super) struct Layout<'p> {
    pub instructions: &'p [Instruction],
    pub call: &'p CallCode,
    /// Of a constructor, where `this` is an object.
    pub opened: Option<&'p Opened>,
    /// By old offset, where jumps to it lead now.
    jumps: Vec<u32>,
    /// By old offset, where the instruction itself is now.
    places: Vec<u32>,
    /// By number of instruction; empty while every jump reaches.
    forms: Vec<Jump>,
    /// By place, then by target.
    pub trampolines: Vec<Trampoline>,
    /// Behind the last instruction.
    pub end: u32,
}

/// All instructions of a method, checked to lie within its code.
pub(super) fn instructions(code: &[u8], into: &mut Vec<Instruction>) -> Result<(), ClassError> {
    into.clear();
    for instruction in Instructions::new(code) {
        into.push(instruction?);
    }
    Ok(())
}

impl<'p> Layout<'p> {
    /// Finds a place for everything. `frames` are the offsets that have a frame, if the class needs
    /// frames at all.
    pub fn new(
        code: &Code<'_>,
        instructions: &'p [Instruction],
        call: &'p CallCode,
        opened: Option<&'p Opened>,
        frames: Option<&[u32]>,
    ) -> Result<Self, LeftOut> {
        let length = code.code.len();
        let mut layout = Self {
            instructions,
            call,
            opened,
            jumps: vec![NOWHERE; length + 1],
            places: vec![NOWHERE; length + 1],
            forms: Vec::new(),
            trampolines: Vec::new(),
            end: 0,
        };
        layout.place();
        // A jump reaches 32,767 bytes; where all is nearer than that, nothing needs a look.
        while layout.end > i16::MAX as u32 && layout.lengthen(&code.code, frames)? {
            layout.place();
        }
        if layout.end as usize > MAX_CODE_BYTES {
            Err(LeftOut::TooLarge)
        } else {
            Ok(layout)
        }
    }

    /// Whether the section is open at an instruction, by its number.
    #[inline]
    pub fn is_open(&self, number: usize) -> bool {
        self.opened.is_none_or(|opened| opened.open[number])
    }

    /// Whether a section begins before the instruction at an old offset.
    #[inline]
    pub fn enters_at(&self, at: u32) -> bool {
        match self.opened {
            None => at == 0,
            Some(opened) => opened.enters.contains(&at),
        }
    }

    /// Whether a section is closed before an instruction.
    #[inline]
    pub fn exits_at(&self, number: usize) -> bool {
        opcode::is_return(self.instructions[number].opcode) && self.is_open(number)
    }

    /// How the jump of this number is written.
    #[inline]
    pub fn form(&self, number: usize) -> Jump {
        self.forms.get(number).copied().unwrap_or(Jump::Same)
    }

    /// Where jumps to an old offset lead.
    pub fn jump(&self, target: i64, what: &'static str) -> Result<u32, ClassError> {
        Self::look_up(&self.jumps, target, what)
    }

    /// Where the instruction of an old offset is.
    pub fn place_of(&self, old: i64, what: &'static str) -> Result<u32, ClassError> {
        Self::look_up(&self.places, old, what)
    }

    fn look_up(table: &[u32], old: i64, what: &'static str) -> Result<u32, ClassError> {
        match usize::try_from(old).ok().and_then(|at| table.get(at)) {
            Some(&place) if place != NOWHERE => Ok(place),
            _ => Err(ClassError::Target { what, target: old }),
        }
    }

    /// Gives every instruction its place.
    fn place(&mut self) {
        let enter = self.call.enter.len() as u32;
        let exit = self.call.exit.len() as u32;
        let (mut at, mut trampoline) = (0, 0);
        for number in 0..self.instructions.len() {
            let instruction = self.instructions[number];
            let old = instruction.at as usize;
            trampoline = self.place_trampolines(trampoline, number, &mut at);
            if self.enters_at(instruction.at) {
                at += enter;
            }
            self.jumps[old] = at;
            if self.exits_at(number) {
                at += exit;
            }
            self.places[old] = at;
            at += self.length(number, instruction, at);
        }
        self.place_trampolines(trampoline, self.instructions.len(), &mut at);
        let last = self.jumps.len() - 1;
        (self.jumps[last], self.places[last]) = (at, at);
        self.end = at;
    }

    fn place_trampolines(&mut self, from: usize, before: usize, at: &mut u32) -> usize {
        let mut index = from;
        while let Some(trampoline) = self.trampolines.get_mut(index) {
            if trampoline.before as usize != before {
                break;
            }
            trampoline.at = *at;
            *at += TRAMPOLINE_BYTES;
            index += 1;
        }
        index
    }

    /// Bytes of an instruction at its new place.
    #[inline]
    fn length(&self, number: usize, instruction: Instruction, at: u32) -> u32 {
        if instruction.is_switch() {
            let old = aligned(instruction.at as usize) as u32 - instruction.at;
            let new = aligned(at as usize) as u32 - at;
            return instruction.length - old + new;
        }
        match self.form(number) {
            Jump::Same | Jump::Trampoline(_) => instruction.length,
            Jump::Wide => 5,
            Jump::Inverted => 3 + 5,
        }
    }

    /// Gives every jump that does not reach a longer form; false where all reach.
    fn lengthen(&mut self, code: &[u8], frames: Option<&[u32]>) -> Result<bool, LeftOut> {
        if self.end as usize > 2 * MAX_CODE_BYTES {
            return Err(LeftOut::TooLarge);
        }
        self.forms.resize(self.instructions.len(), Jump::Same);
        let mut changed = false;
        for number in 0..self.instructions.len() {
            let instruction = self.instructions[number];
            let is_short = instruction.length == 3 && instruction.opcode != opcode::GOTO_W;
            let Some(target) = instruction.target(code).filter(|_| is_short) else {
                continue;
            };
            if self.reaches(number, target)? {
                continue;
            }
            self.forms[number] = match instruction.opcode {
                opcode::GOTO | opcode::JSR => Jump::Wide,
                _ if self.may_invert(number, frames) => Jump::Inverted,
                _ => self.trampoline(number, target as u32)?,
            };
            changed = true;
        }
        Ok(changed)
    }

    fn reaches(&self, number: usize, target: i64) -> Result<bool, LeftOut> {
        let from = self.place_of(self.instructions[number].at.into(), "a jump")?;
        let to = match self.form(number) {
            Jump::Same => self.jump(target, "a jump")?,
            Jump::Trampoline(index) => self.trampolines[index as usize].at,
            Jump::Wide | Jump::Inverted => return Ok(true),
        };
        let distance = i64::from(to) - i64::from(from);
        Ok(i16::try_from(distance).is_ok())
    }

    /// Whether what follows a `goto_w` after this instruction would have a frame, or needs none.
    fn may_invert(&self, number: usize, frames: Option<&[u32]>) -> bool {
        let next = self.instructions.get(number + 1).map(|next| next.at);
        match (frames, next) {
            (None, _) => true,
            (Some(frames), Some(next)) => frames.binary_search(&next).is_ok(),
            (Some(_), None) => false,
        }
    }

    /// A trampoline between a jump and its target, as near to the target as the jump reaches with
    /// room to spare for what else may grow.
    fn trampoline(&mut self, number: usize, target: u32) -> Result<Jump, LeftOut> {
        const REACH: u32 = 28_000;
        let from = self.places[self.instructions[number].at as usize];
        let count = self.instructions.len();
        let place = |number: usize| match self.instructions.get(number) {
            Some(instruction) => self.jumps[instruction.at as usize],
            None => self.end,
        };
        let is_fit = |before: &usize| {
            opcode::ends_flow(self.instructions[before - 1].opcode)
                && place(*before).abs_diff(from) < REACH
        };
        let before = if target > self.instructions[number].at {
            (number + 1..=count).rev().find(is_fit)
        } else {
            (1..=number).find(is_fit)
        };
        let before = before.ok_or(LeftOut::JumpTooFar)? as u32;
        Ok(Jump::Trampoline(self.trampoline_before(before, target)))
    }

    fn trampoline_before(&mut self, before: u32, target: u32) -> u32 {
        let key = |each: &Trampoline| (each.before, each.target);
        let search = self
            .trampolines
            .binary_search_by_key(&(before, target), key);
        search.unwrap_or_else(|index| {
            let at = NOWHERE - 2 * MAX_CODE_BYTES as u32;
            self.trampolines
                .insert(index, Trampoline { before, target, at });
            // What stood behind it has another number now.
            for form in &mut self.forms {
                match form {
                    Jump::Trampoline(other) if *other as usize >= index => *other += 1,
                    _ => {}
                }
            }
            index
        }) as u32
    }
}
