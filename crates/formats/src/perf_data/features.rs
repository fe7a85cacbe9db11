//! The features of a file: facts about the machine, the recording and its events.
//!
//! Sources: `perf.data-file-format.txt` and `util/header.c` of perf; `record_file_format.h` of simpleperf.

use crate::bytes::{Cursor, until_nul};

/// The numbers of features.
pub(super) mod feature {
    pub const TRACING_DATA: u8 = 1;
    pub const BUILD_ID: u8 = 2;
    pub const HOSTNAME: u8 = 3;
    pub const OS_RELEASE: u8 = 4;
    pub const VERSION: u8 = 5;
    pub const ARCH: u8 = 6;
    pub const CPUS: u8 = 7;
    pub const CPU_DESCRIPTION: u8 = 8;
    pub const CPU_ID: u8 = 9;
    pub const MEMORY: u8 = 10;
    pub const COMMAND: u8 = 11;
    pub const EVENTS: u8 = 12;
    /// The recording is a folder with further files.
    pub const DIR_FORMAT: u8 = 24;
    pub const CLOCK_DATA: u8 = 29;
    /// Features from here on are simpleperf's.
    pub const FILES: u8 = 128;
    pub const META_INFO: u8 = 129;
    pub const FILES_2: u8 = 132;
}

/// The words of a command line.
pub(super) fn command(mut from: Cursor<'_>) -> Vec<&[u8]> {
    let count = from.u32().unwrap_or(0);
    let words = (0..count).map_while(|_| from.sized_text());
    words.collect()
}

/// The number of available CPUs and of those in use.
pub(super) fn cpus(mut from: Cursor<'_>) -> Option<(u32, u32)> {
    Some((from.u32()?, from.u32()?))
}

/// An event: its ids, and its name.
pub(super) struct Described<'a> {
    pub ids: Vec<u64>,
    pub name: &'a [u8],
}

/// The descriptions of events, up to the first invalid one.
pub(super) fn events(mut from: Cursor<'_>) -> Vec<Described<'_>> {
    let count = from.u32().unwrap_or(0);
    let attr_size = from.u32().unwrap_or(0);
    let mut event = || {
        from.skip(attr_size.into())?;
        let ids = from.u32()?;
        let name = from.sized_text()?;
        let ids = (0..ids).map_while(|_| from.u64()).collect();
        Some(Described { ids, name })
    };
    (0..count).map_while(|_| event()).collect()
}

/// The build id of a file.
pub(super) struct BuildId<'a> {
    /// The process; -1 means all.
    pub pid: i32,
    pub id: &'a [u8],
    pub file: &'a [u8],
}

impl<'a> BuildId<'a> {
    /// Parses the payload of a record. `misc` is the record's field of that name.
    pub fn parse(mut from: Cursor<'a>, misc: u16) -> Option<Self> {
        /// `PERF_RECORD_MISC_BUILD_ID_SIZE`: the length of the id follows it.
        const HAS_SIZE: u16 = 1 << 15;
        let pid = from.i32()?;
        let id = from.take(20)?;
        let size = usize::from(*from.take(4)?.first()?);
        let size = if misc & HAS_SIZE != 0 {
            size.min(id.len())
        } else {
            guessed_size(id)
        };
        Some(Self {
            pid,
            id: &id[..size],
            file: until_nul(from.rest()),
        })
    }
}

/// The length of a build id without a stated length. Recorders pad such ids with zeros. Usual lengths are 20, 16 and 8
/// bytes.
fn guessed_size(id: &[u8]) -> usize {
    let used = id.iter().rposition(|byte| *byte != 0);
    match used.map_or(0, |last| last + 1) {
        17.. => 20,
        9..=16 => 16,
        _ => 8,
    }
}

/// simpleperf's facts: keys and values.
pub(super) fn meta_info(bytes: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    let mut texts = bytes.split(|byte| *byte == 0);
    std::iter::from_fn(move || Some((texts.next().filter(|key| !key.is_empty())?, texts.next()?)))
}

/// simpleperf's list of events. Each line has the name, type and configuration of one event.
pub(super) fn event_types(list: &[u8]) -> impl Iterator<Item = (&[u8], (u32, u64))> {
    let lines = list.split(|byte| *byte == b'\n');
    lines.filter_map(|line| {
        let mut words = line.rsplitn(3, |byte| *byte == b',');
        let mut number = || {
            std::str::from_utf8(words.next()?)
                .ok()?
                .trim()
                .parse::<u64>()
                .ok()
        };
        let (config, kind) = (number()?, number()?);
        Some((words.next()?, (u32::try_from(kind).ok()?, config)))
    })
}

/// The same moment on two clocks.
pub(super) struct ClockData {
    /// The number of the samples' clock, as in `<time.h>`.
    pub clock: u32,
    /// The time of day, ns since 1970.
    pub wall_ns: u64,
    pub clock_ns: u64,
}

impl ClockData {
    pub fn parse(mut from: Cursor<'_>) -> Option<Self> {
        from.u32()?;
        Some(Self {
            clock: from.u32()?,
            wall_ns: from.u64()?,
            clock_ns: from.u64()?,
        })
    }
}
