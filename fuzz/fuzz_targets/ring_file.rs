//! Ring files of the recorder in an app.
#![no_main]

use traceloom_fuzz::read_as;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    read_as("ring", data);
});
