//! Reading `/proc/self/maps`: mappings and their protection.

use std::io;
use std::ops::Range;

use libc::c_int;

use crate::elf::Memory;

/// A mapping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// Addresses of the mapping.
    pub range: Range<usize>,
    /// `PROT_READ`, `PROT_WRITE`, `PROT_EXEC`.
    pub protection: c_int,
}

/// The mappings of this process at one moment, by address.
pub struct Maps(Vec<Region>);

impl Maps {
    /// Reads the mappings.
    pub fn of_this_process() -> io::Result<Self> {
        // Read as bytes, because file names need not be UTF-8.
        Ok(Self::parse(&std::fs::read("/proc/self/maps")?))
    }

    fn parse(text: &[u8]) -> Self {
        let lines = text.split(|byte| *byte == b'\n');
        let mut regions: Vec<_> = lines.filter_map(region).collect();
        regions.sort_by_key(|region| region.range.start);
        Self(regions)
    }

    /// The mapping that contains `address`.
    pub fn find(&self, address: usize) -> Option<&Region> {
        let behind = self
            .0
            .partition_point(|region| region.range.start <= address);
        let region = self.0.get(behind.checked_sub(1)?)?;
        region.range.contains(&address).then_some(region)
    }

    /// Whether the memory at `address` is executable.
    pub fn is_code(&self, address: usize) -> bool {
        let found = self.find(address);
        found.is_some_and(|region| region.protection & libc::PROT_EXEC != 0)
    }

    /// Whether all of `range` is readable. It may span several mappings.
    fn is_readable(&self, range: Range<usize>) -> bool {
        let mut at = range.start;
        while at < range.end {
            match self.find(at) {
                Some(region) if region.protection & libc::PROT_READ != 0 => at = region.range.end,
                _ => return false,
            }
        }
        true
    }
}

/// `7f12a000-7f12b000 r-xp 00000000 08:01 1234  /lib/x.so`
fn region(line: &[u8]) -> Option<Region> {
    let line = str::from_utf8(line.get(..line.len().min(64))?)
        .ok()
        .or_else(|| {
            // The file name need not be UTF-8, but the fields before it are ASCII.
            let cut = line.iter().position(|byte| !byte.is_ascii())?;
            str::from_utf8(&line[..cut]).ok()
        })?;
    let mut fields = line.split(' ');
    let (start, end) = fields.next()?.split_once('-')?;
    let flags = fields.next()?.as_bytes();
    let bits = [libc::PROT_READ, libc::PROT_WRITE, libc::PROT_EXEC];
    let set = flags.iter().zip(bits).filter(|(flag, _)| **flag != b'-');
    Some(Region {
        range: usize::from_str_radix(start, 16).ok()?..usize::from_str_radix(end, 16).ok()?,
        protection: set.fold(0, |sum, (_, bit)| sum | bit),
    })
}

impl Memory for Maps {
    fn read(&self, address: usize, into: &mut [u8]) -> bool {
        let Some(end) = address.checked_add(into.len()) else {
            return false;
        };
        if !self.is_readable(address..end) {
            return false;
        }
        let from = std::ptr::with_exposed_provenance::<u8>(address);
        // SAFETY: the range was readable when the maps were read, and the linker's lock is held
        // while a library is read, so the library stays mapped. Bytes that another thread writes at
        // that moment (a slot that is being bound) may be torn; all values are checked, and slots
        // are read again as atomics.
        unsafe { std::ptr::copy_nonoverlapping(from, into.as_mut_ptr(), into.len()) };
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &[u8] = b"1000-3000 r-xp 00000000 08:01 12  /lib/a.so\n3000-4000 rw-p 00002000 08:01 12  /lib/a.so\n\
        5000-6000 ---p 00000000 00:00 0 \n6000-7000 --xp 00000000 00:00 0 /\xff\xfe\nnonsense\n";

    #[test]
    fn lines_become_regions() {
        let maps = Maps::parse(TEXT);
        assert_eq!(maps.0.len(), 4);
        assert_eq!(maps.find(0x2fff).unwrap().range, 0x1000..0x3000);
        assert_eq!(
            maps.find(0x3000).unwrap().protection,
            libc::PROT_READ | libc::PROT_WRITE
        );
        assert_eq!(maps.find(0x4000), None);
        assert_eq!(maps.find(0), None);
        assert!(maps.is_code(0x1000) && maps.is_code(0x6000) && !maps.is_code(0x3000));
    }

    #[test]
    fn a_range_is_readable_if_all_of_it_is() {
        let maps = Maps::parse(TEXT);
        assert!(maps.is_readable(0x1000..0x4000));
        assert!(!maps.is_readable(0x1000..0x4001));
        assert!(!maps.is_readable(0x5000..0x5001));
        assert!(!maps.is_readable(0x6000..0x6001));
    }

    #[test]
    fn memory_of_this_process_can_be_read() {
        let maps = Maps::of_this_process().unwrap();
        let mut copy = [0; 5];
        assert!(maps.read(b"hello".as_ptr().addr(), &mut copy));
        assert_eq!(&copy, b"hello");
        assert!(!maps.read(8, &mut copy));
        assert!(!maps.read(usize::MAX, &mut copy));
    }
}
