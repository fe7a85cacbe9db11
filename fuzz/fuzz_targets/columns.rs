//! The decompressed columns of a report.
#![no_main]

use traceloom_fuzz::read_columns;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    read_columns(data);
});
