//! What a linker left of a library in memory, as the hook in an app reads it.
#![no_main]

use traceloom_fuzz::read_elf;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    read_elf(data);
});
