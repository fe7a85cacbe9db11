//! Real recordings of perf and simpleperf: compared with perf's own reader and with simpleperf's reports, and damaged.

mod damage;
mod perf_script;
mod script_text;
mod simpleperf_report;
mod tables;
mod tracepoints;

use testkit::{Corpus, CorpusFile, PeakAlloc};

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// The real files in this format.
fn real_files() -> Vec<CorpusFile> {
    let corpus = Corpus::find();
    let files = corpus
        .iter()
        .flat_map(|corpus| corpus.files(&["perf-data", "simpleperf"]));
    files
        .filter(|file| file.read().starts_with(b"PERFILE2"))
        .collect()
}
