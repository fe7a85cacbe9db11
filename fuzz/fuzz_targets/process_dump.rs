//! Process dumps, alone and beside a trace.
#![no_main]

use traceloom_fuzz::{read, read_with_dump};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    read(data);
    read_with_dump(data);
});
