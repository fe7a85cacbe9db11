//! The symbols of files that simpleperf stores: features FILE and FILE2.
//!
//! ```text
//! FILE   { u32 size  text path  u32 type  u64 min_vaddr  u32 count  { u64 vaddr  u32 length  text name }*
//!          dex: u32 count  u64 offset*    elf, module: u64 offset of min_vaddr }*
//! FILE2  { u32 size  message FileFeature }*
//! ```
//! Source: `record_file_format.h` and `record_file.proto` of simpleperf.

use rustc_hash::FxHashMap;

use crate::bytes::{ByteOrder, Cursor};
use crate::perfetto::Fields;

/// Types of files.
mod kind {
    pub const KERNEL: u32 = 0;
    pub const MODULE: u32 = 1;
    pub const ELF: u32 = 2;
    pub const DEX: u32 = 3;
    pub const SYMBOL_MAP: u32 = 4;
}

/// The memory for a symbol, bytes.
const OF_SYMBOL: usize = 40;

/// A function.
#[derive(Clone, Copy, Debug, Default)]
struct Symbol<'a> {
    address: u64,
    length: u32,
    name: &'a [u8],
}

/// A file with symbols.
#[derive(Debug, Default)]
struct File<'a> {
    kind: u32,
    /// The virtual address of the first segment, and the segment's offset in the file or in memory, bytes.
    min_address: u64,
    min_offset: Option<u64>,
    symbols: Vec<Symbol<'a>>,
}

/// A location in the memory of a process.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot<'a> {
    pub address: u64,
    /// The mapped file, the start of the mapping, and the offset of that start in the file.
    pub file: &'a [u8],
    pub start: u64,
    pub offset: u64,
    /// Whether the file contains code that was compiled at run time. Its symbols have absolute addresses.
    pub is_jit: bool,
}

/// The symbols of all files.
#[derive(Debug, Default)]
pub(super) struct Symbols<'a> {
    files: FxHashMap<&'a [u8], File<'a>>,
    kernel: Vec<Symbol<'a>>,
    /// The memory left for symbols, bytes.
    room: usize,
    /// The number of symbols for which no memory was left.
    pub beyond: u64,
}

impl<'a> Symbols<'a> {
    pub fn with_room(room: usize) -> Self {
        Self {
            room,
            ..Self::default()
        }
    }

    /// Reads the feature FILE. Returns whether it is complete.
    pub fn add_files(&mut self, mut from: Cursor<'a>, order: ByteOrder) -> bool {
        while !from.rest().is_empty() {
            let file = from.u32().and_then(|size| from.take(size.into()));
            let file = file.and_then(|file| self.file(Cursor::new(file, order)));
            let Some((path, file)) = file else {
                return false;
            };
            self.add(path, file);
        }
        true
    }

    fn file(&mut self, mut from: Cursor<'a>) -> Option<(&'a [u8], File<'a>)> {
        let path = from.text()?;
        let (kind, min_address) = (from.u32()?, from.u64()?);
        let mut symbols = Vec::new();
        for _ in 0..from.u32()? {
            let (address, length) = (from.u64()?, from.u32()?);
            let name = from.text()?;
            let symbol = Symbol {
                address,
                length,
                name,
            };
            self.push(symbol, &mut symbols);
        }
        let min_offset = match kind {
            kind::MODULE | kind::ELF => from.u64().filter(|offset| *offset != u64::MAX),
            _ => None,
        };
        let file = File {
            kind,
            min_address,
            min_offset,
            symbols,
        };
        Some((path, file))
    }

    /// Reads the feature FILE2. Returns whether it is complete.
    pub fn add_messages(&mut self, mut from: Cursor<'a>) -> bool {
        while !from.rest().is_empty() {
            let Some(message) = from.u32().and_then(|size| from.take(size.into())) else {
                return false;
            };
            let (path, file) = self.message(Fields::new(message));
            self.add(path, file);
        }
        true
    }

    fn message(&mut self, fields: Fields<'a>) -> (&'a [u8], File<'a>) {
        let (mut path, mut file) = (&b""[..], File::default());
        for field in fields {
            match field.number {
                1 => path = field.bytes(),
                2 => file.kind = field.uint() as u32,
                3 => file.min_address = field.uint(),
                4 => {
                    let symbol = symbol(field.fields());
                    self.push(symbol, &mut file.symbols);
                }
                6 | 7 => {
                    let mut offset = field.fields().filter(|field| field.number == 1);
                    file.min_offset = Some(offset.next().map_or(0, |offset| offset.uint()));
                }
                _ => {}
            }
        }
        (path, file)
    }

    fn push(&mut self, symbol: Symbol<'a>, symbols: &mut Vec<Symbol<'a>>) {
        if symbol.name.is_empty() {
            return;
        }
        match self.room.checked_sub(OF_SYMBOL) {
            Some(room) => {
                self.room = room;
                symbols.push(symbol);
            }
            None => self.beyond += 1,
        }
    }

    fn add(&mut self, path: &'a [u8], mut file: File<'a>) {
        if file.kind == kind::KERNEL {
            self.kernel.append(&mut file.symbols);
            return;
        }
        file.symbols.sort_by_key(|symbol| symbol.address);
        self.files.entry(path).or_insert(file);
    }

    /// Must be called after all symbols are added.
    pub fn finish(&mut self) {
        self.kernel.sort_by_key(|symbol| symbol.address);
    }

    /// Adds a symbol of the kernel.
    pub fn add_kernel(&mut self, address: u64, length: u32, name: &'a [u8]) {
        let symbol = Symbol {
            address,
            length,
            name,
        };
        let mut symbols = std::mem::take(&mut self.kernel);
        self.push(symbol, &mut symbols);
        self.kernel = symbols;
    }

    /// Adds kernel symbols that are listed in the form of `/proc/kallsyms`.
    pub fn add_kallsyms(&mut self, list: &'a [u8]) {
        for line in list.split(|byte| *byte == b'\n') {
            let mut words = line.split(|byte| byte.is_ascii_whitespace());
            let address = words.next().and_then(|word| std::str::from_utf8(word).ok());
            let address = address.and_then(|word| u64::from_str_radix(word, 16).ok());
            let name = words.nth(1);
            if let Some((address, name)) = address.filter(|address| *address != 0).zip(name) {
                self.add_kernel(address, 0, name);
            }
        }
    }

    /// The name of the function at a location.
    pub fn name(&self, spot: &Spot<'_>) -> Option<&'a [u8]> {
        let of_file = self.files.get(spot.file);
        let named = of_file.and_then(|file| find(&file.symbols, file.address(spot)));
        named.or_else(|| find(&self.kernel, spot.address))
    }
}

impl File<'_> {
    /// Converts a location to the addresses that the symbols of its file use.
    fn address(&self, spot: &Spot<'_>) -> u64 {
        let inside = spot.address.wrapping_sub(spot.start);
        let in_file = inside.wrapping_add(spot.offset);
        match (self.kind, self.min_offset) {
            _ if spot.is_jit => spot.address,
            (kind::SYMBOL_MAP, _) => spot.address,
            (kind::MODULE | kind::ELF, Some(offset)) => {
                in_file.wrapping_sub(offset).wrapping_add(self.min_address)
            }
            (kind::MODULE | kind::ELF, None) => inside.wrapping_add(self.min_address),
            (kind::DEX, _) | (_, _) => in_file,
        }
    }
}

fn symbol(fields: Fields<'_>) -> Symbol<'_> {
    let mut symbol = Symbol::default();
    for field in fields {
        match field.number {
            1 => symbol.address = field.uint(),
            2 => symbol.length = field.uint() as u32,
            3 => symbol.name = field.bytes(),
            _ => {}
        }
    }
    symbol
}

/// The symbol at an address. A symbol without a length ends at the next symbol.
fn find<'a>(symbols: &[Symbol<'a>], address: u64) -> Option<&'a [u8]> {
    let after = symbols.partition_point(|symbol| symbol.address <= address);
    let symbol = symbols.get(after.checked_sub(1)?)?;
    let is_inside = symbol.length == 0 || address - symbol.address < u64::from(symbol.length);
    is_inside.then_some(symbol.name)
}
