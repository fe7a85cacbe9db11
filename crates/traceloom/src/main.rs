//! The `traceloom` binary.

use std::process::ExitCode;

use traceloom_heap::Heap;

#[global_allocator]
static HEAP: Heap = Heap;

fn main() -> ExitCode {
    traceloom::cli::main(std::env::args_os())
}
