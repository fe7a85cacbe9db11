//! Binary traces with many parts.

use super::kind::{Kind, joined};
use crate::method_trace::{Clock, MethodTraceBytes, Record};
use crate::ring_file::{RingBytes, RingChunk, ring_record};
use crate::trace_dat::{DatCompression, Machine, small_dat};

pub(super) const KINDS: &[Kind] = &[
    ("methods of a method trace", methods),
    ("threads of a method trace", threads),
    ("calls that never end", calls),
    ("exits without a call", exits),
    ("declarations of a streamed trace", streamed),
    ("packets of a method trace", packets),
    ("chunks of a ring file", ring_chunks),
    ("names of a ring file", ring_names),
    ("CPUs of a trace.dat", dat_cpus),
    ("event formats of a trace.dat", dat_formats),
    ("options of a trace.dat", dat_options),
    ("tasks of a trace.dat", dat_tasks),
    ("symbols of a trace.dat", dat_symbols),
    ("buffers of a trace.dat", dat_buffers),
];

fn trace(threads: usize, methods: usize, records: Vec<Record>) -> Vec<u8> {
    let trace = MethodTraceBytes {
        version: 3,
        clock: Clock::Dual,
        vm: "art",
        pid: Some(1),
        start_us: 1,
        elapsed_us: 1_000_000,
        threads: (1..=threads.min(60_000))
            .map(|tid| (tid as u16, format!("t{tid}")))
            .collect(),
        methods: (1..=methods)
            .map(|id| ((id as u32) << 2, format!("a.B{id}\tm{id}\t()V\tB.java")))
            .collect(),
        records,
    };
    trace.to_bytes()
}

fn record(tid: usize, method: usize, action: u8, at: usize) -> Record {
    Record {
        tid: tid as u16,
        method: (method as u32) << 2,
        action,
        cpu_us: at as u32,
        time_us: at as u32,
    }
}

fn methods(count: usize) -> Vec<u8> {
    trace(
        1,
        count,
        (1..=count).map(|id| record(1, id, 0, id)).collect(),
    )
}

/// Numbers of threads have 16 bits.
fn threads(count: usize) -> Vec<u8> {
    let records = (0..count).map(|nth| record(nth % 60_000 + 1, 1, 0, nth));
    trace(count, 1, records.collect())
}

fn calls(count: usize) -> Vec<u8> {
    trace(1, 1, (0..count).map(|nth| record(1, 1, 0, nth)).collect())
}

fn exits(count: usize) -> Vec<u8> {
    trace(1, 1, (0..count).map(|nth| record(1, 1, 1, nth)).collect())
}

fn streamed(count: usize) -> Vec<u8> {
    let mut out = b"SLOW\xF3\0\x20\0".to_vec();
    out.extend([0; 8]);
    out.extend([14, 0, 0, 0, 0, 0, 0, 0]);
    out.extend([0; 8]);
    out.extend([0, 0, 2, 7, 0, 4, 0]);
    out.extend(b"main");
    for nth in 0..count {
        let id = (nth as u32 + 1) << 2;
        let method = format!("{id:#x}\ta.B\tc{nth}\t()V\tB.java\n");
        out.extend([0, 0, 1, method.len() as u8, 0]);
        out.extend(method.as_bytes());
        out.extend([7, 0]);
        out.extend(id.to_le_bytes());
        out.extend((nth as u32).to_le_bytes());
        out.extend((nth as u32).to_le_bytes());
    }
    out
}

/// ART's second encoding, version 4: each packet has one call, and its own start of the times.
fn packets(count: usize) -> Vec<u8> {
    let mut out = b"SLOW\x04\0".to_vec();
    out.extend([1, 0, 0, 0, 0, 0, 0, 0].repeat(3));
    out.extend([0, 0]);
    let (name, method) = (b"main", b"a.B\tc\t()V\tB.java\n");
    out.extend([0, 7, 0, 0, 0, name.len() as u8, 0]);
    out.extend(name);
    out.extend([1, 4, 0, 0, 0, 0, 0, 0, 0, method.len() as u8, 0]);
    out.extend(method);
    for nth in 0..count {
        let payload = [4 | (nth % 2) as u8, 1];
        out.extend([2, 7, 0, 0, 0, 1, 0, 0, payload.len() as u8, 0, 0, 0]);
        out.extend(payload);
    }
    out
}

fn ring(chunks: Vec<RingChunk>, names: Vec<(u32, &'static str)>) -> Vec<u8> {
    let ring = RingBytes {
        chunk_bytes: 1024,
        state: 2,
        clock: 1,
        start: [1_000, 1_000, 1_000, 1_000],
        end: [1 << 40, 1 << 40, 1 << 40, 1 << 40],
        process: (7, "com.example.app"),
        names,
        chunks,
    };
    ring.to_bytes()
}

fn chunk(nth: usize, records: Vec<u8>) -> RingChunk {
    RingChunk {
        claim: (nth as u64 + 1, 3),
        committed: None,
        thread: (nth as u32, 0),
        base: 1_000 + nth as u64,
        owner: (nth as u32 + 10, "thread"),
        records,
    }
}

fn ring_chunks(count: usize) -> Vec<u8> {
    ring(
        (0..count)
            .map(|nth| chunk(nth, ring_record(1, 5, 1)))
            .collect(),
        vec![(1, "method")],
    )
}

fn ring_names(count: usize) -> Vec<u8> {
    let names = (0..count).map(|nth| (nth as u32 + 1, "method")).collect();
    ring(vec![chunk(0, ring_record(1, 5, 1))], names)
}

fn dat(change: impl FnOnce(&mut crate::trace_dat::DatBytes)) -> Vec<u8> {
    let mut dat = small_dat(7, Machine::USUAL, DatCompression::None);
    change(&mut dat);
    dat.to_bytes()
}

/// The further CPUs are empty.
fn dat_cpus(count: usize) -> Vec<u8> {
    dat(|dat| {
        let buffer = &mut dat.buffers[0];
        dat.align = 1;
        buffer.cpus.resize(count.min(60_000), Vec::new());
    })
}

fn dat_formats(count: usize) -> Vec<u8> {
    dat(|dat| {
        for nth in 0..count {
            let format = format!(
                "name: made_{nth}\nID: {}\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n\
                 print fmt: \"a\"\n",
                1_000 + nth
            );
            dat.more_formats.push(("made", format));
        }
    })
}

fn dat_options(count: usize) -> Vec<u8> {
    dat(|dat| {
        dat.options
            .extend((0..count).map(|nth| (500, nth.to_le_bytes().to_vec())))
    })
}

fn dat_tasks(count: usize) -> Vec<u8> {
    dat(|dat| dat.cmdlines = joined(count, |nth| format!("{} task{nth}\n", nth + 10)))
}

fn dat_symbols(count: usize) -> Vec<u8> {
    dat(|dat| dat.kallsyms = joined(count, |nth| format!("{nth:016x} T function_{nth}\n")))
}

fn dat_buffers(count: usize) -> Vec<u8> {
    dat(|dat| {
        let first = dat.buffers[0].clone();
        dat.align = 1;
        dat.buffers
            .extend((0..count).map(|nth| crate::trace_dat::DatBuffer {
                name: format!("b{nth}"),
                cpus: vec![Vec::new(); first.cpus.len()],
            }));
    })
}
