//! PerfettoSQL scripts: tokens, statements and macros.
#![no_main]

use traceloom_fuzz::query_dialect;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    query_dialect(data);
});
