//! The packing half.

use thiserror::Error;

use crate::code::{Code, Out};
use crate::coder::Encoder;
use crate::model::{MOST, Model};
use crate::strip::{self, Stripped, stripped};
use crate::{unpack, unpacked_len};

/// Why something cannot be packed.
#[derive(Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum PackError {
    /// More than a model takes.
    #[error("{0} bytes are more than the {MOST} that fit")]
    TooLong(usize),
    /// A module ends inside of something.
    #[error("the module breaks off at byte {0}")]
    Cut(usize),
    /// A module without a code section.
    #[error("the module has no code")]
    NoCode,
    /// A function, or all of them, is not as long as it says.
    #[error("code ends at byte {0} of the module, not {1} as it says")]
    Length(usize, usize),
    /// An operation that is not known here.
    #[error("operation {0:#x} at byte {1} of the module is not known")]
    Operation(u8, usize),
    /// What was packed does not come out again.
    #[error("what was packed comes out as something else")]
    Different,
}

/// Packs a text.
///
/// # Errors
/// If it is too long.
pub fn pack_text(text: &[u8]) -> Result<Vec<u8>, PackError> {
    let plain = Stripped {
        bytes: text.to_vec(),
        head: 0,
        functions: 0,
    };
    packed(&plain, text.len())
}

/// Packs a WebAssembly module. Sizes come out in as many bytes as they may take, so that it is
/// the same module, but not the same bytes.
///
/// # Errors
/// If it is too long, or has what is not known here: vectors, exceptions, threads.
pub fn pack_module(module: &[u8]) -> Result<Vec<u8>, PackError> {
    let stripped = stripped(module)?;
    let joined = joined(&stripped);
    if strip::stripped(&joined)?.bytes != stripped.bytes {
        return Err(PackError::Different);
    }
    packed(&stripped, joined.len())
}

/// The module, put together again.
fn joined(stripped: &Stripped) -> Vec<u8> {
    let join = |bytes: &mut [u8]| {
        let mut out = Out::new(bytes);
        let mut code = Code::new(stripped.functions, stripped.head);
        stripped
            .bytes
            .iter()
            .for_each(|byte| code.put(*byte, &mut out));
        out.len()
    };
    let mut joined = vec![0; join(&mut [])];
    join(&mut joined);
    joined
}

/// Header and coded bits.
fn packed(stripped: &Stripped, length: usize) -> Result<Vec<u8>, PackError> {
    let bytes = &stripped.bytes;
    if bytes.len() > MOST as usize {
        return Err(PackError::TooLong(bytes.len()));
    }
    let header = [
        length as u32,
        bytes.len() as u32,
        stripped.functions,
        stripped.head,
    ];
    let mut encoder = Encoder::new(header.map(u32::to_le_bytes).concat());
    let mut model = new_model();
    model.begin(stripped.functions, stripped.head);
    for byte in bytes {
        model.byte(&mut encoder, *byte, &mut Out::new(&mut []));
    }
    Ok(encoder.end())
}

fn new_model() -> Box<Model> {
    // SAFETY: zeros are a value of all that a model is made of: numbers, arrays of them, a bool,
    // and fields whose first variant is 0.
    unsafe { Box::new_zeroed().assume_init() }
}

/// Unpacks into memory of its own.
///
/// # Errors
/// If that is no packed content.
pub fn unpacked(packed: &[u8]) -> Result<Vec<u8>, PackError> {
    let length = unpacked_len(packed).ok_or(PackError::Cut(packed.len()))?;
    let mut out = vec![0; length];
    unpack(packed, &mut new_model(), &mut out).ok_or(PackError::Cut(packed.len()))?;
    Ok(out)
}
