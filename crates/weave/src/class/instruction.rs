//! Iterating over the instructions of a method.

use super::error::ClassError;
use super::input::{read_u16, read_u32};
use super::opcode::{self, LENGTHS};

/// Offset and length of an instruction. Its operands stay in the code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Instruction {
    /// Its offset in the code.
    pub at: u32,
    /// Its opcode; `wide` for an instruction modified by `wide`.
    pub opcode: u8,
    /// Length including the padding of switches, bytes.
    pub length: u32,
}

/// Iterates over code. Ends after the first error.
#[derive(Clone, Debug)]
pub struct Instructions<'a> {
    code: &'a [u8],
    at: usize,
}

impl<'a> Instructions<'a> {
    /// Starts at the first instruction.
    pub fn new(code: &'a [u8]) -> Self {
        Self { code, at: 0 }
    }
}

impl Iterator for Instructions<'_> {
    type Item = Result<Instruction, ClassError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let &opcode = self.code.get(self.at)?;
        let at = self.at as u32;
        let length = match LENGTHS[usize::from(opcode)] {
            0 => match varying_length(self.code, self.at) {
                Ok(length) => length,
                Err(error) => {
                    self.at = self.code.len();
                    return Some(Err(error));
                }
            },
            length => usize::from(length),
        };
        if length > self.code.len() - self.at {
            self.at = self.code.len();
            return Some(Err(ClassError::CodeEnd { at }));
        }
        self.at += length;
        Some(Ok(Instruction {
            at,
            opcode,
            length: length as u32,
        }))
    }
}

/// The length of a switch or `wide` instruction, which may extend past the end of the code.
fn varying_length(code: &[u8], at: usize) -> Result<usize, ClassError> {
    let end = || ClassError::CodeEnd { at: at as u32 };
    let operands = aligned(at) - at;
    let int = |index: usize| -> Result<i64, ClassError> {
        let from = aligned(at) + 4 * index;
        match code.get(from..from + 4) {
            Some(bytes) => Ok(i64::from(read_u32(bytes, 0) as i32)),
            None => Err(end()),
        }
    };
    let entries = match code[at] {
        opcode::TABLESWITCH => int(2)? - int(1)? + 1,
        opcode::LOOKUPSWITCH => int(1)?,
        opcode::WIDE => return wide_length(code, at),
        opcode => {
            return Err(ClassError::Opcode {
                at: at as u32,
                opcode,
            });
        }
    };
    // Limit the count to avoid overflow; the caller rejects instructions longer than the code.
    let entries = usize::try_from(entries).map_err(|_| end())?.min(code.len());
    Ok(match code[at] {
        opcode::TABLESWITCH => operands + 12 + 4 * entries,
        _ => operands + 8 + 8 * entries,
    })
}

fn wide_length(code: &[u8], at: usize) -> Result<usize, ClassError> {
    let end = ClassError::CodeEnd { at: at as u32 };
    match *code.get(at + 1).ok_or(end)? {
        opcode::IINC => Ok(6),
        21..=25 | 54..=58 | opcode::RET => Ok(4),
        opcode => Err(ClassError::Opcode {
            at: at as u32 + 1,
            opcode,
        }),
    }
}

/// Offset of the operands of a switch at `at`: the next multiple of four.
#[inline]
pub(crate) fn aligned(at: usize) -> usize {
    (at & !3) + 4
}

impl Instruction {
    /// The target of a jump with a single target; `None` for other instructions. The target may be invalid.
    #[inline]
    pub fn target(&self, code: &[u8]) -> Option<i64> {
        let at = self.at as usize;
        let distance = match self.opcode {
            opcode::IFEQ..=opcode::JSR | opcode::IFNULL | opcode::IFNONNULL => {
                i64::from(read_u16(code, at + 1) as i16)
            }
            opcode::GOTO_W | opcode::JSR_W => i64::from(read_u32(code, at + 1) as i32),
            _ => return None,
        };
        Some(at as i64 + distance)
    }

    /// Whether it is a switch.
    #[inline]
    pub fn is_switch(&self) -> bool {
        matches!(self.opcode, opcode::TABLESWITCH | opcode::LOOKUPSWITCH)
    }

    /// Offsets in the code of a switch's distances. The first is that of the default, where the operands begin.
    pub(crate) fn switch_distances(&self) -> impl Iterator<Item = usize> + use<> {
        let operands = aligned(self.at as usize);
        let end = (self.at + self.length) as usize;
        let (first, step) = match self.opcode {
            opcode::TABLESWITCH => (operands + 12, 4),
            _ => (operands + 12, 8),
        };
        std::iter::once(operands).chain((first..end).step_by(step))
    }

    /// All targets of a jump or switch, except the next instruction.
    pub(crate) fn targets<'c>(&self, code: &'c [u8]) -> impl Iterator<Item = i64> + use<'c> {
        let at = i64::from(self.at);
        let switch = self.is_switch().then(|| self.switch_distances());
        let switch = switch.into_iter().flatten();
        let by_switch = switch.map(move |place| at + i64::from(read_u32(code, place) as i32));
        self.target(code).into_iter().chain(by_switch)
    }

    /// The local variable that the instruction stores to, and its number of slots. `None` for `iinc`, because the variable
    /// keeps its type.
    pub(crate) fn stores(&self, code: &[u8]) -> Option<(u16, u16)> {
        let at = self.at as usize;
        let (kind, variable) = match self.opcode {
            54..=58 => (self.opcode - 54, u16::from(code[at + 1])),
            59..=78 => ((self.opcode - 59) / 4, u16::from((self.opcode - 59) % 4)),
            opcode::WIDE if (54..=58).contains(&code[at + 1]) => {
                (code[at + 1] - 54, read_u16(code, at + 2))
            }
            _ => return None,
        };
        Some((variable, if matches!(kind, 1 | 3) { 2 } else { 1 }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk(code: &[u8]) -> Result<Vec<(u32, u32)>, ClassError> {
        let each = |one: Result<Instruction, _>| one.map(|one| (one.at, one.length));
        Instructions::new(code).map(each).collect()
    }

    #[test]
    fn switches_are_as_long_as_their_tables() {
        let mut code = vec![opcode::ICONST_0, opcode::TABLESWITCH, 0, 0];
        for int in [28i32, -1, 1, 24, 25, 26] {
            code.extend(int.to_be_bytes());
        }
        code.push(opcode::RETURN);
        assert_eq!(walk(&code).unwrap(), [(0, 1), (1, 27), (28, 1)]);
        let switch = Instructions::new(&code).nth(1).unwrap().unwrap();
        let targets: Vec<i64> = switch.targets(&code).collect();
        assert_eq!(targets, [29, 25, 26, 27]);
    }

    #[test]
    fn truncated_and_unknown_instructions_are_errors() {
        assert_eq!(walk(&[0, 17, 1]), Err(ClassError::CodeEnd { at: 1 }));
        let unknown = ClassError::Opcode { at: 1, opcode: 202 };
        assert_eq!(walk(&[0, 202]), Err(unknown));
        let under_wide = ClassError::Opcode { at: 1, opcode: 0 };
        assert_eq!(walk(&[196, 0, 0, 0]), Err(under_wide));
        let mut huge = vec![opcode::LOOKUPSWITCH, 0, 0, 0, 0, 0, 0, 0];
        huge.extend(i32::MAX.to_be_bytes());
        assert_eq!(walk(&huge), Err(ClassError::CodeEnd { at: 0 }));
        let mut backwards = vec![opcode::TABLESWITCH, 0, 0, 0, 0, 0, 0, 0];
        backwards.extend([0, 0, 0, 9, 0, 0, 0, 1]);
        assert_eq!(walk(&backwards), Err(ClassError::CodeEnd { at: 0 }));
    }

    #[test]
    fn stores_name_their_variable() {
        let store = |code: &[u8]| {
            Instructions::new(code)
                .next()
                .unwrap()
                .unwrap()
                .stores(code)
        };
        assert_eq!(store(&[opcode::ASTORE, 9]), Some((9, 1)));
        assert_eq!(store(&[64]), Some((1, 2)), "lstore_1");
        assert_eq!(
            store(&[opcode::WIDE, 57, 1, 0]),
            Some((256, 2)),
            "wide dstore"
        );
        assert_eq!(store(&[opcode::IINC, 1, 1]), None);
    }
}
