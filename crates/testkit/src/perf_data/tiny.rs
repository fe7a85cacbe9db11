//! A small `perf.data`.

use super::{
    PERF_CHAIN, PERF_CPU, PERF_IDENTIFIER, PERF_IP, PERF_PERIOD, PERF_TID, PERF_TIME,
    PerfDataBytes, PerfEvent, PerfRecord,
};

/// A small recording: a process with a library and a thread, and samples of two events in the kernel and in the library.
pub fn tiny_perf_data() -> PerfDataBytes {
    const FIELDS: u64 =
        PERF_IDENTIFIER | PERF_IP | PERF_TID | PERF_TIME | PERF_CPU | PERF_PERIOD | PERF_CHAIN;
    const KERNEL: u64 = -128_i64 as u64;
    const USER: u64 = -512_i64 as u64;
    let event = |kind, config, id| PerfEvent {
        kind,
        config,
        sample_type: FIELDS,
        sample_id_all: true,
        ids: vec![id, id + 10],
        ..PerfEvent::default()
    };
    // The end of each record: thread, time, CPU, id.
    let end =
        |record: PerfRecord, ns: u64| record.u32(&[100, 101]).u64(&[ns]).u32(&[1, 0]).u64(&[7]);
    let map = |start: u64, length: u64, offset: u64, file: &str| {
        let map = PerfRecord::new(10, 2)
            .u32(&[100, 100])
            .u64(&[start, length, offset]);
        end(map.u32(&[8, 1]).u64(&[55, 0]).u32(&[5, 2]).text(file), 0)
    };
    let sample = |id: u64, ns: u64, misc: u16, chain: &[u64]| {
        let sample = PerfRecord::new(9, misc)
            .u64(&[id, chain[1]])
            .u32(&[100, 101])
            .u64(&[ns]);
        sample
            .u32(&[1, 0])
            .u64(&[250, chain.len() as u64])
            .u64(chain)
    };
    let image = PerfRecord::new(1, 1)
        .u32(&[u32::MAX, 0])
        .u64(&[0xffff_0000, 0x10000, 0xffff_0000]);
    let records = vec![
        end(image.text("[kernel.kallsyms]_text"), 0),
        end(PerfRecord::new(3, 0).u32(&[100, 100]).text("app"), 0),
        map(0x7000, 0x1000, 0x2000, "/lib/libx.so"),
        end(
            PerfRecord::new(7, 0).u32(&[100, 100, 101, 100]).u64(&[900]),
            900,
        ),
        sample(
            7,
            1000,
            1,
            &[KERNEL, 0xffff_0010, 0xffff_0020, USER, 0x7010, 0x7021],
        ),
        sample(8, 3000, 2, &[USER, 0x7010, 0x7021]),
        PerfRecord::new(68, 0),
        sample(17, 2000, 2, &[USER, 0x7020]),
        end(PerfRecord::new(2, 0).u64(&[7, 3]), 2500),
        end(PerfRecord::new(3, 0).u32(&[100, 101]).text("worker"), 950),
        end(PerfRecord::new(14, 0), 2600),
        end(
            PerfRecord::new(4, 0)
                .u32(&[100, 100, 101, 100])
                .u64(&[4000]),
            4000,
        ),
        PerfRecord::new(68, 0),
    ];
    PerfDataBytes {
        big_endian: false,
        events: vec![event(0, 0, 7), event(1, 2, 8)],
        records,
        features: vec![
            (3, PerfRecord::default().sized_text("host")),
            (
                11,
                PerfRecord::default()
                    .u32(&[2])
                    .sized_text("perf")
                    .sized_text("record"),
            ),
        ],
    }
}
