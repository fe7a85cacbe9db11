//! What can be wrong with a class file.

use thiserror::Error;

/// Why bytes are no class file, or none that can be understood. Every place is a byte of the file,
/// or of a method's code where that is said.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClassError {
    /// The file ends inside something.
    #[error("{what} at byte {at} needs {need} bytes, and {left} are left")]
    Truncated {
        /// What was being read.
        what: &'static str,
        /// Where it begins.
        at: usize,
        /// Bytes that it needs.
        need: usize,
        /// Bytes that are there.
        left: usize,
    },
    /// Not a class file at all.
    #[error("begins with {found:#010x} where a class file has 0xcafebabe")]
    Magic {
        /// The first four bytes, big endian.
        found: u32,
    },
    /// Bytes behind the end of a structure that says how long it is.
    #[error("{what} ends at byte {at}, and {left} bytes follow")]
    Trailing {
        /// What has ended.
        what: &'static str,
        /// Where.
        at: usize,
        /// How many bytes are too many.
        left: usize,
    },
    /// A field with a value that it cannot have.
    #[error("{what} at byte {at} is {value}, which it cannot be")]
    Value {
        /// The field.
        what: &'static str,
        /// Where it stands.
        at: usize,
        /// Its value.
        value: u32,
    },
    /// An index that leads to no constant of the kind that is needed.
    #[error("constant {index} is no {expected}")]
    Constant {
        /// The index in the constant pool.
        index: u16,
        /// The kind that the place needs.
        expected: &'static str,
    },
    /// A byte of code that is no instruction.
    #[error("byte {at} of the code is {opcode:#04x}, which is no instruction")]
    Opcode {
        /// The offset in the method's code.
        at: u32,
        /// The byte.
        opcode: u8,
    },
    /// An instruction that reaches past the end of its code.
    #[error("the instruction at byte {at} of the code reaches past its end")]
    CodeEnd {
        /// The offset in the method's code.
        at: u32,
    },
    /// A jump, a table or a frame that names a place where no instruction begins.
    #[error("{what} leads to byte {target} of the code, where no instruction begins")]
    Target {
        /// What leads there.
        what: &'static str,
        /// The offset in the method's code.
        target: i64,
    },
    /// A descriptor that does not follow the grammar.
    #[error("constant {index} is no descriptor")]
    Descriptor {
        /// The index of its text in the constant pool.
        index: u16,
    },
    /// No room for another constant: an index has 16 bits.
    #[error("the constant pool is full")]
    PoolFull,
}
