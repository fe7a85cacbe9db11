//! Android's packed relocations (`DT_ANDROID_REL`, `DT_ANDROID_RELA`), as bionic's linker reads them.
//!
//! ```text
//! "APS2"  count  offset            all numbers are signed LEB128
//! group:  size  flags  [offset delta, if GROUPED_BY_OFFSET_DELTA]
//!                      [info, if GROUPED_BY_INFO]
//!                      [addend delta, if HAS_ADDEND and GROUPED_BY_ADDEND]
//! each:   [offset delta] [info] [addend delta]     those not given by the group
//! ```

use super::relocation::Relocation;

const GROUPED_BY_INFO: usize = 1;
const GROUPED_BY_OFFSET_DELTA: usize = 2;
const GROUPED_BY_ADDEND: usize = 4;
const HAS_ADDEND: usize = 8;

/// Reads the bytes of a packed table.
pub struct Bytes<F> {
    at: usize,
    left: usize,
    byte_at: F,
}

impl<F: Fn(usize) -> Option<u8>> Bytes<F> {
    /// `size` bytes at `at`, read by `byte_at`.
    pub fn new(at: usize, size: usize, byte_at: F) -> Self {
        Self {
            at,
            left: size,
            byte_at,
        }
    }

    fn byte(&mut self) -> Option<u8> {
        self.left = self.left.checked_sub(1)?;
        let byte = (self.byte_at)(self.at)?;
        self.at = self.at.wrapping_add(1);
        Some(byte)
    }

    /// A signed LEB128 number as a wrapping word. `None` if it has more bits than a word.
    fn number(&mut self) -> Option<usize> {
        let mut value = 0_usize;
        let mut shift = 0;
        loop {
            let byte = self.byte()?;
            value |= usize::from(byte & 0x7f).checked_shl(shift)?;
            shift += 7;
            if byte & 0x80 == 0 {
                let negative = byte & 0x40 != 0;
                let sign = usize::MAX.checked_shl(shift).unwrap_or(0);
                return Some(if negative { value | sign } else { value });
            }
        }
    }
}

/// Calls `visit` for each relocation. `None` if the table is truncated, or claims more than `max` entries, which takes
/// only a few bytes.
pub fn each_packed<F: Fn(usize) -> Option<u8>>(
    bytes: &mut Bytes<F>,
    with_addends: bool,
    max: usize,
    visit: &mut dyn FnMut(Relocation),
) -> Option<()> {
    for letter in *b"APS2" {
        (bytes.byte()? == letter).then_some(())?;
    }
    let mut left = bytes.number().filter(|count| *count <= max)?;
    let mut relocation = Relocation {
        offset: bytes.number()?,
        ..Relocation::default()
    };
    while left > 0 {
        let size = bytes.number()?;
        // Empty groups cannot loop forever, because the bytes are limited.
        left = left.checked_sub(size)?;
        each_of_group(bytes, size, with_addends, &mut relocation, visit)?;
    }
    Some(())
}

fn each_of_group<F: Fn(usize) -> Option<u8>>(
    bytes: &mut Bytes<F>,
    size: usize,
    with_addends: bool,
    relocation: &mut Relocation,
    visit: &mut dyn FnMut(Relocation),
) -> Option<()> {
    let flags = bytes.number()?;
    let has = |flag: usize| flags & flag != 0;
    let mut delta = 0;
    if has(GROUPED_BY_OFFSET_DELTA) {
        delta = bytes.number()?;
    }
    if has(GROUPED_BY_INFO) {
        relocation.info = bytes.number()?;
    }
    // A table without addends must not carry any.
    (with_addends || !has(HAS_ADDEND)).then_some(())?;
    match (has(HAS_ADDEND), has(GROUPED_BY_ADDEND)) {
        (true, true) => relocation.addend = relocation.addend.wrapping_add(bytes.number()?),
        (true, false) => {}
        (false, _) => relocation.addend = 0,
    }
    for _ in 0..size {
        if !has(GROUPED_BY_OFFSET_DELTA) {
            delta = bytes.number()?;
        }
        relocation.offset = relocation.offset.wrapping_add(delta);
        if !has(GROUPED_BY_INFO) {
            relocation.info = bytes.number()?;
        }
        if has(HAS_ADDEND) && !has(GROUPED_BY_ADDEND) {
            relocation.addend = relocation.addend.wrapping_add(bytes.number()?);
        }
        visit(*relocation);
    }
    Some(())
}
