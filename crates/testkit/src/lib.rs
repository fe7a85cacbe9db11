//! Shared code of tests, benchmarks and fuzzing: assemblers for traces, synthetic traces, damage, random numbers, a memory
//! meter. It does not depend on any other crate of the workspace: its traces are assembled byte by byte from the
//! descriptions of the formats, independently of our own readers and writers.

mod alloc;
mod app;
#[cfg(target_os = "linux")]
mod battor;
mod calls;
pub mod class_file;
mod corpus;
mod device;
mod elf;
mod extremes;
mod ftrace_text;
mod jank;
mod kernel;
mod method_trace;
mod mutate;
mod parts;
mod perf_data;
mod perf_tracepoints;
mod perfetto;
mod proto;
mod replay;
mod report;
mod ring_file;
mod rng;
mod sample_texts;
mod samples;
mod storage_text;
mod systrace_page;
mod trace_dat;

pub use alloc::PeakAlloc;
pub use app::app_trace;
#[cfg(target_os = "linux")]
pub use battor::{BattorFaults, FakeBattor};
pub use calls::{CallShape, call_trace, wide_call_trace};
pub use corpus::{Corpus, CorpusFile, READ_CATEGORIES, workspace_root};
#[cfg(unix)]
pub use device::Loopback;
pub use device::device_part;
pub use elf::ElfImage;
pub use extremes::{Extreme, HOSTILE_NAMES, extremes};
pub use ftrace_text::ftrace_text;
pub use jank::jank_trace;
pub use kernel::KernelTurn;
pub use method_trace::{Clock, MethodTraceBytes, Record};
pub use mutate::mutate;
pub use parts::{Parts, many_parts};
pub use perf_data::{
    PERF_BRANCHES, PERF_CHAIN, PERF_CPU, PERF_IDENTIFIER, PERF_IP, PERF_READ, PERF_TID, PERF_TIME,
    PerfDataBytes, PerfEvent, PerfRecord, tiny_perf_data,
};
pub use perf_tracepoints::{perf_tracepoints, tiny_perf_tracepoints};
pub use perfetto::{perfetto_kernel, perfetto_tracks};
pub use proto::Proto;
pub use replay::replay;
pub use report::{dense_report, report_columns};
pub use ring_file::{RingBytes, RingChunk, ring_record, ring_text, tiny_ring};
pub use rng::Rng;
pub use samples::{Sample, SampleKind, gunzip, gzip, samples};
pub use storage_text::storage_text;
pub use systrace_page::{PAGE_PID, PAGE_TID, PageBlock, systrace_page};
pub use trace_dat::{
    DatBuffer, DatBytes, DatCompression, DatEvent, DatValue, Machine, RingPages, busy_dat,
    small_dat, small_dat_events,
};
