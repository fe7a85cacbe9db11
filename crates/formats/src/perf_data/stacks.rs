//! Mappings and call stacks.

use traceloom_trace::{StringId, TraceBuilder};

use super::maps::{Mapped, Maps};
use super::records::{Record, kind};
use super::sample::{Sample, Task};
use super::survey::Survey;
use super::symbols::Spot;
use crate::bytes::Cursor;
use crate::hex::hex;
use crate::profile::{Mapping, NONE, Named, Stacks, name_frames};
use crate::symbolizer::{CodePlaces, Symbolizer};

/// Memory limit for stacks: a base for any file, bytes, and the bytes allowed for each byte of the file.
const OF_STACKS: (usize, usize) = (12 << 20, 4);

/// How many mappings get a row of their own: 8,192 in any file, plus one for each 128 bytes of the file.
const OWN_ROWS: (usize, usize) = (1 << 13, 128);

/// Addresses from here on are marks (`PERF_CONTEXT_MAX`).
const MARKS: u64 = -4095_i64 as u64;

/// `PERF_CONTEXT_USER_DEFERRED`: a cookie follows, and the stack of the user is in a later record with the same cookie.
const DEFERRED: u64 = -640_i64 as u64;

/// How many addresses of such stacks are added to samples, because many samples can share one: a base for any file, and the
/// number for each byte of the file.
const OF_DEFERRED: (usize, usize) = (1 << 20, 4);

/// The image of the kernel.
const KERNEL: &[u8] = b"[kernel.kallsyms]";

/// The side on which code runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Side {
    Kernel,
    User,
}

impl Side {
    /// The side of a record, from the lowest bits of `misc`.
    fn of_misc(misc: u16) -> Self {
        match misc & 7 {
            1 | 4 => Self::Kernel,
            _ => Self::User,
        }
    }

    /// The side of the addresses after a mark.
    fn of_mark(mark: u64) -> Self {
        match mark as i64 {
            // PERF_CONTEXT_KERNEL and PERF_CONTEXT_GUEST_KERNEL
            -128 | -2176 => Self::Kernel,
            _ => Self::User,
        }
    }
}

/// Mappings and stacks.
#[derive(Debug)]
pub(super) struct Chains<'a> {
    pub maps: Maps<'a>,
    pub stacks: Stacks,
    /// The number of mappings that get rows of their own even if another process has an equal mapping.
    own_rows: usize,
    /// How many more addresses of stacks in later records are added.
    deferred_room: usize,
    /// Stacks of later records that were left out because of that.
    deferred_beyond: u64,
    /// The addresses of the current stack, the innermost first.
    frames: Vec<(Side, u64)>,
}

impl<'a> Chains<'a> {
    /// Creates empty tables. `bytes` is the size of the file.
    pub fn new(bytes: usize) -> Self {
        Self {
            maps: Maps::new(bytes),
            stacks: Stacks::with_room(OF_STACKS.0 + OF_STACKS.1 * bytes),
            own_rows: OWN_ROWS.0 + bytes / OWN_ROWS.1,
            deferred_room: OF_DEFERRED.0 + OF_DEFERRED.1 * bytes,
            deferred_beyond: 0,
            frames: Vec::new(),
        }
    }

    /// The number of rows that were left out to save memory.
    pub fn beyond(&self) -> u64 {
        self.stacks.beyond + self.maps.beyond + self.deferred_beyond
    }

    /// Reads `MMAP` or `MMAP2`. `None` if the record is truncated.
    pub fn map(
        &mut self,
        record: &Record<'a>,
        survey: &Survey<'a>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        /// The bit of `prot` with which simpleperf marks compiled code.
        const IS_JIT: u32 = 0x4000;
        let mut from = record.cursor(survey.order);
        let task = Task::parse(&mut from)?;
        let (start, length, offset) = (from.u64()?, from.u64()?, from.u64()?);
        let (mut build_id, mut protection) = (&b""[..], 0);
        if record.kind == kind::MMAP2 {
            build_id = own_build_id(&mut from, record.misc)?;
            protection = from.u32()?;
            from.skip(4)?;
        }
        let file = from.text()?;
        if build_id.is_empty() {
            build_id = survey.build_id_of(task.pid, file);
        }
        let mut mapped = Mapped {
            start,
            end: start.saturating_add(length),
            offset,
            file,
            row: NONE,
            is_jit: protection & IS_JIT != 0 || is_jit_cache(file),
        };
        match Side::of_misc(record.misc) {
            Side::Kernel => self.map_kernel(mapped, build_id, out),
            Side::User => {
                mapped.row = self.row(&mapped, build_id, out);
                self.maps.add_user(task.pid, mapped);
            }
        }
        Some(())
    }

    fn map_kernel(&mut self, mut mapped: Mapped<'a>, build_id: &[u8], out: &mut TraceBuilder) {
        if mapped.file == b"[bpf]" && mapped.start == 0 && mapped.end == u64::MAX {
            return;
        }
        let is_image =
            mapped.file.starts_with(KERNEL) || mapped.file.starts_with(b"[guest.kernel.kallsyms");
        if is_image {
            // The image of a guest's kernel follows the host's.
            if self.maps.has_kernel() {
                return;
            }
            // perf stores the address of a symbol in this field.
            mapped.offset = 0;
        }
        mapped.row = self.row(&mapped, build_id, out);
        if is_image {
            self.maps.add_kernel(mapped);
        } else {
            self.maps.add_module(mapped);
        }
    }

    fn row(&mut self, mapped: &Mapped<'_>, build_id: &[u8], out: &mut TraceBuilder) -> u32 {
        let mapping = Mapping {
            build_id: out.intern_unless_empty(hex(build_id).as_bytes()),
            name: out.intern(mapped.file),
            exact_offset: mapped.offset,
            start: mapped.start,
            end: mapped.end,
            ..Mapping::default()
        };
        match self.own_rows.checked_sub(1) {
            Some(left) => {
                self.own_rows = left;
                self.stacks.new_mapping(mapping)
            }
            None => self.stacks.mapping(mapping),
        }
    }

    /// Looks up the names of functions that the file does not name.
    pub fn name_frames(
        &mut self,
        symbolizer: &dyn Symbolizer,
        survey: &Survey<'_>,
        out: &mut TraceBuilder,
    ) {
        // The mapping of the image is called `[kernel.kallsyms]_text`, its build id `[kernel.kallsyms]`.
        let listed = hex(survey.build_id_of(-1, KERNEL));
        let listed = out.intern_unless_empty(listed.as_bytes());
        let code = |mapping: &Mapping, path: &str| {
            if path.as_bytes().starts_with(KERNEL) {
                let own = Some(mapping.build_id).filter(|id| *id != StringId::NULL);
                return Some((own.unwrap_or(listed), CodePlaces::Kernel));
            }
            // Other paths are compiled code, the stack or `[vdso]`.
            let is_file = path.starts_with('/') && !path.starts_with("//");
            let mapped_from = mapping.exact_offset;
            is_file.then_some((mapping.build_id, CodePlaces::FileOffsets { mapped_from }))
        };
        name_frames(&mut self.stacks, symbolizer, code, out);
    }

    /// The stack of a sample, and the number of its frames outside all mappings.
    pub fn callsite(
        &mut self,
        sample: &Sample<'a>,
        misc: u16,
        task: Task,
        survey: &Survey<'a>,
        out: &mut TraceBuilder,
    ) -> (u32, u64) {
        let mut frames = std::mem::take(&mut self.frames);
        frames.clear();
        self.collect(sample, Side::of_misc(misc), task.tid, survey, &mut frames);
        if frames.is_empty() {
            frames.extend(sample.ip.map(|ip| (Side::of_misc(misc), ip)));
        }
        let (mut callsite, mut unmapped) = (NONE, 0);
        for (depth, (side, address)) in frames.iter().enumerate().rev() {
            // Callers are return addresses; the call is the instruction before. simpleperf already stores the address
            // of the call.
            let is_return = depth > 0 && !survey.is_simpleperf;
            let address = address.saturating_sub(u64::from(is_return));
            let (frame, is_mapped) = self.frame(*side, task.pid, address, survey, out);
            unmapped += u64::from(!is_mapped);
            callsite = self.stacks.callsite(callsite, frame);
        }
        self.frames = frames;
        (callsite, unmapped)
    }

    /// Adds the addresses of a sample to `frames`. Those before the first mark are on `side`.
    fn collect(
        &mut self,
        sample: &Sample<'a>,
        mut side: Side,
        tid: i32,
        survey: &Survey<'a>,
        frames: &mut Vec<(Side, u64)>,
    ) {
        let mut chain = sample.chain();
        while let Some(address) = chain.next() {
            if address == DEFERRED {
                let cookie = chain.next().unwrap_or_default();
                self.defer(survey.deferred_stack(cookie, tid), frames);
            } else if address >= MARKS {
                side = Side::of_mark(address);
            } else {
                frames.push((side, address));
            }
        }
    }

    /// Adds a stack of the user that is in a later record.
    fn defer(&mut self, stack: impl ExactSizeIterator<Item = u64>, frames: &mut Vec<(Side, u64)>) {
        let Some(room) = self.deferred_room.checked_sub(stack.len()) else {
            self.deferred_beyond += 1;
            return;
        };
        self.deferred_room = room;
        let addresses = stack.filter(|address| *address < MARKS);
        frames.extend(addresses.map(|address| (Side::User, address)));
    }

    /// The frame at an address, and whether something is mapped there.
    fn frame(
        &mut self,
        side: Side,
        pid: i32,
        address: u64,
        survey: &Survey<'a>,
        out: &mut TraceBuilder,
    ) -> (u32, bool) {
        let mapped = match side {
            Side::Kernel => self.maps.kernel(address),
            Side::User => self.maps.user(pid, address),
        };
        let spot = Spot {
            address,
            file: mapped.map_or(b"", |mapped| mapped.file),
            start: mapped.map_or(0, |mapped| mapped.start),
            offset: mapped.map_or(0, |mapped| mapped.offset),
            is_jit: mapped.is_some_and(|mapped| mapped.is_jit),
        };
        let row = mapped.map(|mapped| mapped.row);
        let row = row.unwrap_or_else(|| self.stacks.no_file("", out));
        let named = Named {
            name: survey
                .symbols
                .name(&spot)
                .map_or(StringId::NULL, |name| out.intern(name)),
            file: StringId::NULL,
            line: None,
        };
        let rel_pc = address.wrapping_sub(spot.start).wrapping_add(spot.offset);
        (self.stacks.frame(row, rel_pc, named), mapped.is_some())
    }
}

/// The build id of `MMAP2`; empty if the record identifies the file by its inode instead.
fn own_build_id<'a>(from: &mut Cursor<'a>, misc: u16) -> Option<&'a [u8]> {
    /// `PERF_RECORD_MISC_MMAP_BUILD_ID`
    const HAS_BUILD_ID: u16 = 1 << 14;
    let place = from.take(24)?;
    if misc & HAS_BUILD_ID == 0 {
        return Some(b"");
    }
    let (size, rest) = place.split_first()?;
    let id = rest.get(3..)?;
    Some(&id[..usize::from(*size).min(id.len())])
}

/// Whether the file is one in which simpleperf stores compiled code.
fn is_jit_cache(file: &[u8]) -> bool {
    let has = |name: &str| memchr::memmem::find(file, name.as_bytes()).is_some();
    has("jit_app_cache") || has("jit_zygote_cache")
}
