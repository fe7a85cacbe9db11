//! Functions of ELF files.

use std::fs::File;
use std::path::{Path, PathBuf};

use object::elf::PF_X;
use object::read::ReadCache;
use object::{
    Object, ObjectSegment, ObjectSymbol, ObjectSymbolTable, SegmentFlags, SymbolIndex, SymbolKind,
};
use traceloom_formats::CodePlaces;

use crate::functions::{Code, Function, Functions, Preference, Segment};

type Elf<'a> = object::File<'a, &'a ReadCache<File>>;
type Table<'a, 'f> = object::read::SymbolTable<'a, 'f, &'a ReadCache<File>>;

/// Names the functions at `places` of one file. `copies` are copies of this file, best first: complete, stripped, then
/// those that hold only its debug symbols.
///
/// The symbols come from the first copy with a `.symtab`, otherwise from the first with a `.dynsym`. The addresses of
/// the code come from a copy that contains the code, if there is one.
pub(crate) fn name_functions(
    copies: &[PathBuf],
    kind: CodePlaces,
    places: &[u64],
    found: &mut dyn FnMut(usize, &str),
) {
    let codes: Vec<_> = copies
        .iter()
        .filter_map(|copy| with(copy, code_of))
        .collect();
    let is_whole = |code: &&Code| {
        let mut segments = code.segments.iter();
        segments.any(|segment| !segment.in_file.is_empty())
    };
    let code = codes.iter().find(is_whole).or(codes.first());
    let code = code.cloned().unwrap_or_default();
    let mut name_from = |elf: &Elf<'_>, table: Option<Table<'_, '_>>| {
        let Some(table) = table else {
            return false;
        };
        let functions = Functions::new(functions_of(elf, &table), code.clone());
        for (at, place) in places.iter().enumerate() {
            let symbol = functions.at(*place, kind);
            let symbol = symbol.and_then(|index| table.symbol_by_index(*index).ok());
            if let Some(Ok(name)) = symbol.map(|symbol| symbol.name()) {
                found(at, name);
            }
        }
        !functions.is_empty()
    };
    let mut names = |copy: &PathBuf| with(copy, |elf| name_from(elf, elf.symbol_table()));
    if !copies.iter().any(|copy| names(copy) == Some(true)) {
        let mut names =
            |copy: &PathBuf| with(copy, |elf| name_from(elf, elf.dynamic_symbol_table()));
        let _ = copies.iter().any(|copy| names(copy) == Some(true));
    }
}

/// The build id of an ELF file, as hexadecimal digits. `None` if it has none, or is not an ELF file.
pub(crate) fn build_id(path: &Path) -> Option<String> {
    with(path, |elf| elf.build_id().ok()?.map(digits))?
}

/// Formats a build id in the same way as traces do.
pub(crate) fn digits(build_id: &[u8]) -> String {
    build_id.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Opens a regular file. A trace may name any path, so devices and pipes are not opened. Files of the kernel, such as
/// `/proc/kmsg`, look regular, but reading one may block for ever. They have no size, and are not opened either.
fn with<T>(path: &Path, work: impl FnOnce(&Elf<'_>) -> T) -> Option<T> {
    let is_file = std::fs::metadata(path).is_ok_and(|facts| facts.is_file() && facts.len() > 0);
    let file = is_file.then(|| File::open(path).ok())??;
    let cache = ReadCache::new(file);
    let elf = Elf::parse(&cache).ok()?;
    Some(work(&elf))
}

/// The functions of a symbol table.
fn functions_of<'a>(
    elf: &Elf<'_>,
    table: &impl ObjectSymbolTable<'a>,
) -> Vec<Function<SymbolIndex>> {
    // On 32-bit ARM, the lowest bit of an address selects the instruction set (ARM or Thumb).
    let is_arm = elf.architecture() == object::Architecture::Arm;
    let functions = table.symbols().filter_map(|symbol| {
        let name = symbol.name().ok()?;
        is_function(&symbol, name).then(|| Function {
            start: symbol.address() & !u64::from(is_arm),
            bytes: symbol.size(),
            preference: Preference::new(name, symbol.is_weak(), symbol.is_global()),
            name: symbol.index(),
        })
    });
    functions.collect()
}

/// Whether a symbol is a function. Assemblers do not always mark functions, so symbols without a type also count. Names
/// with `$` mark where code and data begin on ARM, and names with `.L` are labels inside functions.
fn is_function<'a>(symbol: &impl ObjectSymbol<'a>, name: &str) -> bool {
    let is_code = match symbol.kind() {
        SymbolKind::Text => true,
        SymbolKind::Unknown | SymbolKind::Label => !name.starts_with(['$', '.']),
        _ => false,
    };
    is_code && !name.is_empty() && symbol.is_definition()
}

fn code_of(elf: &Elf<'_>) -> Code {
    let is_code = |flags: SegmentFlags| matches!(flags, SegmentFlags::Elf { p_flags, .. } if p_flags.contains(PF_X));
    let code = elf.segments().filter(|segment| is_code(segment.flags()));
    let code = code.map(|segment| {
        let (start, bytes) = segment.file_range();
        Segment {
            in_file: start..start.saturating_add(bytes),
            address: segment.address(),
            align: segment.align(),
        }
    });
    let starts = elf.segments().map(|segment| segment.address());
    Code {
        segments: code.collect(),
        image_start: starts.min().unwrap_or(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_program_has_functions_and_others_are_no_programs() {
        let program = std::env::current_exe().unwrap();
        let count = with(&program, |elf| {
            let table = elf.symbol_table().unwrap();
            functions_of(elf, &table).len()
        });
        assert!(count.unwrap() > 1_000);
        for path in [
            "/proc/kmsg",
            "/dev/zero",
            "/",
            "/proc/self/maps",
            "/etc/passwd",
            "/nowhere",
        ] {
            assert_eq!(build_id(Path::new(path)), None, "{path}");
        }
    }

    #[test]
    fn damaged_programs_never_panic() {
        let program = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        let copy = tempfile::NamedTempFile::new().unwrap();
        let copies = [copy.path().to_path_buf()];
        let places: Vec<u64> = (0..1_000).map(|at| at * 997).collect();
        for at in 0..64 {
            let mut bytes = program[..program.len().min(4 << 20)].to_vec();
            bytes[at] ^= 0x55;
            std::fs::write(copy.path(), &bytes).unwrap();
            name_functions(
                &copies,
                CodePlaces::FileOffsets { mapped_from: 0 },
                &places,
                &mut |_, _| {},
            );
            name_functions(&copies, CodePlaces::Addresses, &places, &mut |_, _| {});
        }
    }
}
