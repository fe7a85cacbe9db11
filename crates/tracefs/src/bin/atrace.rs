//! The `atrace` binary.

use std::process::ExitCode;

#[cfg(any(target_os = "linux", target_os = "android"))]
fn main() -> ExitCode {
    traceloom_tracefs::atrace::run(std::env::args_os())
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn main() -> ExitCode {
    eprintln!("atrace records on Linux and Android devices");
    ExitCode::FAILURE
}
