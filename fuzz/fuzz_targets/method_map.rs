//! A method map as text, and the rules for weaving.
#![no_main]

use traceloom_fuzz::read_method_map;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    read_method_map(data);
});
