//! The program `dmtracedump`, for those who need nothing else of traceloom.

use std::process::ExitCode;

fn main() -> ExitCode {
    traceloom_dmtracedump::main(std::env::args_os())
}
