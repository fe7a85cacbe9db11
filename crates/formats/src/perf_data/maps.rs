//! The mappings of the kernel and of each process.

use std::collections::BTreeMap;
use std::rc::Rc;

use rustc_hash::FxHashMap;

/// A file that is mapped into memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mapped<'a> {
    pub start: u64,
    pub end: u64,
    /// The offset of the mapping's start in the file, bytes.
    pub offset: u64,
    pub file: &'a [u8],
    /// The row of the mapping in the stack tables.
    pub row: u32,
    /// Whether it holds code that was compiled while the process ran.
    pub is_jit: bool,
}

/// Regions of memory by their start: the end of each region, and the index of its mapping.
type Regions = BTreeMap<u64, (u64, u32)>;

/// All mappings.
#[derive(Debug, Default)]
pub(super) struct Maps<'a> {
    list: Vec<Mapped<'a>>,
    users: FxHashMap<i32, Rc<Regions>>,
    modules: Regions,
    kernel: Option<u32>,
    /// The number of regions that may still be copied when a process changes mappings that it shares with its parent.
    room: usize,
    /// The number of changes that were dropped because of this limit.
    pub beyond: u64,
}

impl<'a> Maps<'a> {
    /// Creates a list without mappings. `bytes` is the size of the file.
    pub fn new(bytes: usize) -> Self {
        const FREE: usize = 1 << 18;
        Self {
            room: FREE + bytes / 64,
            ..Self::default()
        }
    }

    /// Maps the image of the kernel.
    pub fn add_kernel(&mut self, mapped: Mapped<'a>) {
        self.kernel = Some(self.push(mapped));
    }

    /// Whether the image of the kernel is mapped.
    pub fn has_kernel(&self) -> bool {
        self.kernel.is_some()
    }

    /// Maps a module of the kernel.
    pub fn add_module(&mut self, mapped: Mapped<'a>) {
        let at = self.push(mapped);
        map(&mut self.modules, &mapped, at);
    }

    /// Maps a file into a process.
    pub fn add_user(&mut self, pid: i32, mapped: Mapped<'a>) {
        let at = self.push(mapped);
        let regions = self.users.entry(pid).or_default();
        if Rc::strong_count(regions) > 1 {
            match self.room.checked_sub(regions.len()) {
                Some(room) => self.room = room,
                None => {
                    self.beyond += 1;
                    return;
                }
            }
        }
        map(Rc::make_mut(regions), &mapped, at);
    }

    fn push(&mut self, mapped: Mapped<'a>) -> u32 {
        self.list.push(mapped);
        self.list.len() as u32 - 1
    }

    /// Starts a process with the mappings of its parent.
    pub fn fork(&mut self, parent: i32, pid: i32) {
        if let Some(regions) = self.users.get(&parent) {
            let regions = Rc::clone(regions);
            self.users.insert(pid, regions);
        }
    }

    /// The mapping at an address of a process.
    pub fn user(&self, pid: i32, address: u64) -> Option<&Mapped<'a>> {
        self.at(find(self.users.get(&pid)?, address)?)
    }

    /// The mapping at an address of the kernel.
    pub fn kernel(&self, address: u64) -> Option<&Mapped<'a>> {
        let module = find(&self.modules, address).and_then(|at| self.at(at));
        let kernel = || self.kernel.and_then(|at| self.at(at));
        module.or_else(|| kernel().filter(|image| (image.start..image.end).contains(&address)))
    }

    fn at(&self, at: u32) -> Option<&Mapped<'a>> {
        self.list.get(at as usize)
    }
}

fn find(regions: &Regions, address: u64) -> Option<u32> {
    let (_, (end, at)) = regions.range(..=address).next_back()?;
    (address < *end).then_some(*at)
}

/// Adds a mapping, which replaces earlier mappings in its region.
fn map(regions: &mut Regions, mapped: &Mapped<'_>, at: u32) {
    let (start, end) = (mapped.start, mapped.end);
    if start >= end {
        return;
    }
    let before = regions.range(..start).next_back();
    if let Some((&old_start, &(old_end, old))) = before.filter(|(_, (old, _))| *old > start) {
        regions.insert(old_start, (start, old));
        if old_end > end {
            regions.insert(end, (old_end, old));
        }
    }
    while let Some((&old_start, &(old_end, old))) = regions.range(start..end).next() {
        regions.remove(&old_start);
        if old_end > end {
            regions.insert(end, (old_end, old));
        }
    }
    regions.insert(start, (end, at));
}
