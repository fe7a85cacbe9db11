use testkit::{PerfDataBytes, PerfRecord, tiny_perf_data};
use traceloom_trace::RepairKind;

use super::{compressed, count, read, repairs, stacks};

/// The files of a folder: the first one has the header and all records but the samples.
fn folder() -> (PerfDataBytes, Vec<PerfRecord>) {
    const DIR_FORMAT: u8 = 24;
    let mut file = tiny_perf_data();
    let records = std::mem::take(&mut file.records);
    let is_sample = |record: &PerfRecord| record.to_bytes(false)[0] == 9;
    let (samples, others) = records.into_iter().partition(is_sample);
    file.records = others;
    file.features
        .push((DIR_FORMAT, PerfRecord::default().u64(&[1])));
    (file, samples)
}

fn bytes(records: &[PerfRecord]) -> Vec<u8> {
    let records = records.iter();
    records.flat_map(|record| record.to_bytes(false)).collect()
}

#[test]
fn further_files_of_a_folder_are_read() {
    let whole = read(&tiny_perf_data().to_bytes());
    let (file, mut samples) = folder();
    samples.reverse();
    let trace = read(&[file.to_bytes(), bytes(&samples)].concat());
    assert_eq!(stacks(&trace), stacks(&whole));
    assert_eq!(repairs(&trace), repairs(&whole));
}

/// Each further file has a compressed stream of its own.
#[test]
fn further_files_may_be_compressed() {
    let whole = read(&tiny_perf_data().to_bytes());
    let (file, samples) = folder();
    let mut input = file.to_bytes();
    for sample in &samples {
        let sample = bytes(std::slice::from_ref(sample));
        let level = ruzstd::encoding::CompressionLevel::Fastest;
        input.extend(bytes(&compressed(&sample, 81, level)));
    }
    let trace = read(&input);
    assert_eq!(stacks(&trace), stacks(&whole));
    assert_eq!(repairs(&trace), repairs(&whole));
}

#[test]
fn missing_files_of_a_folder_are_told() {
    let (file, _) = folder();
    let trace = read(&file.to_bytes());
    assert_eq!(stacks(&trace).len(), 0);
    assert_eq!(count(&trace, RepairKind::TornRecord), 1);
}
