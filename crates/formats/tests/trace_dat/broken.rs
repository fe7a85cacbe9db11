//! Damaged files give a trace, or an error that names the section and the place.

use testkit::{DatCompression, Machine, Rng, mutate, small_dat};
use traceloom_formats::{ReadError, ReadOptions, read_bytes};
use traceloom_trace::RepairKind;

use crate::made::every_kind;
use crate::story::open;

fn read(bytes: &[u8]) -> Result<traceloom_trace::Trace, ReadError> {
    read_bytes(bytes, ReadOptions::default())
}

#[test]
fn every_cut_ends_in_a_trace_or_a_clear_error() {
    const CUTS: usize = 4 << 10;
    for (what, dat) in every_kind().into_iter().step_by(3) {
        let bytes = dat.to_bytes();
        for cut in 11..bytes.len().min(CUTS) {
            match read(&bytes[..cut]) {
                Ok(trace) => assert!(!trace.repairs.rows().is_empty(), "{what}, cut after {cut}"),
                Err(error) => {
                    let text = error.to_string();
                    let is_clear = text.starts_with("trace-dat: ") && text.contains("byte ");
                    assert!(is_clear, "{what}: {text}");
                }
            }
        }
    }
}

/// Damage after the formats affects only the damaged part.
#[test]
fn missing_pages_cost_themselves_alone() {
    for (what, dat) in every_kind() {
        let bytes = dat.to_bytes();
        let whole = open(&bytes);
        if dat.version == 7 && dat.compression != DatCompression::None {
            continue;
        }
        let torn = open(&bytes[..bytes.len() - 600]);
        assert!(torn.sched_slices.len() <= whole.sched_slices.len());
        assert!(torn.repairs.count(RepairKind::TornRecord) > 0, "{what}");
    }
}

/// A file that ends before the buffer of its instance still has the main buffer.
#[test]
fn a_missing_instance_costs_itself_alone() {
    let bytes = small_dat(6, Machine::USUAL, DatCompression::None).to_bytes();
    let instance = bytes
        .windows(10)
        .rposition(|window| window == b"flyrecord\0");
    let (whole, torn) = (open(&bytes), open(&bytes[..instance.unwrap() + 20]));
    assert_eq!(torn.sched_slices.len(), whole.sched_slices.len());
    assert_eq!(torn.repairs.count(RepairKind::TornRecord), 1);
}

#[test]
fn damaged_files_are_survived() {
    let kinds: Vec<_> = every_kind()
        .into_iter()
        .map(|(_, dat)| dat.to_bytes())
        .collect();
    let mut opened = 0;
    for seed in 0..3_000 {
        let mut rng = Rng::new(seed);
        let original = &kinds[rng.index(kinds.len())];
        opened += usize::from(read(&mutate(original, &mut rng)).is_ok());
    }
    println!("3000 damaged files: {opened} open");
    assert!(opened > 500);
}

#[test]
fn a_broken_section_costs_what_is_in_it() {
    let mut dat = small_dat(7, Machine::USUAL, DatCompression::Zlib);
    dat.buffers.truncate(1);
    let bytes = dat.to_bytes();
    // The last chunk of the last CPU.
    let mut broken = bytes.clone();
    let at = bytes.len() - 30;
    broken[at..at + 8].fill(0xAA);
    let trace = open(&broken);
    assert!(trace.repairs.count(RepairKind::BrokenBlock) > 0);
    assert!(!trace.sched_slices.is_empty());
}

#[test]
fn errors_name_what_is_wrong() {
    let bytes = small_dat(7, Machine::USUAL, DatCompression::None).to_bytes();
    let with = |at: usize, value: u8| {
        let mut bytes = bytes.clone();
        bytes[at] = value;
        read(&bytes).err().map(|error| error.to_string())
    };
    let version = with(10, b'9').unwrap();
    assert_eq!(
        version,
        "trace-dat: the version is \"9\" at byte 10; expected 6 or 7"
    );
    let order = with(12, 7).unwrap();
    assert!(order.starts_with("trace-dat: the byte order is"), "{order}");
    let packing = with(18, b'x').unwrap();
    assert!(
        packing.starts_with("trace-dat: the compression is \"xone\""),
        "{packing}"
    );
    let options = with(30, 0xff).unwrap();
    assert!(options.contains("inside the options"), "{options}");
}

/// Numbers that announce more data than there is.
#[test]
fn lengths_that_lie_do_not_take_memory() {
    let bytes = small_dat(6, Machine::USUAL, DatCompression::None).to_bytes();
    let at = bytes
        .windows(11)
        .position(|window| window == b"header_page")
        .unwrap()
        + 12;
    let mut lies = bytes.clone();
    lies[at..at + 8].fill(0xff);
    let error = read(&lies).unwrap_err().to_string();
    assert!(error.contains("inside header_page"), "{error}");
}
