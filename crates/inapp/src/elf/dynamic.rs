//! The dynamic section.

use super::relocation::{Form, Table};

const DT_NULL: usize = 0;
const DT_PLTRELSZ: usize = 2;
const DT_HASH: usize = 4;
const DT_STRTAB: usize = 5;
const DT_SYMTAB: usize = 6;
const DT_RELA: usize = 7;
const DT_RELASZ: usize = 8;
const DT_STRSZ: usize = 10;
const DT_SONAME: usize = 14;
const DT_REL: usize = 17;
const DT_RELSZ: usize = 18;
const DT_PLTREL: usize = 20;
const DT_JMPREL: usize = 23;
const DT_ANDROID_REL: usize = 0x6000_000f;
const DT_ANDROID_RELSZ: usize = 0x6000_0010;
const DT_ANDROID_RELA: usize = 0x6000_0011;
const DT_ANDROID_RELASZ: usize = 0x6000_0012;
const DT_GNU_HASH: usize = 0x6fff_fef5;

/// Values of the dynamic section; 0 if missing.
///
/// `DT_RELR` (and its older variant on Android) is ignored on purpose: it only lists words that point into their own
/// library, so none of them is an import.
#[derive(Default)]
pub struct Dynamic {
    pub symbols: usize,
    pub strings: usize,
    pub strings_size: usize,
    pub hash: usize,
    pub gnu_hash: usize,
    pub soname: Option<usize>,
    relocations: [(usize, usize); 5],
    plt_form: usize,
}

// Indices of `relocations`.
const PLT: usize = 0;
const REL: usize = 1;
const RELA: usize = 2;
const PACKED_REL: usize = 3;
const PACKED_RELA: usize = 4;

impl Dynamic {
    /// Reads tags and values up to the end of the section or the first unreadable entry. `None` if the first entry is
    /// unreadable.
    pub fn read(entries: impl Iterator<Item = Option<(usize, usize)>>) -> Option<Self> {
        let mut dynamic = Self::default();
        for (index, entry) in entries.enumerate() {
            match entry {
                None if index == 0 => return None,
                None | Some((DT_NULL, _)) => break,
                Some((tag, value)) => dynamic.take(tag, value),
            }
        }
        Some(dynamic)
    }

    fn take(&mut self, tag: usize, value: usize) {
        let place = match tag {
            DT_SYMTAB => &mut self.symbols,
            DT_STRTAB => &mut self.strings,
            DT_STRSZ => &mut self.strings_size,
            DT_HASH => &mut self.hash,
            DT_GNU_HASH => &mut self.gnu_hash,
            DT_PLTREL => &mut self.plt_form,
            DT_JMPREL => &mut self.relocations[PLT].0,
            DT_PLTRELSZ => &mut self.relocations[PLT].1,
            DT_REL => &mut self.relocations[REL].0,
            DT_RELSZ => &mut self.relocations[REL].1,
            DT_RELA => &mut self.relocations[RELA].0,
            DT_RELASZ => &mut self.relocations[RELA].1,
            DT_ANDROID_REL => &mut self.relocations[PACKED_REL].0,
            DT_ANDROID_RELSZ => &mut self.relocations[PACKED_REL].1,
            DT_ANDROID_RELA => &mut self.relocations[PACKED_RELA].0,
            DT_ANDROID_RELASZ => &mut self.relocations[PACKED_RELA].1,
            DT_SONAME => self.soname.insert(0),
            _ => return,
        };
        *place = value;
    }

    /// The relocation tables of the library.
    pub fn tables(&self) -> impl Iterator<Item = Table> {
        let plt = match self.plt_form {
            DT_REL => Form::Rel,
            _ => Form::Rela,
        };
        let forms = [
            plt,
            Form::Rel,
            Form::Rela,
            Form::PackedRel,
            Form::PackedRela,
        ];
        let tables = self.relocations.into_iter().zip(forms);
        let present = tables.filter(|((at, size), _)| *at != 0 && *size != 0);
        present.map(|((at, size), form)| Table { at, size, form })
    }
}
