//! The rules file of `--events`, and what it does to a trace.
#![no_main]

use traceloom_fuzz::read_with_rules;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    read_with_rules(data);
});
