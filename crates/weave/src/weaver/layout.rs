//! Computing the new offset of each instruction when calls are inserted.
//!
//! ```text
//! old   0 aload_0            new   0 ldc "7"            ┐ enter: jumps to the old 0
//!       1 ifnull 5                 2 invokestatic begin ┘ now skip it
//!       4 return                   5 aload_0
//!       5 …                        6 ifnull 13
//!                                  9 invokestatic end   ┐ exit: jumps to the old 4
//!                                 12 return             ┘ now include it
//!                                 13 …
//! ```
//!
//! In larger code, some jumps may no longer reach their targets. `goto` has the long form `goto_w`. A conditional jump is
//! inverted and jumps over a `goto_w`. The instruction after that `goto_w` needs a frame; if it has none, the jump goes to
//! a trampoline instead: a `goto_w` placed where control never falls through, with the frame of its target.

use super::call::CallCode;
use super::skip_reason::SkipReason;
use super::super_call::Opened;
use crate::class::instruction::aligned;
use crate::class::{ClassError, Code, Instruction, Instructions, MAX_CODE_BYTES, opcode};

/// No instruction begins there.
const NOWHERE: u32 = u32::MAX;

/// The form of a jump.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Jump {
    /// Unchanged.
    Same,
    /// `goto_w` or `jsr_w`.
    Wide,
    /// The opposite condition, jumping over a `goto_w`.
    Inverted,
    /// To the trampoline with this index.
    Trampoline(u32),
}

/// A `goto_w` for jumps that do not reach.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Trampoline {
    /// Number of the instruction after it; the number of instructions means the end.
    pub before: u32,
    /// Old offset of its target.
    pub target: u32,
    /// Its new offset.
    pub at: u32,
}

const TRAMPOLINE_BYTES: u32 = 5;

/// The plan for one method.
#[derive(Debug)]
pub(super) struct Layout<'p> {
    pub instructions: &'p [Instruction],
    pub call: &'p CallCode,
    /// For a constructor: where `this` is initialized.
    pub opened: Option<&'p Opened>,
    /// New target of jumps, by old offset.
    jumps: Vec<u32>,
    /// New offset of the instruction itself, by old offset.
    places: Vec<u32>,
    /// By number of instruction; empty while every jump reaches its target.
    forms: Vec<Jump>,
    /// Ordered by position, then by target.
    pub trampolines: Vec<Trampoline>,
    /// End of the new code.
    pub end: u32,
}

/// All instructions of a method, checked to be inside its code.
pub(super) fn instructions(code: &[u8], into: &mut Vec<Instruction>) -> Result<(), ClassError> {
    into.clear();
    for instruction in Instructions::new(code) {
        into.push(instruction?);
    }
    Ok(())
}

impl<'p> Layout<'p> {
    /// Computes the layout. `frames` are the offsets with a frame; `None` if the class needs no frames.
    pub fn new(
        code: &Code<'_>,
        instructions: &'p [Instruction],
        call: &'p CallCode,
        opened: Option<&'p Opened>,
        frames: Option<&[u32]>,
    ) -> Result<Self, SkipReason> {
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
        // A jump reaches 32,767 bytes. Shorter code needs no further checks.
        while layout.end > i16::MAX as u32 && layout.lengthen(&code.code, frames)? {
            layout.place();
        }
        if layout.end as usize > MAX_CODE_BYTES {
            Err(SkipReason::TooLarge)
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

    /// The form of a jump.
    #[inline]
    pub fn form(&self, number: usize) -> Jump {
        self.forms.get(number).copied().unwrap_or(Jump::Same)
    }

    /// The new target of jumps to an old offset.
    pub fn jump(&self, target: i64, what: &'static str) -> Result<u32, ClassError> {
        Self::look_up(&self.jumps, target, what)
    }

    /// The new offset of the instruction at an old offset.
    pub fn place_of(&self, old: i64, what: &'static str) -> Result<u32, ClassError> {
        Self::look_up(&self.places, old, what)
    }

    fn look_up(table: &[u32], old: i64, what: &'static str) -> Result<u32, ClassError> {
        match usize::try_from(old).ok().and_then(|at| table.get(at)) {
            Some(&place) if place != NOWHERE => Ok(place),
            _ => Err(ClassError::Target { what, target: old }),
        }
    }

    /// Computes the offset of every instruction.
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

    /// Length of an instruction at its new offset, bytes.
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

    /// Gives a longer form to every jump that does not reach its target. False if all do.
    fn lengthen(&mut self, code: &[u8], frames: Option<&[u32]>) -> Result<bool, SkipReason> {
        if self.end as usize > 2 * MAX_CODE_BYTES {
            return Err(SkipReason::TooLarge);
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

    fn reaches(&self, number: usize, target: i64) -> Result<bool, SkipReason> {
        let from = self.place_of(self.instructions[number].at.into(), "a jump")?;
        let to = match self.form(number) {
            Jump::Same => self.jump(target, "a jump")?,
            Jump::Trampoline(index) => self.trampolines[index as usize].at,
            Jump::Wide | Jump::Inverted => return Ok(true),
        };
        let distance = i64::from(to) - i64::from(from);
        Ok(i16::try_from(distance).is_ok())
    }

    /// Whether the instruction after an inserted `goto_w` would have a frame, or needs none.
    fn may_invert(&self, number: usize, frames: Option<&[u32]>) -> bool {
        let next = self.instructions.get(number + 1).map(|next| next.at);
        match (frames, next) {
            (None, _) => true,
            (Some(frames), Some(next)) => frames.binary_search(&next).is_ok(),
            (Some(_), None) => false,
        }
    }

    /// Places a trampoline between a jump and its target: as close to the target as the jump reaches, with a margin for
    /// further growth.
    fn trampoline(&mut self, number: usize, target: u32) -> Result<Jump, SkipReason> {
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
        let before = before.ok_or(SkipReason::JumpTooFar)? as u32;
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
            // Trampolines after it have a new index.
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
