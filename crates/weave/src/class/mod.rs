//! Class files: read into parts, and written back byte for byte where nothing was changed.
//!
//! Chapter 4 of the Java virtual machine specification is what every fact here comes from. Any bytes
//! give a class or a [`ClassError`]; memory is bounded by the input's size.

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
