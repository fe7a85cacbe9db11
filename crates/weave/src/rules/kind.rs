//! Kinds of methods, by their instructions.

use crate::class::{ClassError, Code, Instruction, Instructions, opcode};
use crate::weaver::SkipReason;

/// Kinds of methods to skip.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Skip {
    /// Methods that only return.
    pub empty: bool,
    /// Methods that only read or write one field.
    pub accessors: bool,
    /// Methods that only call one other method.
    pub single_call: bool,
    /// Methods that call nothing.
    pub leaf: bool,
    /// Methods with fewer instructions than this.
    pub min_instructions: usize,
}

impl Skip {
    /// Whether any kind is skipped.
    pub fn is_any(&self) -> bool {
        *self != Self::default()
    }

    /// Why a method is skipped; `None` if it is not.
    pub(crate) fn reason(&self, code: &Code<'_>) -> Result<Option<SkipReason>, ClassError> {
        let count = Counts::new(&code.code)?;
        Ok(if self.empty && count.all == 1 && count.returns == 1 {
            Some(SkipReason::Empty)
        } else if self.accessors && count.fields == 1 && count.is_straight(1) {
            Some(SkipReason::Accessor)
        } else if self.single_call && count.calls == 1 && count.is_straight(1) {
            Some(SkipReason::SingleCall)
        } else if self.leaf && count.calls == 0 {
            Some(SkipReason::Leaf)
        } else if count.all < self.min_instructions {
            Some(SkipReason::Short)
        } else {
            None
        })
    }
}

/// Numbers of instructions by kind.
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
    fn new(code: &[u8]) -> Result<Self, ClassError> {
        let mut counts = Self::default();
        for instruction in Instructions::new(code) {
            counts.add(instruction?);
        }
        Ok(counts)
    }

    fn add(&mut self, instruction: Instruction) {
        self.all += 1;
        match instruction.opcode {
            // Load constants and variables.
            1..=45 => self.loads += 1,
            opcode::GETSTATIC..=opcode::PUTFIELD => self.fields += 1,
            opcode::INVOKEVIRTUAL..=opcode::INVOKEDYNAMIC => self.calls += 1,
            opcode::CHECKCAST => self.casts += 1,
            opcode if opcode::is_return(opcode) => self.returns += 1,
            _ => {}
        }
    }

    /// Whether the method has only loads, casts, exactly `actions` counted instructions, and one return.
    fn is_straight(&self, actions: usize) -> bool {
        self.returns == 1 && self.all == self.loads + self.casts + actions + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(skip: Skip, code: &[u8]) -> Option<SkipReason> {
        let code = Code {
            max_stack: 2,
            max_locals: 2,
            code: code.into(),
            handlers: Vec::new(),
            attributes: Vec::new(),
        };
        skip.reason(&code).unwrap()
    }

    #[test]
    fn kinds_follow_from_the_instructions() {
        let all = Skip {
            empty: true,
            accessors: true,
            single_call: true,
            leaf: false,
            min_instructions: 0,
        };
        assert_eq!(why(all, &[177]), Some(SkipReason::Empty));
        assert_eq!(why(all, &[42, 180, 0, 1, 176]), Some(SkipReason::Accessor));
        assert_eq!(
            why(all, &[42, 27, 181, 0, 1, 177]),
            Some(SkipReason::Accessor)
        );
        assert_eq!(
            why(all, &[42, 43, 182, 0, 1, 192, 0, 2, 176]),
            Some(SkipReason::SingleCall)
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
        assert_eq!(why(leaf, &[3, 4, 96, 172]), Some(SkipReason::Leaf));
        let short = Skip {
            min_instructions: 5,
            ..Skip::default()
        };
        assert_eq!(why(short, &[3, 4, 96, 172]), Some(SkipReason::Short));
    }
}
