//! Functions of the running kernel, for traces that were recorded on it.

use traceloom_formats::{CodeFile, CodePlaces};

use crate::elf::digits;
use crate::functions::{Code, Function, Functions, Preference};

/// The name of the note that holds the build id. Its type is [`BUILD_ID`].
const GNU: &[u8] = b"GNU\0";
const BUILD_ID: u32 = 3;

/// Names functions of the running kernel, given their distances from the start of its image. Names nothing if another
/// kernel was recorded, or if the system hides the addresses.
pub(crate) fn name_functions(
    file: &CodeFile<'_>,
    places: &[u64],
    found: &mut dyn FnMut(usize, &str),
) {
    let notes = std::fs::read("/sys/kernel/notes").unwrap_or_default();
    // The kernel may start at another address each time, so only distances count.
    let start = file.path.rsplit(']').next().unwrap_or_default();
    if build_id(&notes).map(digits).as_deref() != Some(file.build_id) || start.is_empty() {
        return;
    }
    let symbols = std::fs::read_to_string("/proc/kallsyms").unwrap_or_default();
    let functions = parse(&symbols, start);
    for (at, place) in places.iter().enumerate() {
        if let Some(name) = functions.at(*place, CodePlaces::Kernel) {
            found(at, name);
        }
    }
}

/// Parses `/proc/kallsyms`. A line has an address, a type and a name: `ffffffff81000000 T _text`. Functions of modules
/// have a fourth word, `[module]`, and are left out.
fn parse<'a>(symbols: &'a str, start: &str) -> Functions<&'a str> {
    let lines = symbols.lines().filter_map(|line| {
        let mut words = line.split_ascii_whitespace();
        let (address, kind, name) = (words.next()?, words.next()?, words.next()?);
        let address = u64::from_str_radix(address, 16).ok()?;
        words.next().is_none().then_some((address, kind, name))
    });
    let first = lines.clone().find(|(_, _, name)| *name == start);
    // Without permission, all addresses are 0.
    let first = first.map_or(0, |(address, ..)| address);
    let functions = lines.filter_map(|(address, kind, name)| {
        let start = address.checked_sub(first)?;
        let is_global = kind != "W" && kind.bytes().all(|kind| kind.is_ascii_uppercase());
        // Data symbols too, because a function ends where data begins.
        matches!(kind, "T" | "t" | "W" | "w" | "D" | "d" | "B" | "b").then(|| Function {
            start,
            bytes: 0,
            preference: Preference::new(name, kind == "W", is_global),
            name,
        })
    });
    let all = if first == 0 {
        Vec::new()
    } else {
        functions.collect()
    };
    Functions::new(all, Code::default())
}

/// Finds the build id among the notes of an ELF file. A note has the sizes of its name and content, its type, the name
/// and the content; the last two are padded to 4 bytes.
fn build_id(mut notes: &[u8]) -> Option<&[u8]> {
    loop {
        let (head, rest) = notes.split_at_checked(12)?;
        let number =
            |at: usize| u32::from_ne_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let (name_bytes, bytes) = (number(0) as usize, number(4) as usize);
        let (name, rest) = rest.split_at_checked(name_bytes.checked_next_multiple_of(4)?)?;
        let content = rest.get(..bytes)?;
        if name.get(..name_bytes) == Some(GNU) && number(8) == BUILD_ID {
            return Some(content);
        }
        notes = rest.get(bytes.checked_next_multiple_of(4)?..)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_at_distances_from_the_start() {
        let text = "0000000000000100 A fixed\nffffffff81000000 T _text\nffffffff81000000 T startup_64\n\
                    ffffffff81000040 t inner\nffffffff81000080 D data\nffffffffc0000000 t f\t[ext4]\n";
        let functions = parse(text, "_text");
        let at = |place| functions.at(place, CodePlaces::Kernel).copied();
        assert_eq!(at(0), Some("startup_64"));
        assert_eq!(at(0x7f), Some("inner"));
        assert_eq!(at(0x4000_0000), None);
        assert!(parse(text, "_stext").is_empty());
        assert!(parse("0000000000000000 T _text\n", "_text").is_empty());
    }

    #[test]
    fn notes_contain_the_build_id() {
        let note = |name: &[u8], kind: u32, content: &[u8]| {
            let mut note = Vec::new();
            for number in [name.len() as u32, content.len() as u32, kind] {
                note.extend(number.to_ne_bytes());
            }
            for part in [name, content] {
                note.extend(part);
                note.resize(note.len().next_multiple_of(4), 0);
            }
            note
        };
        let notes = [
            note(b"Xen\0", 3, &[1, 2, 3]),
            note(GNU, 1, &[9]),
            note(GNU, 3, &[7, 8]),
        ];
        assert_eq!(build_id(&notes.concat()), Some(&[7, 8][..]));
        assert_eq!(build_id(&notes[0]), None);
        assert_eq!(build_id(&[0xff; 40]), None);
    }
}
