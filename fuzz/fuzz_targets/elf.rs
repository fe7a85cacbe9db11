//! The memory image of a loaded library, as read by the in-app hook.
#![no_main]

use traceloom_fuzz::read_elf;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    read_elf(data);
});
