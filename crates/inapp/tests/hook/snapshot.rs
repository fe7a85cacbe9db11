//! Snapshots of a library in memory: its mappings with their protection, and all their bytes.

use std::fs;
use std::path::Path;

#[derive(PartialEq, Eq)]
pub struct Snapshot {
    lines: Vec<String>,
    bytes: Vec<Vec<u8>>,
}

impl Snapshot {
    pub fn of(library: &Path) -> Self {
        let maps = fs::read_to_string("/proc/self/maps").unwrap();
        let of_library = |line: &&str| line.ends_with(library.to_str().unwrap());
        let lines: Vec<_> = maps.lines().filter(of_library).map(str::to_owned).collect();
        assert!(
            lines.len() >= 3,
            "{} is not loaded: {maps}",
            library.display()
        );
        let bytes = lines.iter().map(|line| bytes(line)).collect();
        Self { lines, bytes }
    }

    /// Panics if anything differs, with the first difference.
    pub fn assert_same(&self, other: &Self) {
        assert_eq!(self.lines, other.lines);
        for (line, (a, b)) in self.lines.iter().zip(self.bytes.iter().zip(&other.bytes)) {
            let differs = a.iter().zip(b).position(|(a, b)| a != b);
            assert_eq!(differs, None, "first byte that differs in {line}");
        }
    }

    /// The number of words that differ.
    pub fn changed_words(&self, other: &Self) -> usize {
        assert_eq!(self.lines, other.lines, "protections");
        let words = |bytes: &[u8]| {
            bytes
                .chunks(size_of::<usize>())
                .map(<[u8]>::to_vec)
                .collect::<Vec<_>>()
        };
        let pairs = self.bytes.iter().zip(&other.bytes);
        pairs
            .map(|(a, b)| {
                words(a)
                    .iter()
                    .zip(&words(b))
                    .filter(|(a, b)| a != b)
                    .count()
            })
            .sum()
    }
}

fn bytes(line: &str) -> Vec<u8> {
    let (range, rest) = line.split_once(' ').unwrap();
    if !rest.starts_with('r') {
        return Vec::new();
    }
    let (start, end) = range.split_once('-').unwrap();
    let [start, end] = [start, end].map(|text| usize::from_str_radix(text, 16).unwrap());
    // SAFETY: the range is mapped and readable, and the library stays loaded during the read.
    unsafe { std::slice::from_raw_parts(std::ptr::with_exposed_provenance(start), end - start) }
        .to_vec()
}
