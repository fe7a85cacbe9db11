//! Runs each test in a separate process, because a hook affects the whole process.

use std::env;
use std::process::Command;
use std::sync::{Mutex, MutexGuard};

const CASE: &str = "TRACELOOM_HOOK_CASE";

/// Runs the test called `name` (including its modules) in another process.
pub fn alone(name: &str, test: fn()) {
    if env::var(CASE).is_ok_and(|case| case == name) {
        return test();
    }
    let mut command = this_program();
    command.args([name, "--exact", "--nocapture", "--test-threads=1"]);
    let output = command.env(CASE, name).output().unwrap();
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    out.lines()
        .filter(|line| line.starts_with("skipped:"))
        .for_each(|line| println!("{line}"));
    assert!(
        output.status.success(),
        "{name}: {}\n{out}{err}",
        output.status
    );
    assert!(out.contains("1 passed"), "there is no test {name}: {out}");
}

/// The command that starts this test program again, with an emulator if it was built for another machine.
fn this_program() -> Command {
    let program = env::current_exe().unwrap();
    let Ok(runner) = env::var("TRACELOOM_RUNNER") else {
        return Command::new(program);
    };
    let mut words = runner.split_whitespace();
    let mut command = Command::new(words.next().unwrap());
    command.args(words).arg(program);
    command
}

static MARKS: Mutex<Vec<Vec<u8>>> = Mutex::new(Vec::new());

fn marks() -> MutexGuard<'static, Vec<Vec<u8>>> {
    MARKS.lock().unwrap()
}

/// An `OnMark` that stores the payload and changes `errno`.
pub fn keep(payload: &[u8]) {
    marks().push(payload.to_vec());
    set_errno(libc::EXDEV);
}

/// The payloads since the last call.
pub fn kept() -> Vec<String> {
    let marks = std::mem::take(&mut *marks());
    marks
        .into_iter()
        .map(|mark| String::from_utf8(mark).unwrap())
        .collect()
}

pub fn set_errno(value: i32) {
    // SAFETY: the pointer is valid for this thread.
    unsafe { *libc::__errno_location() = value }
}

pub fn errno() -> i32 {
    std::io::Error::last_os_error().raw_os_error().unwrap()
}
