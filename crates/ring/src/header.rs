//! The file header.

use std::fmt;

use crate::bytes::{fixed, put_u32, put_u64, text, u32_at, u64_at};
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
    /// The clock of a recording.
    ClockSource {
        /// `CLOCK_BOOTTIME`, in nanoseconds.
        #[default]
        Boot = 0,
        /// `CLOCK_MONOTONIC`, in nanoseconds.
        Monotonic = 1,
        /// The processor's counter (`rdtsc`, `cntvct_el0`). Sync points tie it to `CLOCK_BOOTTIME`.
        Counter = 2,
    }
}

numbered! {
    /// What happens when every chunk is in use.
    Policy {
        /// The oldest chunk is overwritten.
        #[default]
        DropOldest = 0,
        /// Further events are lost.
        Stop = 1,
    }
}

numbered! {
    /// Whether the recording was stopped.
    FileState {
        /// Still recording, or the process died.
        #[default]
        Recording = 1,
        /// Stopped normally.
        Stopped = 2,
    }
}

/// The same moment on several clocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SyncPoint {
    /// The recording's clock, ticks.
    pub ticks: u64,
    /// `CLOCK_BOOTTIME`, ns.
    pub boot_ns: u64,
    /// `CLOCK_MONOTONIC`, ns.
    pub mono_ns: u64,
    /// `CLOCK_REALTIME`, ns since 1970.
    pub real_ns: u64,
}

impl SyncPoint {
    fn read(bytes: &[u8], at: usize) -> Self {
        let [ticks, boot_ns, mono_ns, real_ns] =
            [0, 8, 16, 24].map(|field| u64_at(bytes, at + field));
        Self {
            ticks,
            boot_ns,
            mono_ns,
            real_ns,
        }
    }

    fn put(&self, bytes: &mut [u8], at: usize) {
        put_u64(bytes, at, self.ticks);
        put_u64(bytes, at + 8, self.boot_ns);
        put_u64(bytes, at + 16, self.mono_ns);
        put_u64(bytes, at + 24, self.real_ns);
    }
}

/// Losses while recording.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Losses {
    /// Events lost because no chunk was free.
    pub full: u64,
    /// Events lost in signal handlers nested too deeply.
    pub nested: u64,
    /// Events lost because too many threads were alive at once.
    pub threads: u64,
    /// Chunks overwritten by newer ones.
    pub dropped_chunks: u64,
    /// Events in the overwritten chunks.
    pub dropped_events: u64,
    /// Notes (names of ids) that did not fit.
    pub notes: u64,
}

/// The file header.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileHeader {
    /// Version of the layout.
    pub version: u32,
    /// Size of a chunk including its header, bytes.
    pub chunk_bytes: u32,
    /// Number of chunks.
    pub chunk_count: u32,
    /// Number of note cells.
    pub note_cells: u32,
    /// Number of note cells handed out so far; may exceed `note_cells`.
    pub notes_used: u32,
    /// Whether the recording was stopped normally.
    pub state: FileState,
    /// Clock of the records.
    pub clock: ClockSource,
    /// What happens when the ring is full.
    pub policy: Policy,
    /// Process ID of the recording process.
    pub pid: u32,
    /// Clocks at the start.
    pub start: SyncPoint,
    /// Clocks when they were last noted; all 0 if never.
    pub end: SyncPoint,
    /// Rate of the clock as measured at the start.
    pub ticks_per_second: u64,
    /// Start of the process, in the kernel's ticks since boot (field 22 of `/proc/PID/stat`).
    pub process_start: u64,
    /// Losses so far.
    pub losses: Losses,
    /// Requested interval of stack sampling, ns; 0 if stacks were not sampled.
    pub sample_ns: u64,
    /// Number of stack samples, including the one that ends sampling.
    pub samples: u64,
    /// Calls of methods that took less than this were dropped, ns; 0 if none were.
    pub min_call_ns: u64,
    /// Process name, padded with NULs.
    pub process_name: [u8; PROCESS_NAME_BYTES],
    /// Boot id of the kernel as text, padded with NULs.
    pub boot_id: [u8; BOOT_ID_BYTES],
}

impl Default for FileHeader {
    /// The header of an empty, stopped recording on `CLOCK_BOOTTIME`.
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
            min_call_ns: 0,
            process_name: [0; PROCESS_NAME_BYTES],
            boot_id: [0; BOOT_ID_BYTES],
        }
    }
}

/// Why a file is not a ring file. Damage after the header is not an error.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum OpenError {
    /// The magic number is missing.
    NotARing,
    /// The file ends within the header, after this many bytes.
    Short(usize),
    /// The version is newer than this crate.
    Version(u32),
    /// A header field has a value that makes the rest unreadable.
    Field {
        /// Name of the field.
        field: &'static str,
        /// Offset of the field, bytes.
        at: usize,
        /// Its value.
        found: u32,
        /// The allowed values.
        expected: &'static str,
    },
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotARing => f.write_str("it does not begin like a ring file"),
            Self::Short(bytes) => write!(f, "it ends within the header, at byte {bytes}"),
            Self::Version(version) => {
                write!(
                    f,
                    "its version is {version}; the newest supported is {VERSION}"
                )
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
    /// Reads the header. An unknown state or policy reads as the default.
    ///
    /// # Errors
    ///
    /// If the file is not a ring file or has a newer version, or if its chunk size or clock is invalid.
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
        Ok(Self::read_fields(bytes, version, chunk_bytes, clock))
    }

    fn read_fields(bytes: &[u8], version: u32, chunk_bytes: u32, clock: ClockSource) -> Self {
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
            min_call_ns: long(header_at::MIN_CALL_NS),
            process_name: fixed(&bytes[header_at::PROCESS_NAME..][..PROCESS_NAME_BYTES]),
            boot_id: fixed(&bytes[header_at::BOOT_ID..][..BOOT_ID_BYTES]),
        }
    }

    /// The header as bytes.
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
            (header_at::MIN_CALL_NS, self.min_call_ns),
        ] {
            put_u64(&mut bytes, at, value);
        }
        bytes[header_at::PROCESS_NAME..][..PROCESS_NAME_BYTES].copy_from_slice(&self.process_name);
        bytes[header_at::BOOT_ID..][..BOOT_ID_BYTES].copy_from_slice(&self.boot_id);
        bytes
    }

    /// The process name without padding.
    pub fn process_name(&self) -> &[u8] {
        text(&self.process_name)
    }

    /// The boot id without padding.
    pub fn boot_id(&self) -> &[u8] {
        text(&self.boot_id)
    }
}
