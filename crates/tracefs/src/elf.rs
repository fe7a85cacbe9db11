//! Finds a function in a program or library: its offset in the file, as uprobes need it.
//!
//! Sources: the System V ABI (`gabi`, chapters 4 and 5) and `elf(5)`.

/// The offset of the function `name` in the ELF file `bytes`. `None` if it has no such symbol, or is not
/// a complete ELF file.
pub fn function_offset(bytes: &[u8], name: &str) -> Option<u64> {
    let file = File::new(bytes)?;
    let sections: Vec<Section> = file.sections()?;
    let mut tables = sections
        .iter()
        .filter(|section| matches!(section.kind, SYMTAB | DYNSYM));
    let address = tables.find_map(|table| {
        let names = sections.get(table.link as usize)?;
        file.symbol(table, names, name.as_bytes())
    })?;
    file.offset_of(address)
}

const SYMTAB: u32 = 2;
const DYNSYM: u32 = 11;
/// A segment that is loaded.
const LOAD: u32 = 1;
/// Types of symbols: functions, and functions that choose an implementation.
const FUNCTIONS: [u8; 2] = [2, 10];
/// The section number of symbols that another file defines.
const UNDEFINED: u16 = 0;

struct File<'a> {
    bytes: &'a [u8],
    is_64: bool,
    is_big: bool,
}

struct Section {
    kind: u32,
    offset: u64,
    size: u64,
    link: u32,
}

impl<'a> File<'a> {
    fn new(bytes: &'a [u8]) -> Option<Self> {
        let (is_64, is_big) = match bytes.get(..6)? {
            [0x7f, b'E', b'L', b'F', class @ 1..=2, order @ 1..=2] => (*class == 2, *order == 2),
            _ => return None,
        };
        Some(Self {
            bytes,
            is_64,
            is_big,
        })
    }

    /// The sum of two offsets, at most the end of the file.
    fn place(&self, at: u64, into: u64) -> u64 {
        at.saturating_add(into).min(self.bytes.len() as u64)
    }

    /// A number of `size` bytes.
    fn number(&self, at: u64, size: u64) -> Option<u64> {
        let at = usize::try_from(at).ok()?;
        let bytes = self.bytes.get(at..at.checked_add(size as usize)?)?;
        let add = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
        Some(if self.is_big {
            bytes.iter().fold(0, add)
        } else {
            bytes.iter().rev().fold(0, add)
        })
    }

    /// An address or offset: at `at64` in a 64-bit file, at `at32` in a 32-bit file.
    fn word(&self, at64: u64, at32: u64) -> Option<u64> {
        if self.is_64 {
            self.number(at64, 8)
        } else {
            self.number(at32, 4)
        }
    }

    fn pick(&self, of_64: u64, of_32: u64) -> u64 {
        if self.is_64 { of_64 } else { of_32 }
    }

    /// The offsets of the entries of a table. `at` is the table's offset; `size` and `count` are the offsets of its
    /// entry size and its entry count in the file header.
    fn entries(&self, at: Option<u64>, size: u64, count: u64) -> Option<impl Iterator<Item = u64>> {
        let (at, size) = (at?, self.number(size, 2)?);
        let count = self.number(count, 2)?;
        Some((0..count).map(move |number| self.place(at, number * size)))
    }

    fn sections(&self) -> Option<Vec<Section>> {
        let table = self.word(0x28, 0x20);
        let entries = self.entries(table, self.pick(0x3a, 0x2e), self.pick(0x3c, 0x30))?;
        let section = |at: u64| {
            Some(Section {
                kind: self.number(at + 4, 4)? as u32,
                offset: self.word(at + 0x18, at + 0x10)?,
                size: self.word(at + 0x20, at + 0x14)?,
                link: self.number(at + self.pick(0x28, 0x18), 4)? as u32,
            })
        };
        entries.map(section).collect()
    }

    /// The address of a function.
    fn symbol(&self, table: &Section, names: &Section, name: &[u8]) -> Option<u64> {
        let size = self.pick(24, 16);
        let length = table.size.min(self.bytes.len() as u64);
        let mut places = (0..length / size).map(|number| self.place(table.offset, number * size));
        places.find_map(|at| {
            let info = self.number(at + self.pick(4, 12), 1)? as u8;
            let section = self.number(at + self.pick(6, 14), 2)? as u16;
            let is_function = FUNCTIONS.contains(&(info & 15)) && section != UNDEFINED;
            let own = self.place(names.offset, self.number(at, 4)?);
            (is_function && self.is_text(own, name)).then(|| self.word(at + 8, at + 4))?
        })
    }

    /// Whether the C string at this offset is `text`.
    fn is_text(&self, at: u64, text: &[u8]) -> bool {
        let rest = self.bytes.get(at as usize..).unwrap_or_default();
        rest.strip_prefix(text)
            .is_some_and(|rest| rest.first() == Some(&0))
    }

    /// The file offset of an address.
    fn offset_of(&self, address: u64) -> Option<u64> {
        let table = self.word(0x20, 0x1c);
        let mut segments = self.entries(table, self.pick(0x36, 0x2a), self.pick(0x38, 0x2c))?;
        segments.find_map(|at| {
            let kind = self.number(at, 4)? as u32;
            let offset = self.word(at + 8, at + 4)?;
            let begin = self.word(at + 0x10, at + 8)?;
            let size = self.word(at + 0x20, at + 0x10)?;
            let into = address.checked_sub(begin).filter(|&into| into < size)?;
            (kind == LOAD).then(|| offset.checked_add(into))?
        })
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::function_offset;

    #[test]
    fn the_offset_is_where_the_function_is_loaded() {
        // This program itself: its code in memory is mapped from the file.
        let program = std::fs::read("/proc/self/exe").unwrap();
        let address = traceloom_marked_function as *const () as u64;
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        let expected = maps.lines().find_map(|line| {
            let mut words = line.split_whitespace();
            let (begin, end) = words.next()?.split_once('-')?;
            let number = |hex: &str| u64::from_str_radix(hex, 16).ok();
            let (begin, end) = (number(begin)?, number(end)?);
            let offset = number(words.nth(1)?)?;
            (begin..end)
                .contains(&address)
                .then(|| address - begin + offset)
        });
        assert_eq!(
            function_offset(&program, "traceloom_marked_function"),
            expected
        );
        assert!(expected.is_some());
    }

    // SAFETY: no other function has this name.
    #[unsafe(no_mangle)]
    extern "C" fn traceloom_marked_function() -> i32 {
        std::hint::black_box(7)
    }

    #[test]
    fn no_file_makes_it_fail() {
        let program = std::fs::read("/proc/self/exe").unwrap();
        assert_eq!(function_offset(&program, "no_such_function_anywhere"), None);
        let mut head = program[..4096.min(program.len())].to_vec();
        for at in 0..64 {
            for value in [0, 1, 0x7f, 0xff] {
                let before = std::mem::replace(&mut head[at], value);
                function_offset(&head, "main");
                head[at] = before;
            }
        }
        for length in 0..256 {
            assert_eq!(function_offset(&program[..length], "main"), None);
        }
    }

    /// The head of a little-endian file of 64 bits, with a table of `count` sections at `at`.
    fn with_sections(at: u64, count: u16, bytes: usize) -> Vec<u8> {
        let mut file = vec![1; bytes];
        file[..6].copy_from_slice(b"\x7fELF\x02\x01");
        file[0x20..0x30].copy_from_slice(&[at.to_le_bytes(), at.to_le_bytes()].concat());
        file[0x3a..0x3e].copy_from_slice(&[64, 0, count as u8, (count >> 8) as u8]);
        file
    }

    #[test]
    fn tables_behind_the_end_of_the_file_are_no_tables() {
        for at in [
            u64::MAX,
            u64::MAX - 7,
            u64::MAX - 0x40,
            i64::MAX as u64,
            200,
        ] {
            let file = with_sections(at, 3, 200);
            assert_eq!(function_offset(&file, "main"), None);
        }
    }

    #[test]
    fn names_without_an_end_are_not_read_to_the_end_of_the_file() {
        const HALF: usize = 2 << 20;
        let mut file = with_sections(64, 2, HALF);
        // The first section is a table of symbols; their names, in the second one, never end.
        file[128..].fill(0);
        file[68..72].copy_from_slice(&2u32.to_le_bytes());
        let place = [256, HALF as u64].map(u64::to_le_bytes).concat();
        file[88..104].copy_from_slice(&place);
        file[104..108].copy_from_slice(&1u32.to_le_bytes());
        file[152..160].copy_from_slice(&(HALF as u64).to_le_bytes());
        file.resize(2 * HALF, 1);
        // Reading each name to the end of the file would take minutes.
        assert_eq!(function_offset(&file, "main"), None);
    }

    #[test]
    fn a_library_agrees_with_nm() {
        let library = "/lib/x86_64-linux-gnu/libc.so.6";
        let Ok(bytes) = std::fs::read(library) else {
            println!("skipped: there is no {library}");
            return;
        };
        let nm = Command::new("nm").args(["-D", library]).output();
        let Some(nm) = nm.ok().filter(|nm| nm.status.success()) else {
            println!("skipped: there is no nm");
            return;
        };
        let text = String::from_utf8(nm.stdout).unwrap();
        let line = text
            .lines()
            .find(|line| line.contains(" T malloc"))
            .unwrap();
        let address = u64::from_str_radix(line.split(' ').next().unwrap(), 16).unwrap();
        // In this library, the address of a function equals its offset in the file.
        assert_eq!(function_offset(&bytes, "malloc"), Some(address));
    }
}
