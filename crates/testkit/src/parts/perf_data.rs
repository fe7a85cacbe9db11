//! Recordings of perf with many parts.

use super::kind::Kind;
use crate::perf_data::{
    PERF_CHAIN, PERF_ID_OF_SAMPLE, PERF_IP, PERF_TID, PERF_TIME, PerfDataBytes, PerfEvent,
    PerfRecord,
};
use crate::proto::Proto;

pub(super) const KINDS: &[Kind] = &[
    ("samples of a perf.data", samples),
    ("stacks of a perf.data", stacks),
    ("events of a perf.data", events),
    ("mappings of a perf.data", mappings),
    ("processes of a perf.data that share mappings", forks),
    ("parts of a mapping of a perf.data", overlaps),
    ("threads of a perf.data", threads),
    ("files with symbols of a perf.data", files),
    ("symbols of the kernel in a perf.data", kernels),
    ("build ids of a perf.data", build_ids),
    ("rounds of a perf.data", rounds),
];

fn file(records: Vec<PerfRecord>) -> PerfDataBytes {
    PerfDataBytes {
        events: vec![PerfEvent {
            sample_type: PERF_IP | PERF_TID | PERF_TIME | PERF_CHAIN,
            ..PerfEvent::default()
        }],
        records,
        ..PerfDataBytes::default()
    }
}

fn sample(nth: usize, chain: &[u64]) -> PerfRecord {
    let sample = PerfRecord::new(9, 2).u64(&[0x1000]).u32(&[1, 1]);
    let sample = sample.u64(&[nth as u64 + 1, chain.len() as u64]);
    sample.u64(chain)
}

fn map(pid: u32, start: usize, length: u64) -> PerfRecord {
    let map = PerfRecord::new(1, 2).u32(&[pid, pid]);
    map.u64(&[start as u64, length, 0]).text("a")
}

fn samples(count: usize) -> Vec<u8> {
    // Backwards, so that all have to be moved.
    let records = (0..count).rev().map(|nth| sample(nth, &[]));
    file(records.collect()).to_bytes()
}

fn stacks(count: usize) -> Vec<u8> {
    let records = (0..count).map(|nth| sample(nth, &[nth as u64, nth as u64 / 2, 7]));
    file(records.collect()).to_bytes()
}

fn events(count: usize) -> Vec<u8> {
    let event = |nth| PerfEvent {
        config: nth as u64,
        sample_type: PERF_ID_OF_SAMPLE | PERF_TID | PERF_TIME,
        ids: vec![nth as u64 + 1],
        ..PerfEvent::default()
    };
    let types: String = (0..count).map(|nth| format!("e{nth},0,{nth}\n")).collect();
    let facts = PerfRecord::default().bytes(b"event_type_info\0");
    PerfDataBytes {
        events: (0..count).map(event).collect(),
        features: vec![(129, facts.bytes(types.as_bytes()).bytes(b"\0"))],
        ..PerfDataBytes::default()
    }
    .to_bytes()
}

fn mappings(count: usize) -> Vec<u8> {
    let records = (0..count).map(|nth| map(1, nth << 12, 1 << 12));
    file(records.collect()).to_bytes()
}

/// Each process begins with the mappings of its parent, and changes them.
fn forks(count: usize) -> Vec<u8> {
    let mut records: Vec<_> = (0..count / 2)
        .map(|nth| map(1, nth << 12, 1 << 12))
        .collect();
    for pid in 2..count as u32 / 2 {
        let fork = PerfRecord::new(7, 0).u32(&[pid, pid - 1, pid, pid - 1]);
        records.push(fork.u64(&[0]));
        records.push(map(pid, 0, 1 << 11));
    }
    file(records).to_bytes()
}

/// Mappings that cut a large one into pieces, and one that replaces all of them.
fn overlaps(count: usize) -> Vec<u8> {
    let mut records = vec![map(1, 0, 1 << 40)];
    records.extend((0..count).map(|nth| map(1, nth << 13, 1 << 12)));
    records.push(map(1, 0, 1 << 40));
    file(records).to_bytes()
}

fn threads(count: usize) -> Vec<u8> {
    let comm = |nth| {
        let comm = PerfRecord::new(3, 0).u32(&[1, nth as u32 + 1]);
        comm.text(&format!("t{nth}"))
    };
    file((0..count).map(comm).collect()).to_bytes()
}

fn with_files(count: usize, kind: i64) -> Vec<u8> {
    let message = |nth: usize| {
        let symbol = Proto::new().int(1, nth as i64).int(2, 1).text(3, "f");
        let message = Proto::new().text(1, &format!("f{nth}")).int(2, kind);
        let message = message.message(4, symbol);
        let length = message.bytes().len() as u32;
        let bytes = length.to_le_bytes().into_iter();
        bytes
            .chain(message.bytes().iter().copied())
            .collect::<Vec<_>>()
    };
    let files: Vec<_> = (0..count).flat_map(message).collect();
    PerfDataBytes {
        features: vec![(132, PerfRecord::default().bytes(&files))],
        ..file(vec![sample(1, &[5, 6])])
    }
    .to_bytes()
}

fn files(count: usize) -> Vec<u8> {
    with_files(count, 2)
}

fn kernels(count: usize) -> Vec<u8> {
    with_files(count, 0)
}

fn build_ids(count: usize) -> Vec<u8> {
    let build_id = |nth: usize| {
        let id = PerfRecord::new(67, 0).u32(&[u32::MAX]).bytes(&[7; 24]);
        id.text(&format!("f{nth}"))
    };
    file((0..count).map(build_id).collect()).to_bytes()
}

fn rounds(count: usize) -> Vec<u8> {
    let records = (0..count).map(|_| PerfRecord::new(68, 0));
    file(records.collect()).to_bytes()
}
