//! The words of a library that are bound to symbols.

use super::image::Image;
use super::memory::{MAX_ENTRIES, Memory, WORD};
use super::packed::{Bytes, each_packed};
use super::relocation::{Binding, Form, Import, Relocation, Table, Walked};

#[cfg(any(target_arch = "x86_64", target_arch = "x86"))]
const KINDS: [(u32, Binding); 3] = [
    (7, Binding::JumpSlot),
    (6, Binding::GlobDat),
    (1, Binding::Absolute),
];
#[cfg(target_arch = "aarch64")]
const KINDS: [(u32, Binding); 3] = [
    (1026, Binding::JumpSlot),
    (1025, Binding::GlobDat),
    (257, Binding::Absolute),
];
#[cfg(target_arch = "arm")]
const KINDS: [(u32, Binding); 3] = [
    (22, Binding::JumpSlot),
    (21, Binding::GlobDat),
    (2, Binding::Absolute),
];
#[cfg(not(any(
    target_arch = "x86_64",
    target_arch = "aarch64",
    target_arch = "x86",
    target_arch = "arm"
)))]
const KINDS: [(u32, Binding); 0] = [];

/// Symbol index and relocation type of an `r_info`.
fn split(info: usize) -> (u32, u32) {
    #[cfg(target_pointer_width = "64")]
    return ((info >> 32) as u32, info as u32);
    #[cfg(not(target_pointer_width = "64"))]
    return ((info >> 8) as u32, (info & 0xff) as u32);
}

impl<M: Memory> Image<M> {
    /// Calls `visit` for every word that is bound to a symbol.
    pub fn each_import(&self, mut visit: impl FnMut(Import)) -> Walked {
        let mut walked = Walked::default();
        for table in self.dynamic.tables() {
            let whole = self.each_relocation(table, &mut |relocation| {
                walked.relocations += 1;
                match self.import(relocation) {
                    Ok(Some(import)) => visit(import),
                    Ok(None) => {}
                    Err(Outside) => walked.broken += 1,
                }
            });
            walked.broken += usize::from(!whole);
        }
        walked
    }

    fn import(&self, relocation: Relocation) -> Result<Option<Import>, Outside> {
        let (symbol, kind) = split(relocation.info);
        let kind = KINDS.iter().find(|(number, _)| *number == kind);
        let Some(&(_, binding)) = kind.filter(|_| symbol != 0) else {
            return Ok(None);
        };
        // With an addend, the word does not point to a function.
        if binding == Binding::Absolute && relocation.addend != 0 {
            return Ok(None);
        }
        let slot = self.bias.wrapping_add(relocation.offset);
        if !slot.is_multiple_of(WORD) || !self.contains(slot, WORD) {
            return Err(Outside);
        }
        Ok(Some(Import {
            slot,
            binding,
            symbol,
        }))
    }

    /// Calls `visit` for every relocation of a table. False if the table is truncated.
    fn each_relocation(&self, table: Table, visit: &mut dyn FnMut(Relocation)) -> bool {
        let at = self.located(table.at);
        match table.form {
            Form::Rel => self.each_plain(at, table.size, 2, visit),
            Form::Rela => self.each_plain(at, table.size, 3, visit),
            Form::PackedRel | Form::PackedRela => {
                let mut bytes = Bytes::new(at, table.size, |at| self.bytes(at).map(|[byte]| byte));
                each_packed(
                    &mut bytes,
                    table.form == Form::PackedRela,
                    MAX_ENTRIES,
                    visit,
                )
                .is_some()
            }
        }
    }

    fn each_plain(
        &self,
        at: usize,
        size: usize,
        words: usize,
        visit: &mut dyn FnMut(Relocation),
    ) -> bool {
        for index in 0..size / (words * WORD) {
            let at = at.wrapping_add(index * words * WORD);
            let field = |nth: usize| self.word(at.wrapping_add(nth * WORD));
            let Some((offset, info)) = field(0).zip(field(1)) else {
                return false;
            };
            let addend = if words == 3 { field(2) } else { Some(0) };
            let Some(addend) = addend else { return false };
            visit(Relocation {
                offset,
                info,
                addend,
            });
        }
        true
    }
}

/// The word is outside the library.
struct Outside;
