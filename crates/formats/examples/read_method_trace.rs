//! Reads a method trace from a mapped file and prints the speed and the peak memory, mapped pages
//! included. With a number, it first makes a trace with that many records:
//!
//! ```text
//! cargo run --release -p traceloom-formats --example read_method_trace -- /tmp/big.trace 10000000
//! cargo run --release -p traceloom-formats --example read_method_trace -- /tmp/big.trace [events]
//! ```

use std::hint::black_box;
use std::time::Instant;

use traceloom_formats::{ReadOptions, read_bytes, read_method_events};
use traceloom_trace::{
    MethodEvent, MethodEvents, MethodIndex, MethodLine, MethodTraceStart, Place, RepairKind,
    ThreadIndex,
};

#[path = "../benches/made/method_trace.rs"]
mod made;

/// Counts the records and discards them.
struct Count(u64);

impl MethodEvents for Count {
    fn start(&mut self, _: &MethodTraceStart) {}
    fn thread(&mut self, _: ThreadIndex, _: u32, _: &str) {}
    fn method(&mut self, _: MethodIndex, _: &MethodLine<'_>) {}
    fn events(&mut self, batch: &[MethodEvent]) {
        self.0 += black_box(batch).len() as u64;
    }
    fn repair(&mut self, _: RepairKind, _: u64, _: Place, _: String) {}
    fn finish(&mut self, _: &[(String, String)]) {}
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let path = arguments
        .first()
        .ok_or("the path of a .trace file is missing")?;
    if let Some(records) = arguments.get(1).and_then(|count| count.parse().ok()) {
        let bytes = match arguments.get(2).map(String::as_str) {
            Some("pointers") => made::dual_trace(records, made::MethodIds::Pointers),
            Some("buffered") => made::buffered_trace(records, made::MethodIds::Small),
            _ => made::dual_trace(records, made::MethodIds::Small),
        };
        std::fs::write(path, bytes)?;
        return Ok(());
    }
    let file = std::fs::File::open(path)?;
    // SAFETY: the file does not change while this example reads it.
    let bytes = unsafe { memmap2::Mmap::map(&file)? };
    let mut count = Count(0);
    let begin = Instant::now();
    read_method_events(&bytes, ReadOptions::default(), &mut count)?;
    report("events", count.0, begin);
    if arguments.get(1).is_none() {
        let begin = Instant::now();
        let trace = read_bytes(&bytes, ReadOptions::default())?;
        report("tables", count.0, begin);
        println!("{} slices, {} B", trace.slices.len(), trace.heap_bytes());
    }
    Ok(())
}

fn report(what: &str, records: u64, begin: Instant) {
    let seconds = begin.elapsed().as_secs_f64();
    let peak = peak_kb().unwrap_or(0);
    println!(
        "{what}: {records} records in {seconds:.3} s, {:.1} M/s; peak {peak} KB, {:.1} B a record",
        records as f64 / seconds / 1e6,
        peak as f64 * 1024.0 / records.max(1) as f64,
    );
}

/// The peak memory of this process, if the system provides it.
fn peak_kb() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
