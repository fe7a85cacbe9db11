//! A `perf.data` with tracepoints.

use crate::perf_data::{
    PERF_CPU, PERF_IDENTIFIER, PERF_IP, PERF_PERIOD, PERF_TID, PERF_TIME, PerfDataBytes, PerfEvent,
    PerfRecord,
};
use crate::trace_dat::{DatBytes, DatCompression, DatEvent, Machine, small_dat_events, tiny_dat};

/// The data of a tracepoint.
const PERF_RAW: u64 = 1 << 10;

/// The events as `perf record` stores them: a sample for each. `formats` has their formats, and `pid` is the process of
/// all threads but the idle ones.
pub fn perf_tracepoints(formats: &DatBytes, events: &[DatEvent], pid: u32) -> PerfDataBytes {
    const FIELDS: u64 =
        PERF_IDENTIFIER | PERF_IP | PERF_TID | PERF_TIME | PERF_CPU | PERF_PERIOD | PERF_RAW;
    const ID: u64 = 5;
    let machine = formats.machine;
    let sample = |event: &DatEvent| {
        let mut data = event.bytes(machine);
        // The length and the data take a multiple of 8 bytes.
        data.resize((data.len() + 4).next_multiple_of(8) - 4, 0);
        let pid = if event.tid == 0 { 0 } else { pid };
        PerfRecord::new(9, 1)
            .u64(&[ID, 0])
            .u32(&[pid, event.tid])
            .u64(&[event.ts])
            .u32(&[event.cpu as u32, 0])
            .u64(&[1])
            .u32(&[data.len() as u32])
            .bytes(&data)
    };
    let tracing_data = PerfRecord::default().bytes(&formats.perf_formats());
    PerfDataBytes {
        big_endian: machine.big_endian,
        events: vec![PerfEvent {
            kind: 2,
            sample_type: FIELDS,
            sample_id_all: true,
            ids: vec![ID],
            ..PerfEvent::default()
        }],
        records: events.iter().map(sample).collect(),
        features: vec![(1, tracing_data)],
    }
}

/// The first events of [`small_dat_events`], with their formats.
pub fn tiny_perf_tracepoints() -> PerfDataBytes {
    let formats = tiny_dat(6, Machine::USUAL, DatCompression::None);
    let events = small_dat_events().into_iter();
    let events = events.filter(|event| formats.only.contains(&event.name));
    let events: Vec<_> = events.take(16).collect();
    perf_tracepoints(&formats, &events, 4711)
}
