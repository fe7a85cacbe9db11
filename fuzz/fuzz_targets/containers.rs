//! zip, gzip and zstd, and their contents.
#![no_main]

use traceloom_fuzz::read;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    read(data);
});
