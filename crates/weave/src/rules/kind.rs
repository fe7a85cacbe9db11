//! What a method does, as far as rules speak of it.

use crate::class::{ClassError, Code, Instruction, Instructions, opcode};
use crate::weaver::LeftOut;

/// Kinds of methods that can be skipped.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Skip {
    /// Those that only return.
    pub empty: bool,
    /// Those that only read or write one field.
    pub accessors: bool,
    /// Those that only call one other method.
    pub single_call: bool,
    /// Those that call nothing.
    pub leaf: bool,
    /// Those with fewer instructions.
    pub min_instructions: usize,
}

impl Skip {
    /// Whether anything is skipped at all.
    pub fn is_any(&self) -> bool {
        *self != Self::default()
    }

    /// Why a method is skipped, if it is.
    pub(crate) fn of(&self, code: &Code<'_>) -> Result<Option<LeftOut>, ClassError> {
        let count = Counts::of(&code.code)?;
        Ok(if self.empty && count.all == 1 && count.returns == 1 {
            Some(LeftOut::Empty)
        } else if self.accessors && count.fields == 1 && count.is_straight(1) {
            Some(LeftOut::Accessor)
        } else if self.single_call && count.calls == 1 && count.is_straight(1) {
            Some(LeftOut::SingleCall)
        } else if self.leaf && count.calls == 0 {
            Some(LeftOut::Leaf)
        } else if count.all < self.min_instructions {
            Some(LeftOut::Short)
        } else {
            None
        })
    }
}

/// Instructions by what they do.
#[derive(Default)]
struct Counts {
    all: usize,
    loads: usize,
    fields: usize,
    calls: usize,
    casts: usize,
    returns: usize,
}

impl Counts {
    fn of(code: &[u8]) -> Result<Self, ClassError> {
        let mut counts = Self::default();
        for instruction in Instructions::new(code) {
            counts.add(instruction?);
        }
        Ok(counts)
    }

    fn add(&mut self, instruction: Instruction) {
        self.all += 1;
        match instruction.opcode {
            // Constants and variables on to the stack.
            1..=45 => self.loads += 1,
            opcode::GETSTATIC..=opcode::PUTFIELD => self.fields += 1,
            opcode::INVOKEVIRTUAL..=opcode::INVOKEDYNAMIC => self.calls += 1,
            opcode::CHECKCAST => self.casts += 1,
            opcode if opcode::is_return(opcode) => self.returns += 1,
            _ => {}
        }
    }

    /// Nothing but loads, casts, the one deed that it is about, and a return.
    fn is_straight(&self, deeds: usize) -> bool {
        self.returns == 1 && self.all == self.loads + self.casts + deeds + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(skip: Skip, code: &[u8]) -> Option<LeftOut> {
        let code = Code {
            max_stack: 2,
            max_locals: 2,
            code: code.into(),
            handlers: Vec::new(),
            attributes: Vec::new(),
        };
        skip.of(&code).unwrap()
    }

    #[test]
    fn kinds_are_told_by_instructions() {
        let all = Skip {
            empty: true,
            accessors: true,
            single_call: true,
            leaf: false,
            min_instructions: 0,
        };
        assert_eq!(why(all, &[177]), Some(LeftOut::Empty));
        assert_eq!(why(all, &[42, 180, 0, 1, 176]), Some(LeftOut::Accessor));
        assert_eq!(why(all, &[42, 27, 181, 0, 1, 177]), Some(LeftOut::Accessor));
        assert_eq!(
            why(all, &[42, 43, 182, 0, 1, 192, 0, 2, 176]),
            Some(LeftOut::SingleCall)
        );
        assert_eq!(
            why(all, &[42, 182, 0, 1, 87, 177]),
            None,
            "a call and a pop"
        );
        assert_eq!(why(all, &[3, 4, 96, 172]), None);
        let leaf = Skip {
            leaf: true,
            ..Skip::default()
        };
        assert_eq!(why(leaf, &[3, 4, 96, 172]), Some(LeftOut::Leaf));
        let short = Skip {
            min_instructions: 5,
            ..Skip::default()
        };
        assert_eq!(why(short, &[3, 4, 96, 172]), Some(LeftOut::Short));
    }
}
