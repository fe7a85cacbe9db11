//! The instructions of a method, one after the other.

use super::ClassError;
use super::input::{read_u16, read_u32};
use super::opcode::{self, LENGTHS};

/// An instruction: where it stands and how long it is. Its operands stay in the code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Instruction {
    /// Its offset in the code.
    pub at: u32,
    /// Its number; of one under `wide` it is `wide`.
    pub opcode: u8,
    /// Bytes up to the next instruction, the padding of switches among them.
    pub length: u32,
}

/// Walks over code. Ends after the first error.
#[derive(Clone, Debug)]
pub struct Instructions<'a> {
    code: &'a [u8],
    at: usize,
}

impl<'a> Instructions<'a> {
    /// From the first instruction on.
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

/// The length of a switch or of a `wide` instruction. It may reach past the end of the code.
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
    // More than the code can hold is more than any method may have.
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

/// Where the operands of a switch at `at` begin: at the next multiple of four.
#[inline]
pub(crate) fn aligned(at: usize) -> usize {
    (at & !3) + 4
}

impl Instruction {
    /// Where a jump of one target leads; `None` for everything else. It may lead nowhere.
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

    /// Where in the code the distances of a switch stand, the default's first; the first is the
    /// place of its operands.
    pub(crate) fn switch_distances(&self) -> impl Iterator<Item = usize> + use<> {
        let operands = aligned(self.at as usize);
        let end = (self.at + self.length) as usize;
        let (first, step) = match self.opcode {
            opcode::TABLESWITCH => (operands + 12, 4),
            _ => (operands + 12, 8),
        };
        std::iter::once(operands).chain((first..end).step_by(step))
    }

    /// All places that a jump or switch leads to, besides the next instruction.
    pub(crate) fn targets<'c>(&self, code: &'c [u8]) -> impl Iterator<Item = i64> + use<'c> {
        let at = i64::from(self.at);
        let switch = self.is_switch().then(|| self.switch_distances());
        let switch = switch.into_iter().flatten();
        let by_switch = switch.map(move |place| at + i64::from(read_u32(code, place) as i32));
        self.target(code).into_iter().chain(by_switch)
    }

    /// The local variable that the instruction writes, and the slots it takes there; for `iinc`
    /// none, since the variable keeps its type.
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
    fn what_is_cut_or_unknown_is_told() {
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
