//! The `traceloom` binary.

use std::process::ExitCode;

use traceloom_heap::Heap;

// Huge pages for large tables: without them, reading into the full model takes 1.4 times as long.
// The crate's documentation lists the allocators that were measured.
#[global_allocator]
static HEAP: Heap = Heap;

fn main() -> ExitCode {
    traceloom::cli::main(std::env::args_os())
}
