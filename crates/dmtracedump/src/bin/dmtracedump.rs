//! The program `dmtracedump` alone, without the rest of traceloom.

use std::process::ExitCode;

fn main() -> ExitCode {
    traceloom_dmtracedump::main(std::env::args_os())
}
