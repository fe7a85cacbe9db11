//! Finding where a constructor calls the superclass constructor, or another one of its class. Before that call, `this` is
//! uninitialized, and our handler must not cover the code.
//!
//! An `invokespecial <init>` may also initialize an object made by `new`. To tell them apart, the stack is tracked from the
//! start of the method to each such call, over every branch (`super(x ? a : b)`).

use rustc_hash::FxHashMap;

use super::skip_reason::SkipReason;
use crate::class::descriptor::{field_slots, method_slots};
use crate::class::input::read_u16;
use crate::class::{ClassError, Code, ConstantPool, Instruction, opcode};

/// Where `this` is initialized in a constructor.
#[derive(Debug, Default)]
pub(super) struct Opened {
    /// Sorted offsets of the instructions after each call that initializes `this`.
    pub enters: Vec<u32>,
    /// Whether `this` is initialized, by number of instruction.
    pub open: Vec<bool>,
}

/// Maximum number of copies of `this`; constructors with more are skipped.
const MAX_COPIES: usize = 64;

/// Maximum number of steps over handlers and instructions; constructors with more are skipped.
const MAX_WORK: usize = 1 << 26;

/// The copies of the uninitialized `this` before an instruction.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct State {
    /// Depth of the operand stack, slots.
    depth: u32,
    /// Sorted stack slots that hold `this`.
    on_stack: Vec<u32>,
    /// Sorted variables that hold `this`.
    locals: Vec<u16>,
}

/// Analyzes a constructor.
pub(super) fn find(
    code: &Code<'_>,
    instructions: &[Instruction],
    pool: &ConstantPool<'_>,
) -> Result<Opened, SkipReason> {
    if instructions.len().saturating_mul(code.handlers.len()) > MAX_WORK {
        return Err(SkipReason::SuperCall);
    }
    let mut numbers = vec![u32::MAX; code.code.len()];
    for (number, instruction) in instructions.iter().enumerate() {
        numbers[instruction.at as usize] = number as u32;
    }
    let mut walk = Walk {
        code,
        instructions,
        numbers,
        pool,
        closed: FxHashMap::default(),
        opened: Opened {
            enters: Vec::new(),
            open: vec![false; instructions.len()],
        },
        work: Vec::new(),
    };
    let start = State {
        locals: vec![0],
        ..State::default()
    };
    walk.work.push((0, Some(start)));
    while let Some((number, state)) = walk.work.pop() {
        match state {
            Some(state) => walk.closed(number, state)?,
            None => walk.open(number)?,
        }
    }
    let mut opened = walk.opened;
    opened.enters.sort_unstable();
    opened.enters.dedup();
    Ok(opened)
}

struct Walk<'w, 'a> {
    code: &'w Code<'a>,
    instructions: &'w [Instruction],
    /// The number of the instruction at an offset.
    numbers: Vec<u32>,
    pool: &'w ConstantPool<'a>,
    /// States before instructions at which `this` is uninitialized.
    closed: FxHashMap<usize, State>,
    opened: Opened,
    /// Instructions still to visit; without a state if `this` is initialized.
    work: Vec<(usize, Option<State>)>,
}

impl Walk<'_, '_> {
    fn number(&self, target: i64) -> Result<usize, SkipReason> {
        let number = usize::try_from(target)
            .ok()
            .and_then(|at| self.numbers.get(at));
        match number {
            Some(&number) if number != u32::MAX => Ok(number as usize),
            _ => Err(ClassError::Target {
                what: "a jump",
                target,
            }
            .into()),
        }
    }

    /// Walks from an instruction at which `this` is initialized.
    fn open(&mut self, mut number: usize) -> Result<(), SkipReason> {
        while !self.opened.open[number] {
            if self.closed.contains_key(&number) {
                return Err(SkipReason::SuperCall);
            }
            self.opened.open[number] = true;
            let instruction = self.instructions[number];
            self.push_handlers(instruction, None)?;
            for target in instruction.targets(&self.code.code) {
                let target = self.number(target)?;
                self.work.push((target, None));
            }
            if opcode::ends_flow(instruction.opcode) {
                return Ok(());
            }
            number = self.next(number)?;
        }
        Ok(())
    }

    /// Walks from an instruction at which `this` is uninitialized.
    fn closed(&mut self, mut number: usize, mut state: State) -> Result<(), SkipReason> {
        loop {
            if self.opened.open[number] {
                return Err(SkipReason::SuperCall);
            }
            if let Some(earlier) = self.closed.get(&number) {
                state = earlier.meet(&state)?;
                if state == *earlier {
                    return Ok(());
                }
            }
            self.closed.insert(number, state.clone());
            let instruction = self.instructions[number];
            self.push_handlers(instruction, Some(&state))?;
            if self.step(instruction, &mut state)? {
                let next = self.next(number)?;
                self.opened.enters.push(self.instructions[next].at);
                self.work.push((next, None));
                return Ok(());
            }
            for target in instruction.targets(&self.code.code) {
                let target = self.number(target)?;
                self.work.push((target, Some(state.clone())));
            }
            if opcode::ends_flow(instruction.opcode) {
                return Ok(());
            }
            number = self.next(number)?;
        }
    }

    fn next(&self, number: usize) -> Result<usize, SkipReason> {
        let at = self.instructions[number].at;
        let has_next = number + 1 < self.instructions.len();
        has_next
            .then_some(number + 1)
            .ok_or(ClassError::CodeEnd { at }.into())
    }

    fn push_handlers(
        &mut self,
        instruction: Instruction,
        state: Option<&State>,
    ) -> Result<(), SkipReason> {
        for handler in &self.code.handlers {
            let range = u32::from(handler.start)..u32::from(handler.end);
            if range.contains(&instruction.at) {
                let caught = state.map(|state| State {
                    depth: 1,
                    on_stack: Vec::new(),
                    locals: state.locals.clone(),
                });
                let target = self.number(handler.target.into())?;
                self.work.push((target, caught));
            }
        }
        Ok(())
    }

    /// Applies one instruction to the state. True if it initializes `this`.
    fn step(&self, instruction: Instruction, state: &mut State) -> Result<bool, SkipReason> {
        let code = &self.code.code;
        let at = instruction.at as usize;
        let operand = || read_u16(code, at + 1);
        match instruction.opcode {
            opcode::ALOAD => state.load(code[at + 1].into())?,
            opcode::ALOAD_0..=45 => state.load((instruction.opcode - opcode::ALOAD_0).into())?,
            opcode::WIDE if code[at + 1] == opcode::ALOAD => state.load(read_u16(code, at + 2))?,
            opcode::DUP..=opcode::SWAP => state.copy(instruction.opcode)?,
            opcode::GETSTATIC..=opcode::PUTFIELD => {
                self.field(instruction.opcode, operand(), state)?
            }
            opcode::INVOKEVIRTUAL..=opcode::INVOKEDYNAMIC => {
                return self.invoke(instruction.opcode, operand(), state);
            }
            opcode::MULTIANEWARRAY => {
                state.pop_slots(usize::from(code[at + 3]))?;
                state.push(false)?;
            }
            opcode::JSR | opcode::JSR_W | opcode::RET => return Err(SkipReason::SuperCall),
            _ => self.plain(instruction, state)?,
        }
        Ok(false)
    }

    /// Applies an instruction with a fixed stack effect, including stores.
    fn plain(&self, instruction: Instruction, state: &mut State) -> Result<(), SkipReason> {
        let code = &self.code.code;
        let under_wide = || code[instruction.at as usize + 1];
        let plain = match instruction.opcode {
            opcode::WIDE => under_wide(),
            opcode => opcode,
        };
        let (pops, pushes) = opcode::stack_effect(plain).ok_or(SkipReason::SuperCall)?;
        let mut top = false;
        for _ in 0..pops {
            top = state.pop()?;
        }
        for _ in 0..pushes {
            state.push(false)?;
        }
        if let Some((variable, slots)) = instruction.stores(code) {
            state.store(variable, slots, top && slots == 1)?;
        }
        Ok(())
    }

    fn field(&self, opcode: u8, index: u16, state: &mut State) -> Result<(), SkipReason> {
        let descriptor = self.pool.member(index)?.descriptor;
        let slots = match field_slots(self.pool.utf8(descriptor)?) {
            Some((slots, b"")) => slots,
            _ => return Err(ClassError::Descriptor { index: descriptor }.into()),
        };
        let of_object = matches!(opcode, opcode::GETFIELD | opcode::PUTFIELD);
        let is_put = matches!(opcode, opcode::PUTSTATIC | opcode::PUTFIELD);
        state.pop_slots(usize::from(of_object) + if is_put { slots } else { 0 })?;
        state.push_slots(if is_put { 0 } else { slots })
    }

    fn invoke(&self, opcode: u8, index: u16, state: &mut State) -> Result<bool, SkipReason> {
        let (descriptor, is_init) = match opcode {
            opcode::INVOKEDYNAMIC => (self.pool.dynamic_descriptor(index)?, false),
            _ => {
                let member = self.pool.member(index)?;
                (member.descriptor, self.pool.utf8(member.name)? == b"<init>")
            }
        };
        let (parameters, returned) = method_slots(self.pool.utf8(descriptor)?)
            .ok_or(ClassError::Descriptor { index: descriptor })?;
        state.pop_slots(parameters)?;
        if !matches!(opcode, opcode::INVOKESTATIC | opcode::INVOKEDYNAMIC) {
            let is_this = state.pop()?;
            if is_this && opcode == opcode::INVOKESPECIAL && is_init {
                return Ok(true);
            }
        }
        state.push_slots(returned)?;
        Ok(false)
    }
}

impl State {
    /// The state that is valid for both paths to an instruction.
    fn meet(&self, other: &Self) -> Result<Self, SkipReason> {
        if self.depth != other.depth {
            return Err(SkipReason::SuperCall);
        }
        let stack = self
            .on_stack
            .iter()
            .filter(|slot| other.on_stack.contains(slot));
        let locals = self
            .locals
            .iter()
            .filter(|local| other.locals.contains(local));
        Ok(Self {
            depth: self.depth,
            on_stack: stack.copied().collect(),
            locals: locals.copied().collect(),
        })
    }

    fn push(&mut self, is_this: bool) -> Result<(), SkipReason> {
        if is_this {
            self.on_stack.push(self.depth);
        }
        self.depth += 1;
        if self.on_stack.len() > MAX_COPIES || self.depth > u16::MAX.into() {
            Err(SkipReason::SuperCall)
        } else {
            Ok(())
        }
    }

    fn pop(&mut self) -> Result<bool, SkipReason> {
        self.depth = self.depth.checked_sub(1).ok_or(SkipReason::SuperCall)?;
        let is_this = self.on_stack.last() == Some(&self.depth);
        if is_this {
            self.on_stack.pop();
        }
        Ok(is_this)
    }

    fn pop_slots(&mut self, slots: usize) -> Result<(), SkipReason> {
        (0..slots).try_for_each(|_| self.pop().map(|_| ()))
    }

    fn push_slots(&mut self, slots: usize) -> Result<(), SkipReason> {
        (0..slots).try_for_each(|_| self.push(false))
    }

    fn load(&mut self, variable: u16) -> Result<(), SkipReason> {
        self.push(self.locals.contains(&variable))
    }

    fn store(&mut self, variable: u16, slots: u16, is_this: bool) -> Result<(), SkipReason> {
        let last = variable.saturating_add(slots - 1);
        self.locals
            .retain(|local| !(variable..=last).contains(local));
        if is_this {
            self.locals.push(variable);
            self.locals.sort_unstable();
        }
        if self.locals.len() > MAX_COPIES {
            Err(SkipReason::SuperCall)
        } else {
            Ok(())
        }
    }

    /// Applies an instruction that copies or swaps slots. `dup` instructions copy slots from the top and insert the copies
    /// below others.
    fn copy(&mut self, opcode: u8) -> Result<(), SkipReason> {
        let (copied, under) = match opcode {
            opcode::DUP => (1, 0),
            opcode::DUP_X1 => (1, 1),
            opcode::DUP_X2 => (1, 2),
            opcode::DUP2 => (2, 0),
            opcode::DUP2_X1 => (2, 1),
            opcode::DUP2_X2 => (2, 2),
            _ => return self.swap(),
        };
        let mut slots = [false; 4];
        for slot in slots[..copied + under].iter_mut().rev() {
            *slot = self.pop()?;
        }
        // [under][copied] becomes [copied][under][copied].
        for &slot in slots[under..][..copied]
            .iter()
            .chain(&slots[..under + copied])
        {
            self.push(slot)?;
        }
        Ok(())
    }

    fn swap(&mut self) -> Result<(), SkipReason> {
        let (top, below) = (self.pop()?, self.pop()?);
        self.push(top)?;
        self.push(below)
    }
}
