//! The file's header.

use std::fmt;

use crate::bytes::{fixed, put_u32, put_u64, text, u32_at, u64_at};
use crate::clock::SyncPoint;
use crate::layout::{
    BOOT_ID_BYTES, HEADER_BYTES, MAGIC, MAX_CHUNK_BYTES, MIN_CHUNK_BYTES, PROCESS_NAME_BYTES,
    VERSION, header_at,
};

macro_rules! numbered {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $number:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
        #[repr(u32)]
        pub enum $name {
            $($(#[$variant_doc])* $variant = $number,)*
        }

        impl $name {
            pub(crate) fn from_number(number: u32) -> Option<Self> {
                match number {
                    $($number => Some(Self::$variant),)*
                    _ => None,
                }
            }
        }
    };
}

numbered! {
    /// What the times of records count.
    ClockSource {
        /// Nanoseconds of `CLOCK_BOOTTIME`.
        #[default]
        Boot = 0,
        /// Nanoseconds of `CLOCK_MONOTONIC`.
        Monotonic = 1,
        /// The processor's counter (`rdtsc`, `cntvct_el0`); sync points tie it to `CLOCK_BOOTTIME`.
        Counter = 2,
    }
}

numbered! {
    /// What happens when every chunk is used.
    Policy {
        /// The oldest gives way.
        #[default]
        DropOldest = 0,
        /// Later events are lost.
        Stop = 1,
    }
}

numbered! {
    /// Whether somebody writes to the file.
    FileState {
        /// It is written to, or its process died.
        #[default]
        Recording = 1,
        /// It was ended in order.
        Stopped = 2,
    }
}

/// What the recorder lost, and where.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Losses {
    /// Events lost because no chunk was free.
    pub full: u64,
    /// Events lost in signal handlers nested too deeply.
    pub nested: u64,
    /// Events lost because too many threads lived at once.
    pub threads: u64,
    /// Chunks emptied for newer ones.
    pub dropped_chunks: u64,
    /// Events in them.
    pub dropped_events: u64,
    /// Notes (names of ids) that found no room.
    pub notes: u64,
}

/// What the header says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileHeader {
    /// The version of the layout.
    pub version: u32,
    /// Bytes of a chunk, its header included.
    pub chunk_bytes: u32,
    /// How many chunks there are.
    pub chunk_count: u32,
    /// How many notes fit.
    pub note_cells: u32,
    /// Cells handed out so far; may be more than there are.
    pub notes_used: u32,
    /// Whether it was ended in order.
    pub state: FileState,
    /// The clock of the records.
    pub clock: ClockSource,
    /// What happens when it is full.
    pub policy: Policy,
    /// The process that recorded itself.
    pub pid: u32,
    /// The clocks at the start.
    pub start: SyncPoint,
    /// The clocks as late as they were noted; all 0 where they were not.
    pub end: SyncPoint,
    /// How fast the clock counts, as it was known at the start.
    pub ticks_per_second: u64,
    /// When the process began, in the kernel's ticks since boot (field 22 of `/proc/PID/stat`).
    pub process_start: u64,
    /// What was lost.
    pub losses: Losses,
    /// How often stacks were to be sampled, ns; 0 where they were not.
    pub sample_ns: u64,
    /// How many samples were taken, the end of sampling included.
    pub samples: u64,
    /// The process's name, NULs behind it.
    pub process_name: [u8; PROCESS_NAME_BYTES],
    /// The kernel's boot id, as text, NULs behind it.
    pub boot_id: [u8; BOOT_ID_BYTES],
}

impl Default for FileHeader {
    /// An empty file on `CLOCK_BOOTTIME` that was ended in order.
    fn default() -> Self {
        Self {
            version: VERSION,
            chunk_bytes: 8 << 10,
            chunk_count: 0,
            note_cells: 0,
            notes_used: 0,
            state: FileState::Stopped,
            clock: ClockSource::Boot,
            policy: Policy::DropOldest,
            pid: 0,
            start: SyncPoint::default(),
            end: SyncPoint::default(),
            ticks_per_second: 1_000_000_000,
            process_start: 0,
            losses: Losses::default(),
            sample_ns: 0,
            samples: 0,
            process_name: [0; PROCESS_NAME_BYTES],
            boot_id: [0; BOOT_ID_BYTES],
        }
    }
}

/// Why bytes are no ring file. What is broken behind its header is no error.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum OpenError {
    /// They don't begin as one.
    NotARing,
    /// They end within the header, after so many bytes.
    Short(usize),
    /// A version from later days.
    Version(u32),
    /// A field of the header that nothing can be read with.
    Field {
        /// Its name.
        field: &'static str,
        /// Where it stands, bytes.
        at: usize,
        /// Its value.
        found: u32,
        /// What it may be.
        expected: &'static str,
    },
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotARing => f.write_str("it does not begin as a ring file does"),
            Self::Short(bytes) => write!(f, "it ends within the header, at byte {bytes}"),
            Self::Version(version) => {
                write!(f, "its version is {version}; the newest known is {VERSION}")
            }
            Self::Field {
                field,
                at,
                found,
                expected,
            } => write!(f, "{field} is {found} at byte {at}; expected {expected}"),
        }
    }
}

impl std::error::Error for OpenError {}

impl FileHeader {
    /// Reads the header. Unknown clocks are errors; an unknown state or policy reads as the usual.
    ///
    /// # Errors
    /// If nothing behind it could be read.
    pub fn read(bytes: &[u8]) -> Result<Self, OpenError> {
        if !bytes.starts_with(MAGIC) {
            return Err(OpenError::NotARing);
        }
        if bytes.len() < HEADER_BYTES {
            return Err(OpenError::Short(bytes.len()));
        }
        let version = u32_at(bytes, header_at::VERSION);
        if version == 0 || version > VERSION {
            return Err(OpenError::Version(version));
        }
        let header_bytes = u32_at(bytes, header_at::HEADER_BYTES);
        let field = |field, at, expected| OpenError::Field {
            field,
            at,
            found: u32_at(bytes, at),
            expected,
        };
        if header_bytes as usize != HEADER_BYTES {
            return Err(field("header_bytes", header_at::HEADER_BYTES, "4096"));
        }
        let chunk_bytes = u32_at(bytes, header_at::CHUNK_BYTES);
        let sizes = MIN_CHUNK_BYTES..=MAX_CHUNK_BYTES;
        if !chunk_bytes.is_power_of_two() || !sizes.contains(&(chunk_bytes as usize)) {
            let expected = "a power of two from 1024 to 1048576";
            return Err(field("chunk_bytes", header_at::CHUNK_BYTES, expected));
        }
        let clock = ClockSource::from_number(u32_at(bytes, header_at::CLOCK))
            .ok_or_else(|| field("clock", header_at::CLOCK, "0 to 2"))?;
        Ok(Self::with(bytes, version, chunk_bytes, clock))
    }

    fn with(bytes: &[u8], version: u32, chunk_bytes: u32, clock: ClockSource) -> Self {
        let number = |at| u32_at(bytes, at);
        let long = |at| u64_at(bytes, at);
        Self {
            version,
            chunk_bytes,
            chunk_count: number(header_at::CHUNK_COUNT),
            note_cells: number(header_at::NOTE_CELLS),
            notes_used: number(header_at::NOTES_USED),
            state: FileState::from_number(number(header_at::STATE)).unwrap_or_default(),
            clock,
            policy: Policy::from_number(number(header_at::POLICY)).unwrap_or_default(),
            pid: number(header_at::PID),
            start: SyncPoint::read(bytes, header_at::START_TICKS),
            end: SyncPoint::read(bytes, header_at::END_TICKS),
            ticks_per_second: long(header_at::TICKS_PER_SECOND),
            process_start: long(header_at::PROCESS_START),
            losses: Losses {
                full: long(header_at::LOST_FULL),
                nested: long(header_at::LOST_NESTED),
                threads: long(header_at::LOST_THREADS),
                dropped_chunks: long(header_at::DROPPED_CHUNKS),
                dropped_events: long(header_at::DROPPED_EVENTS),
                notes: long(header_at::LOST_NOTES),
            },
            sample_ns: long(header_at::SAMPLE_NS),
            samples: long(header_at::SAMPLES),
            process_name: fixed(&bytes[header_at::PROCESS_NAME..][..PROCESS_NAME_BYTES]),
            boot_id: fixed(&bytes[header_at::BOOT_ID..][..BOOT_ID_BYTES]),
        }
    }

    /// The header's bytes.
    pub fn to_bytes(&self) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        bytes[..MAGIC.len()].copy_from_slice(MAGIC);
        for (at, value) in [
            (header_at::VERSION, self.version),
            (header_at::HEADER_BYTES, HEADER_BYTES as u32),
            (header_at::CHUNK_BYTES, self.chunk_bytes),
            (header_at::CHUNK_COUNT, self.chunk_count),
            (header_at::NOTE_CELLS, self.note_cells),
            (header_at::STATE, self.state as u32),
            (header_at::CLOCK, self.clock as u32),
            (header_at::POLICY, self.policy as u32),
            (header_at::PID, self.pid),
            (header_at::NOTES_USED, self.notes_used),
        ] {
            put_u32(&mut bytes, at, value);
        }
        self.start.put(&mut bytes, header_at::START_TICKS);
        self.end.put(&mut bytes, header_at::END_TICKS);
        for (at, value) in [
            (header_at::TICKS_PER_SECOND, self.ticks_per_second),
            (header_at::PROCESS_START, self.process_start),
            (header_at::LOST_FULL, self.losses.full),
            (header_at::LOST_NESTED, self.losses.nested),
            (header_at::LOST_THREADS, self.losses.threads),
            (header_at::DROPPED_CHUNKS, self.losses.dropped_chunks),
            (header_at::DROPPED_EVENTS, self.losses.dropped_events),
            (header_at::LOST_NOTES, self.losses.notes),
            (header_at::SAMPLE_NS, self.sample_ns),
            (header_at::SAMPLES, self.samples),
        ] {
            put_u64(&mut bytes, at, value);
        }
        bytes[header_at::PROCESS_NAME..][..PROCESS_NAME_BYTES].copy_from_slice(&self.process_name);
        bytes[header_at::BOOT_ID..][..BOOT_ID_BYTES].copy_from_slice(&self.boot_id);
        bytes
    }

    /// The process's name without what fills it up.
    pub fn process_name(&self) -> &[u8] {
        text(&self.process_name)
    }

    /// The boot id without what fills it up.
    pub fn boot_id(&self) -> &[u8] {
        text(&self.boot_id)
    }
}
