//! The `traceloom` binary.

use std::process::ExitCode;

use traceloom_heap::Heap;

// Huge pages for big tables: without them the full model takes 1.4 times as long. The crate explains
// which allocators were measured.
#[global_allocator]
static HEAP: Heap = Heap;

fn main() -> ExitCode {
    traceloom::cli::main(std::env::args_os())
}
