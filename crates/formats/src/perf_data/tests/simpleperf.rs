use testkit::{
    PERF_CHAIN, PERF_IP, PERF_TID, PERF_TIME, PerfDataBytes, PerfEvent, PerfRecord, Proto,
};

use super::{read, repairs, stacks};

fn simpleperf(features: Vec<(u8, PerfRecord)>) -> PerfDataBytes {
    let map = PerfRecord::new(1, 2)
        .u32(&[1, 1])
        .u64(&[0x7000, 0x1000, 0x2000]);
    let chain = [0x7010, 0x7044];
    let sample = PerfRecord::new(9, 2)
        .u64(&[0x7010])
        .u32(&[1, 1])
        .u64(&[5, 2]);
    PerfDataBytes {
        events: vec![PerfEvent {
            kind: 4,
            config: 0x13,
            sample_type: PERF_IP | PERF_TID | PERF_TIME | PERF_CHAIN,
            ..PerfEvent::default()
        }],
        records: vec![map.text("/lib/libx.so"), sample.u64(&chain)],
        features,
        ..PerfDataBytes::default()
    }
}

/// A symbol's address assumes that the file is mapped at its preferred address, which here is 0x10000 more than the
/// offset.
#[test]
fn symbols_of_simpleperf_name_frames() {
    let symbol = |address, name| {
        let symbol = Proto::new().int(1, address).int(2, 0x10);
        symbol.text(3, name)
    };
    let message = Proto::new()
        .text(1, "/lib/libx.so")
        .int(2, 2)
        .int(3, 0x12000)
        .message(4, symbol(0x12044, "main"))
        .message(4, symbol(0x12010, "work"))
        .message(6, Proto::new().int(1, 0x2000));
    let message = message.bytes();
    let files_2 = PerfRecord::default()
        .u32(&[message.len() as u32])
        .bytes(message);
    let file = PerfRecord::default()
        .bytes(b"/lib/libx.so\0")
        .u32(&[2])
        .u64(&[0x12000]);
    let file = file.u32(&[2]).u64(&[0x12044]).u32(&[0x10]).bytes(b"main\0");
    let file = file
        .u64(&[0x12010])
        .u32(&[0x10])
        .bytes(b"work\0")
        .u64(&[0x2000]);
    let length = file.payload(false).len() as u32;
    let files = PerfRecord::default()
        .u32(&[length])
        .bytes(&file.payload(false));
    for feature in [(132, files_2), (128, files)] {
        let trace = read(&simpleperf(vec![feature]).to_bytes());
        let expected = [["/lib/libx.so:work", "/lib/libx.so:main"]];
        assert_eq!(stacks(&trace), expected);
        assert_eq!(repairs(&trace), []);
    }
}

#[test]
fn facts_of_simpleperf_are_metadata() {
    let facts = b"app_package_name\0com.example\0product_props\0Google:Pixel 9:tokay\0\
        event_type_info\0raw-l1d,4,19\ncpu-cycles,0,0\0";
    let file = simpleperf(vec![(129, PerfRecord::default().bytes(facts))]);
    let trace = read(&file.to_bytes());
    assert_eq!(trace.metadata("app_package_name"), Some("com.example"));
    assert_eq!(trace.metadata("system_machine_name"), Some("Pixel 9"));
    let names = (0..trace.tracks.len()).map(|row| trace.strings.get(trace.tracks.name.get(row)));
    assert!(names.into_iter().any(|name| name == "raw-l1d"));
}
