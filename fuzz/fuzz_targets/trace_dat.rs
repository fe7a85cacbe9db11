//! trace.dat, and the ring buffer pages in it.
#![no_main]

use traceloom_fuzz::read_as;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    read_as("trace-dat", data);
});
