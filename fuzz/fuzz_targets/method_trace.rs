//! Method traces, key section and all record encodings.
#![no_main]

use traceloom_fuzz::read;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    read(data);
});
