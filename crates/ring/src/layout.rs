//! The byte layout of a ring file. Numbers are little-endian.
//!
//! ```text
//! 0         4096                 4096 + 64 * note_cells, rounded up to 4096
//! ┌─────────┬────────────────────┬─────────┬─────────┬─────────┬──
//! │ header  │ notes, 64 B each   │ chunk 0 │ chunk 1 │ chunk 2 │ … chunk_count of chunk_bytes
//! └─────────┴────────────────────┴─────────┴─────────┴─────────┴──
//! ```
//!
//! A *chunk* belongs to one thread while the thread writes to it. Threads take chunks from a shared pool as they need
//! them, so the file does not grow with the number of threads. When no chunk is free, `policy` decides: the chunk that
//! was filled first is emptied for the next thread (a flight recorder), or recording stops.
//!
//! # The file's header
//!
//! ```text
//!   at  size  field
//!    0     8  magic              "TLRING\r\n"
//!    8     4  version            2; 1 if no chunk is shared
//!   12     4  header_bytes       4096
//!   16     4  chunk_bytes        a power of two, 1 KB to 1 MB
//!   20     4  chunk_count
//!   24     4  note_cells
//!   28     4  state              1 recording, 2 stopped
//!   32     4  clock              0 CLOCK_BOOTTIME, 1 CLOCK_MONOTONIC, 2 the processor's counter
//!   36     4  policy             0 drop the oldest, 1 stop when full
//!   40     4  pid
//!   44     4  notes_used         cells handed out
//!   48     8  start_ticks        the clock at the start; three other clocks at the same moment, ns
//!   56     8  start_boot
//!   64     8  start_mono
//!   72     8  start_real
//!   80     8  end_ticks          the same four clocks when they were last noted; 0 before that
//!   88     8  end_boot
//!   96     8  end_mono
//!  104     8  end_real
//!  112     8  ticks_per_second   rate of the clock, as measured at the start
//!  120     8  process_start      start of the process, in the kernel's ticks since boot
//!  128     8  lost_full          events lost because no chunk was free
//!  136     8  lost_nested        events lost in signal handlers nested too deeply
//!  144     8  lost_threads       events lost because too many threads were alive at once
//!  152     8  dropped_chunks     chunks overwritten by newer ones
//!  160     8  dropped_events     events in the overwritten chunks
//!  168     8  lost_notes         notes that did not fit
//!  176     8  sample_ns          requested interval of stack sampling; 0 if stacks were not sampled
//!  184     8  samples            stack samples taken, including the one that ends sampling
//!  192    64  process_name       padded with NULs
//!  256    40  boot_id            of the kernel, as text
//!  296     8  min_call_ns        shorter calls were dropped; 0 if none were
//! ```
//!
//! # A chunk
//!
//! ```text
//!   at  size  field
//!    0     8  claim              (number of the claim << 2) | 0 free, 1 opening, 2 open, 3 closed
//!    8     4  committed          bytes of complete records after the header
//!   12     4  thread             number of the thread; unlike a tid, it is never reused
//!   16     8  base               the clock when the chunk was opened; the first record counts from it
//!   24     8  sync_ns            CLOCK_BOOTTIME at the same moment; 0 if it was not read
//!   32     4  sync_width         largest possible distance between the two readings, ticks
//!   36     4  pid
//!   40     4  tid
//!   44     4  order              (shared << 31) | (nesting << 24) | number of the chunk among those of its thread
//!   48    16  name               of the thread, padded with NULs
//!   64        records
//! ```
//!
//! A signal handler may interrupt a thread in the middle of a record. The handler's events then go to a separate chunk
//! with a nesting above 0.
//!
//! When a thread ends, the rest of its chunk may go to a new thread. The chunk is then *shared*: a record of kind 18
//! ends the part of the first thread. Its text is the chunk header of the next part, whose `committed` has no meaning.
//! Such a part is always the first one of its thread, and the last one of the thread before it.
//!
//! A `tid` of 2^30 or more is not a kernel tid; those end at 2^22. Such a chunk holds the calls that a stack sampler
//! saw on a thread, and its `tid` is 2^30 plus the virtual machine's number of the thread.
//!
//! # A record
//!
//! ```text
//!  63                  32 31              5 4    0
//! ┌──────────────────────┬─────────────────┬──────┐  Depending on the kind, a word with a value follows,
//! │ argument             │ ticks since the │ kind │  and text, padded with zeros to a whole word.
//! │ (id, bytes of text)  │ previous record │      │
//! └──────────────────────┴─────────────────┴──────┘
//! ```
//!
//! | kind | | argument | word | text |
//! |---|---|---|---|---|
//! | 1 | time | | the clock | |
//! | 2, 3 | section begins, ends | id, 0 | | |
//! | 4, 5 | method entered, left | id | | |
//! | 6, 7 | the same with the thread's CPU time | id | ns | |
//! | 8 | counter | id | value | |
//! | 9 | instant | id | | |
//! | 10, 11 | async begins, ends | id | cookie | |
//! | 12 | section begins | bytes | | name |
//! | 13 | counter | bytes | value | name |
//! | 14 | instant | bytes | | name |
//! | 15, 16 | async begins, ends | bytes | cookie | name |
//! | 17 | mark: what a program wrote to `trace_marker` | bytes, and two bits | | the payload |
//! | 18 | the next records are another thread's | 64 | | a chunk header |
//!
//! Bit 31 of a mark's argument means that the payload continues in the thread's next mark. Bit 30 means that it began
//! in an earlier mark.
//!
//! # Crash safety
//!
//! A record counts once `committed` covers it; `committed` is stored after the record. A chunk is emptied in four
//! steps: `claim` becomes *opening*, the events are counted as dropped and `committed` becomes 0, the other fields are
//! set, `claim` becomes *open*. If the process is killed between these steps, the *opening* chunk is either empty, or
//! still has its header and all its records. If it is killed while it writes a record, that record is beyond
//! `committed`. A thread that continues a closed chunk makes it *open* at once.

/// The first bytes of every ring file. A copy in text mode would change the line end.
pub const MAGIC: &[u8; 8] = b"TLRING\r\n";

/// The version that this crate writes, and the newest that it reads.
pub const VERSION: u32 = 2;

/// Size of the file header, bytes. Notes and chunks begin at multiples of it.
pub const HEADER_BYTES: usize = 4096;

/// Size of a note cell, bytes.
pub const NOTE_BYTES: usize = 64;

/// Size of a chunk header, bytes.
pub const CHUNK_HEADER_BYTES: usize = 64;

/// Size of the smallest chunk, bytes.
pub const MIN_CHUNK_BYTES: usize = 1 << 10;

/// Size of the largest chunk, bytes.
pub const MAX_CHUNK_BYTES: usize = 1 << 20;

/// Size of a thread name, bytes: the kernel keeps 15 and a NUL.
pub const THREAD_NAME_BYTES: usize = 16;

/// The first `tid` that is not a kernel tid: see the drawing of a chunk.
pub const SAMPLED_TID: u32 = 1 << 30;

/// Number of bits for the time since the previous record.
pub(crate) const DELTA_BITS: u32 = 27;

/// Number of bits for the kind of a record.
pub(crate) const KIND_BITS: u32 = 5;

/// In a mark's argument: the payload continues in the thread's next mark.
pub const MARK_GOES_ON: u32 = 1 << 31;

/// In a mark's argument: the payload began in an earlier mark.
pub const MARK_CONTINUES: u32 = 1 << 30;

/// In a chunk's `order`: other threads continued the chunk.
pub const SHARED: u32 = 1 << 31;

/// Offsets of the fields in the file header, bytes.
pub mod header_at {
    #![allow(missing_docs)]
    pub const VERSION: usize = 8;
    pub const HEADER_BYTES: usize = 12;
    pub const CHUNK_BYTES: usize = 16;
    pub const CHUNK_COUNT: usize = 20;
    pub const NOTE_CELLS: usize = 24;
    pub const STATE: usize = 28;
    pub const CLOCK: usize = 32;
    pub const POLICY: usize = 36;
    pub const PID: usize = 40;
    pub const NOTES_USED: usize = 44;
    pub const START_TICKS: usize = 48;
    pub const START_BOOT: usize = 56;
    pub const START_MONO: usize = 64;
    pub const START_REAL: usize = 72;
    pub const END_TICKS: usize = 80;
    pub const END_BOOT: usize = 88;
    pub const END_MONO: usize = 96;
    pub const END_REAL: usize = 104;
    pub const TICKS_PER_SECOND: usize = 112;
    pub const PROCESS_START: usize = 120;
    pub const LOST_FULL: usize = 128;
    pub const LOST_NESTED: usize = 136;
    pub const LOST_THREADS: usize = 144;
    pub const DROPPED_CHUNKS: usize = 152;
    pub const DROPPED_EVENTS: usize = 160;
    pub const LOST_NOTES: usize = 168;
    pub const SAMPLE_NS: usize = 176;
    pub const SAMPLES: usize = 184;
    pub const PROCESS_NAME: usize = 192;
    pub const BOOT_ID: usize = 256;
    pub const MIN_CALL_NS: usize = 296;
}

/// Size of the process name in the file header, bytes.
pub const PROCESS_NAME_BYTES: usize = 64;

/// Size of the boot id in the file header, bytes.
pub const BOOT_ID_BYTES: usize = 40;

/// Offsets of the fields in a chunk header, bytes.
pub mod chunk_at {
    #![allow(missing_docs)]
    pub const CLAIM: usize = 0;
    pub const COMMITTED: usize = 8;
    pub const THREAD: usize = 12;
    pub const BASE: usize = 16;
    pub const SYNC_NS: usize = 24;
    pub const SYNC_WIDTH: usize = 32;
    pub const PID: usize = 36;
    pub const TID: usize = 40;
    pub const ORDER: usize = 44;
    pub const NAME: usize = 48;
}

/// Offset of the first chunk in a file with `note_cells` notes, bytes.
pub const fn chunks_at(note_cells: u32) -> usize {
    let end = HEADER_BYTES as u64 + note_cells as u64 * NOTE_BYTES as u64;
    let at = end.next_multiple_of(HEADER_BYTES as u64);
    // A 32-bit machine cannot hold such a file.
    if at > usize::MAX as u64 {
        usize::MAX
    } else {
        at as usize
    }
}

#[cfg(test)]
mod tests {
    use super::{chunk_at, header_at, *};

    /// `(at, size, field)` of each line of the drawing under the heading.
    fn drawn(heading: &str) -> Vec<(usize, usize, String)> {
        let source = include_str!("layout.rs");
        let part = source.split(heading).nth(1).expect("the heading is there");
        let part = part.split("```").nth(1).expect("a drawing follows");
        let line = |line: &str| {
            let mut words = line.trim_start_matches("//!").split_whitespace();
            let at = words.next()?.parse().ok()?;
            let size = words.next()?;
            let size_and_field = size.parse().map(|size| (size, words.next()));
            let (size, field) = size_and_field.unwrap_or((0, Some(size)));
            Some((at, size, field?.to_owned()))
        };
        part.lines().filter_map(line).collect()
    }

    #[test]
    fn the_drawing_of_the_header_matches_the_code() {
        use header_at::*;
        let constants = [
            0,
            VERSION,
            super::header_at::HEADER_BYTES,
            CHUNK_BYTES,
            CHUNK_COUNT,
            NOTE_CELLS,
            STATE,
            CLOCK,
            POLICY,
            PID,
            NOTES_USED,
            START_TICKS,
            START_BOOT,
            START_MONO,
            START_REAL,
            END_TICKS,
            END_BOOT,
            END_MONO,
            END_REAL,
            TICKS_PER_SECOND,
            PROCESS_START,
            LOST_FULL,
            LOST_NESTED,
            LOST_THREADS,
            DROPPED_CHUNKS,
            DROPPED_EVENTS,
            LOST_NOTES,
            SAMPLE_NS,
            SAMPLES,
            PROCESS_NAME,
            BOOT_ID,
            MIN_CALL_NS,
        ];
        let drawn = drawn("# The file's header");
        let at: Vec<usize> = drawn.iter().map(|field| field.0).collect();
        assert_eq!(at, constants);
        for pair in drawn.windows(2) {
            assert!(pair[0].0 + pair[0].1 <= pair[1].0, "{} overlaps", pair[0].2);
        }
        let sizes: Vec<usize> = drawn[drawn.len() - 3..drawn.len() - 1]
            .iter()
            .map(|field| field.1)
            .collect();
        assert_eq!(sizes, [PROCESS_NAME_BYTES, BOOT_ID_BYTES]);
    }

    #[test]
    fn the_drawing_of_a_chunk_matches_the_code() {
        use chunk_at::*;
        let constants = [
            CLAIM,
            COMMITTED,
            THREAD,
            BASE,
            SYNC_NS,
            SYNC_WIDTH,
            PID,
            TID,
            ORDER,
            NAME,
            CHUNK_HEADER_BYTES,
        ];
        let drawn = drawn("# A chunk");
        let at: Vec<usize> = drawn.iter().map(|field| field.0).collect();
        assert_eq!(at, constants);
        for pair in drawn.windows(2) {
            assert_eq!(
                pair[0].0 + pair[0].1,
                pair[1].0,
                "{} has another size",
                pair[0].2
            );
        }
    }
}
