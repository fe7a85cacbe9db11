//! A class file, read, written and woven.
#![no_main]

use traceloom_fuzz::read_class;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    read_class(data);
});
