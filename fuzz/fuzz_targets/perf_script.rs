//! Text of `perf script`.
#![no_main]

use traceloom_fuzz::{read, read_as};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    read(data);
    read_as("perf-script", data);
});
