//! Files that change while they are read, outputs of killed programs, and shared folders.
#![cfg(target_os = "linux")]

mod made;

use std::fs;
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, SystemTime};

use made::{refused_in, run_in};

const APP: &[u8] = include_bytes!("../../../examples/app.trace");

fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_traceloom"));
    command
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let name = |entry: fs::DirEntry| entry.file_name().into_string().unwrap();
    let mut names: Vec<_> = entries.map(|entry| name(entry.unwrap())).collect();
    names.sort();
    names
}

fn with_app() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("app.trace"), APP).unwrap();
    folder
}

/// Makes a file look old, so that it is mapped.
fn settle(path: &Path) {
    let file = fs::File::options().append(true).open(path).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(60))
        .unwrap();
}

fn signal(child: &Child, signal: i32) {
    let pid = i32::try_from(child.id()).unwrap();
    // SAFETY: a signal to a process that this test started and has not waited for.
    assert_eq!(unsafe { libc::kill(pid, signal) }, 0);
}

/// Starts the program on a large file, stops it once it has mapped the file, truncates the file,
/// and continues it. On a busy machine, the test may notice the mapping too late, so there are
/// several attempts.
fn cut_while_read(folder: &Path, args: &[&str], file: &str, bytes: &[u8]) -> Output {
    let mut attempts = (0..5).map(|_| {
        fs::write(folder.join(file), bytes).unwrap();
        cut_once(folder, args, file)
    });
    let cut = attempts.find(|output| !output.status.success());
    cut.expect("the program reads for longer than this test needs to stop it")
}

fn cut_once(folder: &Path, args: &[&str], file: &str) -> Output {
    let path = folder.join(file).canonicalize().unwrap();
    settle(&path);
    let mut child = command(folder, args).spawn().unwrap();
    let maps = format!("/proc/{}/maps", child.id());
    let wanted = path.to_str().unwrap();
    while !fs::read_to_string(&maps).unwrap().contains(wanted) {
        if child.try_wait().unwrap().is_some() {
            return child.wait_with_output().unwrap();
        }
        std::thread::yield_now();
    }
    signal(&child, libc::SIGSTOP);
    let file = fs::File::options().write(true).open(&path).unwrap();
    file.set_len(5000).unwrap();
    signal(&child, libc::SIGCONT);
    child.wait_with_output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Large enough that the program cannot finish before it is stopped.
const LONG: usize = 48 << 20;

#[test]
fn a_text_that_is_truncated_while_it_is_read_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let text = testkit::ftrace_text(LONG, 3);
    for args in [
        &["info", "a.ftrace"][..],
        &["info", "a.ftrace", "--threads", "4"],
    ] {
        let output = cut_while_read(folder.path(), args, "a.ftrace", &text);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(output.stdout.is_empty());
        let said = said(&output);
        assert!(
            said.contains("a.ftrace") && said.contains("truncated while it was read"),
            "{said}"
        );
        assert_eq!(said.lines().count(), 1, "{said}");
    }
}

#[test]
fn a_method_trace_that_is_truncated_while_it_is_read_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let mut bytes = APP.to_vec();
    let records = bytes[APP.len() - 14 * 1000..].to_vec();
    while bytes.len() < LONG / 2 {
        bytes.extend(&records);
    }
    for args in [
        &["profile", "a.trace"][..],
        &["dmtracedump", "a.trace"],
        &["dmtracedump", "-o", "a.trace"],
    ] {
        let output = cut_while_read(folder.path(), args, "a.trace", &bytes);
        assert_eq!(output.status.code(), Some(2), "{args:?} {}", said(&output));
        let said = said(&output);
        assert!(
            said.contains("truncated while it was read"),
            "{args:?} {said}"
        );
    }
}

/// Runs the program until it has written this many bytes. The kernel then kills it.
fn killed_after(bytes: u64, folder: &Path, args: &[&str]) -> Output {
    let mut command = command(folder, args);
    let limit = libc::rlimit {
        rlim_cur: bytes,
        rlim_max: bytes,
    };
    let none = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: setrlimit is safe between fork and exec.
    unsafe {
        command.pre_exec(move || {
            libc::setrlimit(libc::RLIMIT_FSIZE, &limit);
            libc::setrlimit(libc::RLIMIT_CORE, &none);
            Ok(())
        });
    }
    command.output().unwrap()
}

#[test]
fn a_program_that_is_killed_while_it_writes_leaves_nothing() {
    let folder = with_app();
    fs::write(folder.path().join("old.html"), "old").unwrap();
    for args in [
        &["convert", "app.trace", "-o", "new.ftrace"][..],
        &["convert", "app.trace", "-o", "old.html"],
        &["report", "app.trace", "-o", "new.html"],
        &["report", "app.trace", "-o", "old.html"],
    ] {
        let output = killed_after(50_000, folder.path(), args);
        assert_eq!(output.status.signal(), Some(libc::SIGXFSZ), "{output:?}");
        assert_eq!(names(folder.path()), ["app.trace", "old.html"], "{args:?}");
    }
    assert_eq!(
        fs::read_to_string(folder.path().join("old.html")).unwrap(),
        "old"
    );
}

#[test]
fn recordings_are_for_their_owner_and_results_as_the_umask_says() {
    let folder = with_app();
    let mode = |name: &str| {
        let metadata = fs::metadata(folder.path().join(name)).unwrap();
        metadata.permissions().mode() & 0o777
    };
    fs::write(folder.path().join("usual"), "").unwrap();
    for name in ["a.html", "a.txt", "a.json"] {
        let args = ["capture", "--from-file", "app.trace", "-o", name];
        let output = run_in(folder.path(), args);
        assert!(output.status.success(), "{}", said(&output));
        assert_eq!(mode(name), 0o600, "{name}");
    }
    run_in(folder.path(), ["convert", "app.trace", "-o", "a.ftrace"]);
    assert_eq!(mode("a.ftrace"), mode("usual"));
}

/// Needs root, to change the owner of files.
#[test]
fn what_others_planted_in_a_shared_folder_is_not_written_to() {
    let (mine, shared) = (with_app(), tempfile::tempdir().unwrap());
    fs::set_permissions(shared.path(), fs::Permissions::from_mode(0o1777)).unwrap();
    let precious = mine.path().join("precious");
    fs::write(&precious, "precious").unwrap();
    let link = shared.path().join("out.ftrace");
    symlink(&precious, &link).unwrap();
    let own = ["convert", "app.trace", "-o", link.to_str().unwrap()];
    if std::os::unix::fs::lchown(&link, Some(12_345), None).is_err() {
        println!("skipped: only root can give a link to another user");
        return;
    }
    let said = refused_in(mine.path(), &own);
    assert!(said.contains("belongs to another user"), "{said}");
    assert_eq!(fs::read_to_string(&precious).unwrap(), "precious");
    // A link of the same user is followed.
    fs::remove_file(&link).unwrap();
    symlink(&precious, &link).unwrap();
    assert!(run_in(mine.path(), own).status.success());
    assert!(fs::metadata(&precious).unwrap().len() > 1000);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
}

#[test]
fn an_output_may_be_a_pipe_and_the_standard_output() {
    let folder = with_app();
    let file = run_in(folder.path(), ["convert", "app.trace", "-o", "a.ftrace"]);
    assert!(file.status.success());
    let expected = fs::read(folder.path().join("a.ftrace")).unwrap();
    for place in ["-", "/dev/stdout"] {
        let args = ["convert", "app.trace", "--to", "ftrace", "-o", place];
        assert!(run_in(folder.path(), args).stdout == expected, "{place}");
    }
    let mut out = fs::File::options().write(true).open("/dev/full").unwrap();
    out.flush().unwrap();
    let args = ["convert", "app.trace", "--to", "ftrace", "-o", "-"];
    let output = command(folder.path(), &args).stdout(out).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = said(&output);
    assert!(
        said.starts_with("traceloom: cannot write to standard output: no space left"),
        "{said}"
    );
}
