//! Profiles of Firefox Profiler, and CPU profiles of V8.
#![no_main]

use traceloom_fuzz::{read, read_as};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    read(data);
    read_as("firefox", data);
    read_as("cpu-profile", data);
});
