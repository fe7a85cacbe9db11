//! ELF images of libraries as the linker leaves them in memory.

const WORD: usize = size_of::<usize>();
const PT_LOAD: u32 = 1;
const PT_DYNAMIC: u32 = 2;
const PT_GNU_RELRO: u32 = 0x6474_e552;

/// Relocation types: a slot of the procedure linkage table, an entry of the global offset table, a data word, and a word
/// that points into its own library.
#[cfg(target_arch = "aarch64")]
const RELOCATION_TYPES: [u32; 4] = [1026, 1025, 257, 1027];
/// Relocation types: a slot of the procedure linkage table, an entry of the global offset table, a data word, and a word
/// that points into its own library.
#[cfg(not(target_arch = "aarch64"))]
const RELOCATION_TYPES: [u32; 4] = [7, 6, 1, 8];

/// A library in memory, loaded at address zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ElfImage {
    /// `p_type`, `p_vaddr`, `p_memsz` of each program header.
    pub headers: Vec<(u32, usize, usize)>,
    /// The memory from address zero.
    pub memory: Vec<u8>,
}

impl ElfImage {
    /// The image that a linker would map from a file of this machine's class, without relocations applied.
    pub fn of_file(file: &[u8]) -> Option<Self> {
        let at = |offset: usize, size: usize| number(file.get(offset..offset.checked_add(size)?)?);
        (file.get(..4)? == b"\x7fELF" && WORD == 8).then_some(())?;
        let (table, size, count) = (at(32, 8)?, at(54, 2)?, at(56, 2)?);
        let mut image = Self {
            headers: Vec::new(),
            memory: Vec::new(),
        };
        for index in 0..count {
            let header = table + index * size;
            let kind = at(header, 4)?;
            let [offset, address, in_file, in_memory] =
                [8, 16, 32, 40].map(|field| at(header + field, 8));
            let (address, in_memory) = (address?, in_memory?);
            image.headers.push((kind as u32, address, in_memory));
            if kind as u32 == PT_LOAD {
                let bytes = file.get(offset?..offset? + in_file?)?;
                let end = address.checked_add(in_memory)?;
                image.memory.resize(end.max(image.memory.len()), 0);
                image.memory[address..address + bytes.len()].copy_from_slice(bytes);
            }
        }
        Some(image)
    }

    /// A small library that imports `write` in four words (a slot, an address, and two data words of a packed table) and
    /// defines `atrace_enabled_tags`. The words are at its end.
    pub fn small() -> Self {
        let mut lay = Layout::default();
        let symbols = lay.put(&symbols(&[(0, 0, 0), (1, 0, 0), (7, 0x40, 5)]));
        let strings = lay.put(b"\0write\0atrace_enabled_tags\0libsmall.so\0");
        // One bucket, symbols from the second on, and a filter of one word that accepts all names.
        let mut gnu = [1_u32, 2, 1, 0].map(u32::to_ne_bytes).concat();
        gnu.extend(usize::MAX.to_ne_bytes());
        gnu.extend(
            [2_u32, gnu_hash("atrace_enabled_tags") | 1]
                .map(u32::to_ne_bytes)
                .concat(),
        );
        let gnu = lay.put(&gnu);
        // One bucket whose chain is 2, 1.
        let hash = lay.put(&[1_u32, 3, 2, 0, 0, 1].map(u32::to_ne_bytes).concat());
        let [slot, address, data, relative] = RELOCATION_TYPES;
        let words = 0x800;
        let plt = lay.put(&relocation(words, slot, 1));
        let rela = lay.put(&relocation(words + WORD, address, 1));
        let packed = packed(words + 2 * WORD, data, relative);
        let packed_size = packed.len();
        let packed = lay.put(&packed);
        let size = 3 * WORD;
        let tags = [
            (5, strings),
            (10, 39),
            (6, symbols),
            (0x6fff_fef5, gnu),
            (4, hash),
            (14, 27),
            (20, 7),
            (23, plt),
            (2, size),
            (7, rela),
            (8, size),
            (0x6000_0011, packed),
            (0x6000_0012, packed_size),
            (0, 0),
        ];
        let dynamic = lay.put(
            &tags
                .map(|(tag, value): (usize, usize)| [tag, value].map(usize::to_ne_bytes).concat())
                .concat(),
        );
        lay.0.resize(words + 8 * WORD, 0);
        Self {
            headers: vec![
                (PT_LOAD, 0, lay.0.len()),
                (PT_DYNAMIC, dynamic, 2 * WORD * tags.len()),
                (PT_GNU_RELRO, words, WORD),
            ],
            memory: lay.0,
        }
    }

    /// Serializes the image for a fuzzer: number of headers, headers, memory.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![self.headers.len() as u8];
        for (kind, address, size) in &self.headers {
            bytes.extend(kind.to_le_bytes());
            bytes.extend((*address as u64).to_le_bytes());
            bytes.extend((*size as u64).to_le_bytes());
        }
        bytes.extend(&self.memory);
        bytes
    }

    /// Reverses [`to_bytes`](Self::to_bytes).
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (count, rest) = bytes.split_first()?;
        let (headers, memory) = rest.split_at_checked(usize::from(*count) * 20)?;
        let header = |header: &[u8]| {
            let (kind, rest) = header.split_at(4);
            Some((
                number(kind)? as u32,
                number(&rest[..8])?,
                number(&rest[8..])?,
            ))
        };
        Some(Self {
            headers: headers.chunks_exact(20).filter_map(header).collect(),
            memory: memory.to_vec(),
        })
    }
}

fn number(bytes: &[u8]) -> Option<usize> {
    let mut wide = [0; 8];
    wide.get_mut(..bytes.len())?.copy_from_slice(bytes);
    Some(u64::from_le_bytes(wide) as usize)
}

#[derive(Default)]
struct Layout(Vec<u8>);

impl Layout {
    /// Appends bytes, aligned to a word, and returns their address, which is never 0.
    fn put(&mut self, bytes: &[u8]) -> usize {
        let at = (self.0.len() + WORD).next_multiple_of(WORD);
        self.0.resize(at, 0);
        self.0.extend(bytes);
        at
    }
}

/// Symbols, given as name, value and section.
fn symbols(symbols: &[(u32, usize, u16)]) -> Vec<u8> {
    let symbol = |&(name, value, section): &(u32, usize, u16)| {
        let (info, size) = ([0x11, 0], 8_usize.to_ne_bytes());
        let (name, value, section) = (
            name.to_ne_bytes(),
            value.to_ne_bytes(),
            section.to_ne_bytes(),
        );
        match WORD {
            8 => [&name[..], &info, &section, &value, &size].concat(),
            _ => [&name[..], &value, &size, &info, &section].concat(),
        }
    };
    symbols.iter().flat_map(symbol).collect()
}

fn info(kind: u32, symbol: u32) -> usize {
    let shift = if WORD == 8 { 32 } else { 8 };
    ((symbol as usize) << shift) | kind as usize
}

fn relocation(offset: usize, kind: u32, symbol: u32) -> Vec<u8> {
    [offset, info(kind, symbol), 0]
        .map(usize::to_ne_bytes)
        .concat()
}

/// A packed table: a group of two words of data that share their type and come after each other, then a
/// group of two words that point into the library, each with its own addend.
fn packed(first: usize, data: u32, relative: u32) -> Vec<u8> {
    let mut bytes = b"APS2".to_vec();
    let mut put = |numbers: &[usize]| {
        numbers
            .iter()
            .for_each(|number| sleb128(*number as isize, &mut bytes))
    };
    put(&[4, first - WORD]);
    // Size, flags (same delta, same info), the delta, the info.
    put(&[2, 1 | 2, WORD, info(data, 1)]);
    // Size, flags (same info, addends), the info; then delta and addend of each.
    put(&[
        2,
        1 | 8,
        info(relative, 0),
        WORD,
        0x40,
        WORD,
        8_usize.wrapping_neg(),
    ]);
    bytes
}

fn sleb128(mut number: isize, to: &mut Vec<u8>) {
    loop {
        let byte = (number & 0x7f) as u8;
        number >>= 7;
        let last = (number == 0 && byte & 0x40 == 0) || (number == -1 && byte & 0x40 != 0);
        to.push(if last { byte } else { byte | 0x80 });
        if last {
            return;
        }
    }
}

fn gnu_hash(name: &str) -> u32 {
    let step = |hash: u32, letter: u8| {
        (hash << 5)
            .wrapping_add(hash)
            .wrapping_add(u32::from(letter))
    };
    name.bytes().fold(5381, step)
}

#[cfg(test)]
mod tests {
    use super::ElfImage;

    #[test]
    fn images_round_trip() {
        let small = ElfImage::small();
        assert_eq!(ElfImage::from_bytes(&small.to_bytes()), Some(small));
    }

    #[test]
    #[cfg(all(target_os = "linux", target_pointer_width = "64"))]
    fn the_program_itself_can_be_loaded() {
        let file = std::fs::read("/proc/self/exe").unwrap();
        let image = ElfImage::of_file(&file).unwrap();
        assert!(image.headers.len() > 4 && image.memory.len() > 10_000);
    }
}
