//! Tests with libraries assembled byte by byte, and with damaged ones.

use testkit::{ElfImage, Rng, mutate};

use super::{Binding, Image, Import, Memory, Segment, WORD, Walked};

/// The load address, which is larger than any `p_vaddr`.
const BASE: usize = 0x7000_0000;

struct At<'a>(&'a [u8]);

impl Memory for At<'_> {
    fn read(&self, address: usize, into: &mut [u8]) -> bool {
        let begin = address.checked_sub(BASE);
        let range = begin.and_then(|begin| Some(begin..begin.checked_add(into.len())?));
        let found = range.and_then(|range| self.0.get(range));
        found.inspect(|bytes| into.copy_from_slice(bytes)).is_some()
    }
}

fn image(library: &ElfImage) -> Option<Image<At<'_>>> {
    let segment = |&(kind, address, size): &(u32, usize, usize)| Segment {
        kind,
        address,
        size,
    };
    let headers: Vec<_> = library.headers.iter().map(segment).collect();
    Image::new(At(&library.memory), BASE, &headers)
}

fn imports<M: Memory>(image: &Image<M>) -> (Vec<Import>, Walked) {
    let mut imports = Vec::new();
    let walked = image.each_import(|import| imports.push(import));
    (imports, walked)
}

#[test]
fn tables_of_each_form() {
    let small = ElfImage::small();
    let image = image(&small).unwrap();
    let (found, walked) = imports(&image);
    let words = BASE + 0x800;
    let expected = [
        Binding::JumpSlot,
        Binding::GlobDat,
        Binding::Absolute,
        Binding::Absolute,
    ];
    let expected = expected
        .into_iter()
        .enumerate()
        .map(|(index, binding)| Import {
            slot: words + index * WORD,
            binding,
            symbol: 1,
        });
    assert_eq!(found, expected.collect::<Vec<_>>());
    assert_eq!(
        walked,
        Walked {
            relocations: 6,
            broken: 0
        }
    );
    let write = image.symbol(1).unwrap();
    assert!(write.is_import() && image.is_named(write, b"write"));
    assert!(!image.is_named(write, b"writ") && !image.is_named(write, b"write\0"));
    assert_eq!(image.relro(), Some(words..words + WORD));
    assert!(image.is_called(b"libsmall.so") && !image.is_called(b"libsmall"));
}

#[test]
fn pointers_may_include_the_bias() {
    let mut small = ElfImage::small();
    let (_, dynamic, size) = small.headers[1];
    // glibc adds the bias to the values of these tags.
    for entry in small.memory[dynamic..dynamic + size].chunks_exact_mut(2 * WORD) {
        let (tag, value) = entry.split_at_mut(WORD);
        let tag = usize::from_ne_bytes((&*tag).try_into().unwrap());
        if [4, 5, 6, 7, 23, 0x6fff_fef5].contains(&tag) {
            let number = usize::from_ne_bytes((&*value).try_into().unwrap());
            value.copy_from_slice(&(BASE + number).to_ne_bytes());
        }
    }
    let image = image(&small).unwrap();
    assert_eq!(imports(&image).0.len(), 4);
    assert_eq!(image.definition(b"atrace_enabled_tags"), Some(BASE + 0x40));
}

/// Removes a tag from the dynamic section.
fn without(library: &mut ElfImage, tag: usize) {
    let (_, dynamic, size) = library.headers[1];
    for entry in library.memory[dynamic..dynamic + size].chunks_exact_mut(2 * WORD) {
        if entry[..WORD] == tag.to_ne_bytes() {
            entry[..WORD].copy_from_slice(&0x7000_0001_usize.to_ne_bytes());
        }
    }
}

#[test]
fn definitions_are_found_with_either_hash_table_or_none() {
    let mut small = ElfImage::small();
    for gone in [None, Some(0x6fff_fef5), Some(4)] {
        gone.inspect(|tag| without(&mut small, *tag));
        let image = image(&small).unwrap();
        assert_eq!(
            image.definition(b"atrace_enabled_tags"),
            Some(BASE + 0x40),
            "{gone:?}"
        );
        assert_eq!(image.definition(b"write"), None, "it is an import");
        assert_eq!(image.definition(b"atrace_enabled_tag"), None);
    }
}

#[test]
fn images_without_needed_parts_are_none() {
    let small = ElfImage::small();
    let lacks = |kind: u32| {
        let mut library = small.clone();
        library.headers.retain(|header| header.0 != kind);
        image(&library).is_none()
    };
    assert!(lacks(1), "without segments");
    assert!(lacks(2), "without a dynamic section");
    let mut far = small.clone();
    far.headers[1].1 = usize::MAX - 4;
    assert!(image(&far).is_none());
    let mut empty = small;
    empty.memory.clear();
    assert!(image(&empty).is_none());
}

#[test]
fn broken_tables_are_counted() {
    let small = ElfImage::small();
    // The packed table is directly before the dynamic section.
    let mut cut = small.clone();
    let at = small
        .memory
        .windows(4)
        .position(|bytes| bytes == b"APS2")
        .unwrap();
    cut.memory[at] = b'B';
    let (found, walked) = imports(&image(&cut).unwrap());
    assert_eq!((found.len(), walked.broken), (2, 1));
    // A relocation of a word outside the library, and one of an unaligned word.
    for offset in [0x10_0000_usize, 0x801] {
        let mut library = small.clone();
        let mut words = library.memory.chunks_exact(WORD);
        let place = words
            .position(|word| word == 0x800_usize.to_ne_bytes())
            .unwrap()
            * WORD;
        library.memory[place..place + WORD].copy_from_slice(&offset.to_ne_bytes());
        let (found, walked) = imports(&image(&library).unwrap());
        assert_eq!((found.len(), walked.broken), (3, 1), "{offset:#x}");
    }
}

/// Whatever the tables contain, the search ends, and everything found is inside the library.
#[test]
fn damaged_libraries() {
    let small = ElfImage::small().to_bytes();
    let mut rng = Rng::new(0x5107);
    for round in 0..20_000 {
        let mut bytes = small.clone();
        for _ in 0..=round % 4 {
            bytes = mutate(&bytes, &mut rng);
        }
        let Some(library) = ElfImage::from_bytes(&bytes) else {
            continue;
        };
        let Some(image) = image(&library) else {
            continue;
        };
        let (found, _) = imports(&image);
        for import in found {
            assert!(image.contains(import.slot, WORD) && import.slot.is_multiple_of(WORD));
            if let Some(symbol) = image.symbol(import.symbol) {
                image.is_named(symbol, b"write");
            }
        }
        image.definition(b"atrace_enabled_tags");
        image.is_called(b"libcutils.so");
    }
}
