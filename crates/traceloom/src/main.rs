//! The `traceloom` binary.

use std::process::ExitCode;

use traceloom::huge::HugePages;

#[global_allocator]
static ALLOCATOR: HugePages = HugePages;

fn main() -> ExitCode {
    traceloom::cli::main(std::env::args_os())
}
