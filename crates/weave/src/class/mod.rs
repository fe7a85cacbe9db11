//! Reading and writing class files. Unchanged parts are written back byte for byte.
//!
//! All facts are from chapter 4 of the Java virtual machine specification. Any input gives a class or a [`ClassError`], and
//! memory is bounded by the size of the input. The code is our own, because existing writers re-encode a class and
//! corrupt `StackMapTable` attributes when code moves.

pub(crate) mod code;
pub(crate) mod descriptor;
mod error;
pub(crate) mod file;
pub(crate) mod frames;
pub(crate) mod input;
pub(crate) mod instruction;
pub mod opcode;
pub(crate) mod pool;
pub(crate) mod tables;

pub use code::{Code, Handler, MAX_CODE_BYTES};
pub use error::ClassError;
pub use file::{Attribute, ClassFile, Member, access};
pub use frames::{Frame, FrameForm, Frames, VerificationType};
pub use instruction::{Instruction, Instructions};
pub use pool::{ConstantPool, MemberRef, from_modified_utf8, to_modified_utf8};
