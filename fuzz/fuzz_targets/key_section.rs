//! Method traces whose text part is the input and whose records are fixed.
#![no_main]

use traceloom_fuzz::{read, with_records};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    read(&with_records(data));
});
