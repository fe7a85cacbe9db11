//! An assembler for ring files, from the description of their layout.

/// A ring file with its chunks.
#[derive(Clone, Debug)]
pub struct RingBytes {
    /// Size of a chunk, bytes.
    pub chunk_bytes: u32,
    /// 1 for recording, 2 for stopped.
    pub state: u32,
    /// 0 boot time, 1 monotonic, 2 the processor's counter.
    pub clock: u32,
    /// Clock, boot time, monotonic and real time at the start.
    pub start: [u64; 4],
    /// The same clocks at the end.
    pub end: [u64; 4],
    /// The process's number and name.
    pub process: (u32, &'static str),
    /// Names of ids, at most 56 bytes each.
    pub names: Vec<(u32, &'static str)>,
    /// The chunks in the order of the file.
    pub chunks: Vec<RingChunk>,
}

/// A chunk with its records.
#[derive(Clone, Debug)]
pub struct RingChunk {
    /// Number of the claim, and 0 free, 1 opening, 2 open, 3 closed.
    pub claim: (u64, u64),
    /// Number of committed bytes; `None` for all.
    pub committed: Option<u32>,
    /// The thread in this file, and the number of its chunk.
    pub thread: (u32, u32),
    /// The clock when it was opened.
    pub base: u64,
    /// The thread's number and name.
    pub owner: (u32, &'static str),
    /// The records.
    pub records: Vec<u8>,
}

/// A record: kind, ticks since the previous record, argument.
pub fn ring_record(kind: u8, delta: u32, argument: u32) -> Vec<u8> {
    let first = u32::from(kind) | delta << 5;
    [first.to_le_bytes(), argument.to_le_bytes()].concat()
}

/// A record with a value.
fn ring_value(kind: u8, delta: u32, argument: u32, value: i64) -> Vec<u8> {
    [
        &ring_record(kind, delta, argument)[..],
        &value.to_le_bytes(),
    ]
    .concat()
}

/// A record with text: `flags` are bits 30 and 31 of a mark's argument.
pub fn ring_text(kind: u8, delta: u32, flags: u32, value: Option<i64>, text: &str) -> Vec<u8> {
    let argument = text.len() as u32 | flags;
    let mut record = match value {
        Some(value) => ring_value(kind, delta, argument, value),
        None => ring_record(kind, delta, argument),
    };
    record.extend(text.as_bytes());
    while record.len() % 8 != 0 {
        record.push(0);
    }
    record
}

impl RingBytes {
    /// The bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = vec![0; 4096];
        let put = |out: &mut Vec<u8>, at: usize, bytes: &[u8]| {
            out[at..at + bytes.len()].copy_from_slice(bytes);
        };
        put(&mut out, 0, b"TLRING\r\n");
        for (at, value) in [
            (8, 1),
            (12, 4096),
            (16, self.chunk_bytes),
            (20, self.chunks.len() as u32),
            (24, self.names.len() as u32),
            (28, self.state),
            (32, self.clock),
            (40, self.process.0),
            (44, self.names.len() as u32),
        ] {
            put(&mut out, at, &value.to_le_bytes());
        }
        for (index, value) in self.start.iter().chain(&self.end).enumerate() {
            put(&mut out, 48 + index * 8, &value.to_le_bytes());
        }
        put(&mut out, 112, &1_000_000_000u64.to_le_bytes());
        put(&mut out, 192, self.process.1.as_bytes());
        for (id, name) in &self.names {
            let at = out.len();
            out.resize(at + 64, 0);
            put(&mut out, at, &[1, 0]);
            put(&mut out, at + 2, &(name.len() as u16).to_le_bytes());
            put(&mut out, at + 4, &id.to_le_bytes());
            put(&mut out, at + 8, name.as_bytes());
        }
        out.resize(out.len().next_multiple_of(4096), 0);
        for chunk in &self.chunks {
            self.chunk(chunk, &mut out);
        }
        out
    }

    fn chunk(&self, chunk: &RingChunk, out: &mut Vec<u8>) {
        let end = out.len() + self.chunk_bytes as usize;
        let (number, state) = chunk.claim;
        out.extend((number << 2 | state).to_le_bytes());
        let committed = chunk.committed.unwrap_or(chunk.records.len() as u32);
        out.extend(committed.to_le_bytes());
        out.extend(chunk.thread.0.to_le_bytes());
        out.extend(chunk.base.to_le_bytes());
        out.extend([0; 12]); // no sync point: time and width are 0
        out.extend(self.process.0.to_le_bytes());
        out.extend(chunk.owner.0.to_le_bytes());
        out.extend(chunk.thread.1.to_le_bytes());
        let mut name = chunk.owner.1.as_bytes().to_vec();
        name.resize(16, 0);
        out.extend(name);
        out.extend(&chunk.records);
        out.resize(end, 0);
    }
}

/// Two threads with one record of every kind, a payload that spans two chunks, and a chunk whose process was killed while
/// opening it.
pub fn tiny_ring() -> RingBytes {
    let main = (4711, "main");
    let every = [
        ring_record(2, 10, 7),                 // section 7 begins at 1,010
        ring_record(4, 5, 1),                  // method 1
        ring_value(6, 5, 2, 500),              // method 2, CPU time 500
        ring_value(7, 30, 2, 520),             // its end
        ring_record(5, 5, 1),                  // the end of method 1
        ring_record(3, 5, 0),                  // the end of section 7 at 1,060
        ring_value(8, 1, 9, -3),               // counter 9
        ring_record(9, 1, 8),                  // instant 8
        ring_value(10, 1, 8, 77),              // async 8
        ring_value(11, 1, 8, 77),              // its end
        ring_value(1, 0, 0, 500_000_000),      // the clock
        ring_text(12, 0, 0, None, "draw"),     // a section by name
        ring_text(13, 1, 0, Some(5), "queue"), // a counter by name
        ring_text(14, 1, 0, None, "tap"),      // an instant by name
        ring_text(15, 1, 0, Some(1), "load"),  // async by name
        ring_text(16, 1, 0, Some(1), "load"),  // its end
        ring_record(3, 1, 0),                  // the end of the section
        ring_text(17, 1, 0, None, "C|4711|from libcutils|6"), // a mark
        ring_text(17, 1, 1 << 31, None, "B|4711|a long na"), // a mark that continues in the next chunk
    ];
    let rest = [
        ring_text(17, 0, 1 << 30, None, "me"),
        ring_text(17, 9, 0, None, "E|4711"),
    ];
    let worker = [
        ring_record(2, 1, 7),
        ring_record(3, 20, 0),
        ring_record(2, 1, 6),
    ];
    let chunk = |claim, thread, base, owner, records: &[Vec<u8>]| RingChunk {
        claim,
        committed: None,
        thread,
        base,
        owner,
        records: records.concat(),
    };
    let mut torn = chunk((3, 2), (2, 0), 1_020, (4712, "worker"), &worker);
    torn.committed = Some(16); // killed before the last record was committed
    RingBytes {
        chunk_bytes: 1024,
        state: 1,
        clock: 0,
        start: [1_000, 1_000, 900, 1_700_000_000_000_001_000],
        end: [0; 4],
        process: (4711, "com.example.app"),
        names: vec![(7, "decode"), (1, "a.B run ()V"), (9, "fps")],
        chunks: vec![
            chunk((4, 3), (1, 1), 600_000_000, main, &rest),
            torn,
            chunk((1, 3), (1, 0), 1_000, main, &every),
            chunk((5, 1), (1, 2), 0, main, &[]),
        ],
    }
}
