//! traceloom acts as atrace: as a subcommand and through a link. The behaviour of atrace itself is
//! tested in `crates/tracefs`.
#![cfg(target_os = "linux")]

use std::process::{Command, Output};

fn as_subcommand(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_traceloom"));
    command.arg("atrace").args(args).output().unwrap()
}

fn through_link(args: &[&str]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let link = folder.path().join("atrace");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_traceloom"), &link).unwrap();
    Command::new(link).args(args).output().unwrap()
}

#[test]
fn both_ways_give_the_help_of_atrace() {
    for output in [as_subcommand(&["--help"]), through_link(&["--help"])] {
        assert_eq!(output.status.code(), Some(0));
        assert_eq!(output.stdout, b"");
        let stderr = String::from_utf8(output.stderr).unwrap();
        let (usage, options) = stderr.split_once('\n').unwrap();
        assert!(
            usage.ends_with("atrace [options] [categories...]"),
            "{usage}"
        );
        for option in [
            "--async_start",
            "-z ",
            "--raw",
            "--instance",
            "--categories",
        ] {
            assert!(options.contains(option), "{option}");
        }
    }
}

/// traceloom interprets no option before atrace does, not even its own.
#[test]
fn every_option_is_atraces_to_read() {
    for args in [&["--version"][..], &["-q"], &["--nonsense", "sched"]] {
        for output in [as_subcommand(args), through_link(args)] {
            assert_eq!(output.status.code(), Some(255), "{args:?}");
            assert_eq!(output.stdout, b"");
        }
    }
}
