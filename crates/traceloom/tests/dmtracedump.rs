//! The two ways to run dmtracedump in the program. Its own crate compares its output with the real
//! dmtracedump.
#![cfg(unix)]

use std::os::unix::process::CommandExt;
use std::process::{Command, Output};

fn traceloom() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_traceloom"));
    command.current_dir(testkit::workspace_root());
    command
}

fn run(command: &mut Command) -> Output {
    command.output().expect("it runs")
}

#[test]
fn the_name_and_the_subcommand_do_the_same() {
    for args in [&["examples/app.trace"][..], &["-h", "-x"], &["missing"]] {
        let by_name = run(traceloom().arg0("dmtracedump").args(args));
        let by_command = run(traceloom().arg("dmtracedump").args(args));
        assert!(!by_name.stdout.is_empty() || !by_name.stderr.is_empty());
        assert_eq!(by_name, by_command);
    }
}
