//! The engine behind `traceloom dmtracedump`, with every kind of output.
#![no_main]

use traceloom_fuzz::dmtracedump;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    dmtracedump(data);
});
