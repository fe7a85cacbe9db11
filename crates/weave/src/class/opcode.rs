//! Opcodes: lengths of instructions and their effect on the operand stack (specification, 6.5).

#![allow(missing_docs, reason = "the names are those of the specification")]

pub const ALOAD: u8 = 25;
pub const ALOAD_0: u8 = 42;
pub const ASTORE: u8 = 58;
pub const IRETURN: u8 = 172;
pub const RETURN: u8 = 177;
pub const LDC: u8 = 18;
pub const LDC_W: u8 = 19;
pub const LDC2_W: u8 = 20;
pub const ICONST_0: u8 = 3;
pub const BIPUSH: u8 = 16;
pub const SIPUSH: u8 = 17;
pub const DUP: u8 = 89;
pub const DUP_X1: u8 = 90;
pub const DUP_X2: u8 = 91;
pub const DUP2: u8 = 92;
pub const DUP2_X1: u8 = 93;
pub const DUP2_X2: u8 = 94;
pub const SWAP: u8 = 95;
pub const IINC: u8 = 132;
pub const IFEQ: u8 = 153;
pub const GOTO: u8 = 167;
pub const JSR: u8 = 168;
pub const RET: u8 = 169;
pub const TABLESWITCH: u8 = 170;
pub const LOOKUPSWITCH: u8 = 171;
pub const GETSTATIC: u8 = 178;
pub const PUTSTATIC: u8 = 179;
pub const GETFIELD: u8 = 180;
pub const PUTFIELD: u8 = 181;
pub const INVOKEVIRTUAL: u8 = 182;
pub const INVOKESPECIAL: u8 = 183;
pub const INVOKESTATIC: u8 = 184;
pub const INVOKEINTERFACE: u8 = 185;
pub const INVOKEDYNAMIC: u8 = 186;
pub const NEW: u8 = 187;
pub const ATHROW: u8 = 191;
pub const CHECKCAST: u8 = 192;
pub const WIDE: u8 = 196;
pub const MULTIANEWARRAY: u8 = 197;
pub const IFNULL: u8 = 198;
pub const IFNONNULL: u8 = 199;
pub const GOTO_W: u8 = 200;
pub const JSR_W: u8 = 201;

/// Length of each instruction including operands, bytes. 0 if the length varies (switches, `wide`), and for unknown
/// opcodes.
pub(super) const LENGTHS: [u8; 256] = {
    let mut lengths = [0; 256];
    let mut opcode = 0;
    while opcode <= 201 {
        lengths[opcode] = match opcode as u8 {
            TABLESWITCH | LOOKUPSWITCH | WIDE => 0,
            BIPUSH | LDC | 21..=25 | 54..=58 | RET | 188 => 2,
            SIPUSH | LDC_W | LDC2_W | IINC | IFEQ..=JSR | GETSTATIC..=INVOKESTATIC => 3,
            NEW | 189 | CHECKCAST | 193 | IFNULL | IFNONNULL => 3,
            MULTIANEWARRAY => 4,
            INVOKEINTERFACE | INVOKEDYNAMIC | GOTO_W | JSR_W => 5,
            _ => 1,
        };
        opcode += 1;
    }
    lengths
};

/// Number of slots that an instruction pops and pushes. `None` if that depends on its operands, and for instructions that
/// copy or swap slots.
pub(crate) fn stack_effect(opcode: u8) -> Option<(usize, usize)> {
    Some(match opcode {
        0 | IINC | GOTO | RET | RETURN | GOTO_W => (0, 0),
        1..=8 | 11..=13 | 16..=19 | 21 | 23 | 25..=29 | 34..=37 | 42..=45 | JSR | NEW | JSR_W => {
            (0, 1)
        }
        9 | 10 | 14 | 15 | 20 | 22 | 24 | 30..=33 | 38..=41 => (0, 2),
        // Loads from arrays.
        47 | 49 => (2, 2),
        46 | 48 | 50..=53 => (2, 1),
        54 | 56 | 58..=62 | 67..=70 | 75..=78 | 87 => (1, 0),
        55 | 57 | 63..=66 | 71..=74 | 88 => (2, 0),
        80 | 82 => (4, 0),
        79 | 81 | 83..=86 => (3, 0),
        // Arithmetic: int, long, float, double in turn.
        96..=115 if opcode.is_multiple_of(2) => (2, 1),
        96..=115 => (4, 2),
        116 | 118 => (1, 1),
        117 | 119 => (2, 2),
        120 | 122 | 124 | 126 | 128 | 130 => (2, 1),
        121 | 123 | 125 => (3, 2),
        127 | 129 | 131 => (4, 2),
        133 | 135 | 140 | 141 => (1, 2),
        134 | 139 | 145..=147 => (1, 1),
        136 | 137 | 142 | 144 => (2, 1),
        138 | 143 => (2, 2),
        148 | 151 | 152 => (4, 1),
        149 | 150 => (2, 1),
        IFEQ..=158 | TABLESWITCH | LOOKUPSWITCH | 172 | 174 | 176 => (1, 0),
        159..=166 | 173 | 175 => (2, 0),
        188..=190 | CHECKCAST | 193 => (1, 1),
        ATHROW | 194 | 195 | IFNULL | IFNONNULL => (1, 0),
        _ => return None,
    })
}

/// Whether an instruction can throw: divisions, accesses to objects and arrays, calls, allocations and locks. Loads of
/// constants may throw too (`ldc` of a string allocates); see [`ConstantPool::is_number`](super::ConstantPool::is_number).
pub(crate) fn may_throw(opcode: u8) -> bool {
    matches!(
        opcode,
        LDC..=LDC2_W
            | 46..=53
            | 79..=86
            | 108
            | 109
            | 112
            | 113
            | GETSTATIC..=195
            | MULTIANEWARRAY
    )
}

/// Whether the instruction returns from the method.
#[inline]
pub(crate) fn is_return(opcode: u8) -> bool {
    (IRETURN..=RETURN).contains(&opcode)
}

/// Whether the next instruction can only be reached by a jump.
#[inline]
pub(crate) fn ends_flow(opcode: u8) -> bool {
    matches!(opcode, GOTO | RET..=RETURN | ATHROW | GOTO_W)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_instruction_has_a_length() {
        for opcode in 0..=255u8 {
            let varies = matches!(opcode, TABLESWITCH | LOOKUPSWITCH | WIDE);
            let is_one = opcode <= JSR_W && !varies;
            assert_eq!(LENGTHS[usize::from(opcode)] != 0, is_one, "{opcode}");
        }
    }

    #[test]
    fn only_instructions_with_operands_that_matter_have_no_fixed_effect() {
        let has_no_effect = |opcode: &u8| stack_effect(*opcode).is_none();
        let without: Vec<u8> = (0..=JSR_W).filter(has_no_effect).collect();
        let copies = DUP..=SWAP;
        let by_operand = [
            GETSTATIC,
            PUTSTATIC,
            GETFIELD,
            PUTFIELD,
            INVOKEVIRTUAL,
            INVOKESPECIAL,
            INVOKESTATIC,
            INVOKEINTERFACE,
            INVOKEDYNAMIC,
            WIDE,
            MULTIANEWARRAY,
        ];
        assert_eq!(without, copies.chain(by_operand).collect::<Vec<_>>());
    }
}
