//! The frames of a stopped thread, from its registers and a copy of its stack.
//!
//! ```text
//! frame pointer ──► caller's frame pointer | return address
//!                        │
//!                        └──► caller's caller's … | …          higher addresses
//! ```

/// Size of a word, bytes.
const WORD: usize = size_of::<usize>();

/// Maximum number of frames that are listed.
pub(super) const MAX_FRAMES: usize = 64;

/// Maximum distance of the first frame record above the stack pointer, words.
const MAX_SEARCH: usize = 512;

/// The bits of an address. On ARM, pointer authentication uses the others.
const ADDRESS_BITS: usize = usize::MAX >> 16;

/// A thread's registers.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Registers {
    /// The next instruction.
    pub pc: usize,
    /// The top of the stack.
    pub sp: usize,
    /// The frame pointer.
    pub fp: usize,
    /// The return address of a function without a frame; 0 if the processor has no such register.
    pub lr: usize,
}

/// A copy of the top of a stack.
pub(super) struct Stack<'a> {
    /// The address of the first word.
    pub start: usize,
    pub words: &'a [usize],
}

impl Stack<'_> {
    fn at(&self, address: usize) -> Option<usize> {
        let offset = address.checked_sub(self.start)?;
        let is_aligned = offset.is_multiple_of(WORD);
        self.words
            .get(offset / WORD)
            .copied()
            .filter(|_| is_aligned)
    }

    /// The frame record at an address: the caller's frame pointer and the return address.
    fn record(&self, address: usize, is_return: &dyn Fn(usize) -> bool) -> Option<(usize, usize)> {
        let next = self.at(address)?;
        let back = self.at(address + WORD)? & ADDRESS_BITS;
        is_return(back).then_some((next, back))
    }

    /// Whether a valid frame record is at this address and its caller's record is valid too.
    fn is_chain(&self, address: usize, is_return: &dyn Fn(usize) -> bool) -> bool {
        let next = self.record(address, is_return).map(|(next, _)| next);
        next.is_some_and(|next| next > address && self.record(next, is_return).is_some())
    }
}

/// Addresses of the frames, innermost first. All but the first are return addresses, which `is_return` recognizes.
pub(super) fn frames(
    registers: Registers,
    stack: &Stack,
    is_return: &dyn Fn(usize) -> bool,
) -> Vec<usize> {
    let mut all = vec![registers.pc];
    let near = (0..MAX_SEARCH).map_while(|word| registers.sp.checked_add(word * WORD));
    // A function of the C library may use the frame pointer for something else.
    let mut candidates = std::iter::once(registers.fp).chain(near.clone());
    let first = candidates.find(|address| stack.is_chain(*address, is_return));
    let mut at = first.unwrap_or(registers.fp);
    // The innermost function usually has no frame. Its return address is in a register, or below the first record.
    let in_register = registers.lr & ADDRESS_BITS;
    let below = near.take_while(|address| *address < at && registers.lr == 0);
    let below = below.filter_map(|address| stack.at(address));
    let mut backs = std::iter::once(in_register).chain(below);
    all.extend(backs.find(|back| is_return(*back)));
    while let Some((next, back)) = stack.record(at, is_return) {
        if all.last() != Some(&back) {
            all.push(back);
        }
        if next <= at || all.len() >= MAX_FRAMES {
            break;
        }
        at = next;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: std::ops::Range<usize> = 0x10_000..0x20_000;

    fn listed(registers: Registers, words: &[usize]) -> Vec<usize> {
        let start = 0x7000;
        let stack = Stack { start, words };
        frames(registers, &stack, &|address| CODE.contains(&address))
    }

    /// Two locals; then records whose callers are at 0x7020 and 0x7030.
    const WORDS: [usize; 9] = [1, 2, 0x7020, 0x1_1000, 0x7030, 0x1_2000, 0, 0x1_3000, 5];
    const ALL: [usize; 4] = [0x1_0100, 0x1_1000, 0x1_2000, 0x1_3000];

    const AT_RECORD: Registers = Registers {
        pc: 0x1_0100,
        sp: 0x7000,
        fp: 0x7010,
        lr: 0,
    };

    #[test]
    fn records_are_followed_to_the_end() {
        assert_eq!(listed(AT_RECORD, &WORDS), ALL);
        // Another use of the frame pointer: the first record is found.
        assert_eq!(listed(Registers { fp: 7, ..AT_RECORD }, &WORDS), ALL);
    }

    #[test]
    fn a_function_without_a_frame_has_a_caller() {
        let lr = 0x1_0F00;
        let found = listed(Registers { lr, ..AT_RECORD }, &WORDS);
        assert_eq!(found, [&ALL[..1], &[lr], &ALL[1..]].concat());
        let mut words = WORDS;
        words[1] = lr;
        let found = listed(AT_RECORD, &words);
        assert_eq!(found, [&ALL[..1], &[lr], &ALL[1..]].concat());
    }

    #[test]
    fn hostile_stacks_end() {
        let registers = Registers {
            pc: 1,
            sp: 0x7000,
            fp: 0x7000,
            lr: usize::MAX,
        };
        for words in [
            vec![0x7000, 0x1_1000],
            vec![usize::MAX; 64],
            vec![0x7008; 64],
            Vec::new(),
        ] {
            assert!(listed(registers, &words).len() <= MAX_FRAMES);
        }
        let registers = Registers {
            fp: usize::MAX - 3,
            ..registers
        };
        assert_eq!(listed(registers, &[]), [1]);
    }
}
