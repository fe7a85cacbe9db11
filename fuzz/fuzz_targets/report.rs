//! A report, whatever page stands around its columns.
#![no_main]

use traceloom_fuzz::read_as;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    read_as("report", data);
});
