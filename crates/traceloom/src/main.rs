//! The `traceloom` binary.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use traceloom::dmtracedump;

fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().collect();
    let called_as = args.first().and_then(|a| Path::new(a).file_name());
    if called_as.is_some_and(|name| name == "dmtracedump") {
        return dmtracedump::main(args.into_iter());
    }
    match args.get(1) {
        Some(command) if command == "dmtracedump" => dmtracedump::main(args.into_iter().skip(1)),
        _ => ExitCode::SUCCESS,
    }
}
