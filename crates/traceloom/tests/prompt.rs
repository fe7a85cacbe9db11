//! `traceloom query FILE` on a terminal: a prompt.
#![cfg(target_os = "linux")]

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command};

const JANK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/jank.ftrace.gz");

/// The time limit for the program's next output, ms. It only ends tests that would hang.
const PATIENCE: i32 = 60_000;

/// A program in its own terminal, 60 characters wide.
struct Prompt {
    screen: File,
    /// The output since the last awaited text.
    shown: Vec<u8>,
    child: Child,
}

impl Prompt {
    fn start(state: &Path, args: &[&str]) -> Self {
        let (screen, program) = terminal();
        let side = || program.try_clone().unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_traceloom"));
        command
            .args(["query", JANK])
            .args(args)
            .env("XDG_STATE_HOME", state)
            .env("TERM", "xterm")
            .env_remove("COLUMNS")
            .stdin(side())
            .stdout(side())
            .stderr(side());
        // SAFETY: both calls are safe between fork and exec. The terminal then sends Ctrl-C as a signal.
        unsafe {
            command.pre_exec(|| {
                libc::setsid();
                libc::ioctl(0, libc::TIOCSCTTY, 0);
                libc::signal(libc::SIGINT, libc::SIG_DFL);
                Ok(())
            });
        }
        let child = command.spawn().unwrap();
        let mut prompt = Self {
            screen,
            shown: Vec::new(),
            child,
        };
        prompt.expect("sql> ");
        prompt
    }

    /// Waits for a text, and returns what was shown up to its end.
    fn expect(&mut self, text: &str) -> String {
        loop {
            let mut windows = self.shown.windows(text.len());
            if let Some(at) = windows.position(|window| window == text.as_bytes()) {
                let rest = self.shown.split_off(at + text.len());
                let shown = std::mem::replace(&mut self.shown, rest);
                return String::from_utf8(shown).unwrap();
            }
            let mut poll = libc::pollfd {
                fd: self.screen.as_raw_fd(),
                events: libc::POLLIN,
                revents: 0,
            };
            // SAFETY: one valid structure.
            let ready = unsafe { libc::poll(&raw mut poll, 1, PATIENCE) };
            assert_eq!(
                ready,
                1,
                "no {text:?} after {:?}",
                String::from_utf8_lossy(&self.shown)
            );
            let mut piece = [0; 4096];
            let length = self.screen.read(&mut piece).unwrap_or(0);
            assert!(length > 0, "the program ended without {text:?}");
            self.shown.extend(&piece[..length]);
        }
    }

    /// Types a line, and returns what is shown before the next prompt, without the line itself.
    fn answer(&mut self, line: &str) -> String {
        self.types(line);
        self.types("\r");
        // The editor ends the line that was typed.
        self.expect("\u{1b}[?2004l");
        let shown = self.expect("sql> ");
        shown
            .replace("\r\n", "\n")
            .split("\u{1b}[?2004h")
            .next()
            .unwrap()
            .trim_start_matches(['\r', '\n'])
            .to_owned()
    }

    fn types(&mut self, text: &str) {
        self.screen.write_all(text.as_bytes()).unwrap();
    }

    fn quit(mut self) {
        self.types(".quit\r");
        assert!(self.child.wait().unwrap().success());
    }
}

/// A pseudo-terminal: the screen's side and the program's side.
fn terminal() -> (File, OwnedFd) {
    let (mut screen, mut program) = (0, 0);
    let size = libc::winsize {
        ws_row: 24,
        ws_col: 60,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    // SAFETY: the pointers are valid, and the files are owned by nobody else.
    unsafe {
        let opened = libc::openpty(
            &raw mut screen,
            &raw mut program,
            std::ptr::null_mut(),
            std::ptr::null(),
            &raw const size,
        );
        assert_eq!(opened, 0);
        // The child must not have the screen's side.
        libc::fcntl(screen, libc::F_SETFD, libc::FD_CLOEXEC);
        (File::from_raw_fd(screen), OwnedFd::from_raw_fd(program))
    }
}

#[test]
fn statements_are_answered_until_the_end() {
    let state = tempfile::tempdir().unwrap();
    let mut prompt = Prompt::start(state.path(), &[]);
    let shown = prompt.answer("SELECT 6 * 7 AS answer;");
    assert_eq!(shown, "answer\n    42\n");
    // A statement in two lines. Errors do not end the prompt.
    prompt.types("SELECT count(*) AS n\r");
    assert_eq!(prompt.answer("FROM thread WHERE 0;"), "n\n0\n");
    let shown = prompt.answer("SELECT absent FROM slice;");
    assert_eq!(
        shown,
        "traceloom: line 1, column 8 of input: no such column: absent\n  the columns of a table: \
         SELECT name FROM pragma_table_info('slice'); docs/sql.md describes them\n"
    );
    let shown = prompt.answer("CREATE TABLE mine AS SELECT 1 AS one; SELECT one FROM mine;");
    assert_eq!(shown, "one\n  1\n");
    assert_eq!(
        prompt.answer("SELECT one + 1 AS two FROM mine;"),
        "two\n  2\n"
    );
    prompt.quit();
}

#[test]
fn results_fit_on_the_screen() {
    let state = tempfile::tempdir().unwrap();
    let mut prompt = Prompt::start(state.path(), &[]);
    let shown =
        prompt.answer("SELECT id, name, category, thread_name, process_name FROM thread_slice;");
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines.len(), 202, "{shown}");
    assert!(
        lines.iter().all(|line| line.chars().count() <= 60),
        "{shown}"
    );
    assert!(shown.contains('…'), "{shown}");
    assert!(
        lines[201].starts_with("… ") && lines[201].ends_with(" more rows"),
        "{shown}"
    );
    prompt.quit();
}

#[test]
fn commands_and_tab_help_to_find_names() {
    let state = tempfile::tempdir().unwrap();
    let mut prompt = Prompt::start(state.path(), &[]);
    let tables = prompt.answer(".tables");
    assert!(
        tables.lines().any(|line| line == "thread_slice"),
        "{tables}"
    );
    let schema = prompt.answer(".schema counter");
    assert!(
        schema.starts_with("counter\n  id bigint\n  ts bigint\n"),
        "{schema}"
    );
    let modules = prompt.answer(".modules");
    assert!(
        modules.lines().any(|line| line == "slices.self_dur"),
        "{modules}"
    );
    assert!(prompt.answer(".help").contains(".timer on|off"));
    assert!(
        prompt
            .answer(".nothing")
            .contains("there is no command .nothing")
    );
    assert!(
        prompt
            .answer(".schema nothing")
            .contains("there is no table nothing")
    );
    prompt.answer(".timer on");
    let timed = prompt.answer("SELECT 1 AS a;");
    assert!(
        timed.starts_with("a\n1\n") && timed.ends_with(" s\n"),
        "{timed}"
    );
    prompt.answer(".timer off");
    prompt.types("SELECT count(*) > 0 AS found FROM thread_sl\t");
    prompt.expect("thread_slice");
    assert_eq!(prompt.answer(";"), "found\n    1\n");
    prompt.types("INCLUDE PERFETTO MODULE slices.self\t");
    prompt.expect("self_dur");
    assert_eq!(prompt.answer("; SELECT 1 AS a;"), "a\n1\n");
    prompt.quit();
}

#[test]
fn ctrl_c_stops_the_query_only() {
    let state = tempfile::tempdir().unwrap();
    let mut prompt = Prompt::start(state.path(), &[]);
    prompt.types(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n;\r",
    );
    prompt.expect("the query has been running for");
    prompt.types("\u{3}");
    prompt.expect("the query was stopped");
    prompt.expect("sql> ");
    assert_eq!(prompt.answer("SELECT 1 AS a;"), "a\n1\n");
    // While a statement is typed, Ctrl-C drops it.
    prompt.types("SELECT nothing");
    prompt.expect("nothing");
    prompt.types("\u{3}");
    prompt.expect("sql> ");
    assert_eq!(prompt.answer("SELECT 2 AS a;"), "a\n2\n");
    prompt.quit();
}

#[test]
fn the_history_is_private_and_optional() {
    let state = tempfile::tempdir().unwrap();
    let mut prompt = Prompt::start(state.path(), &["--no-history"]);
    prompt.answer("SELECT 1 AS secret;");
    prompt.quit();
    assert_eq!(std::fs::read_dir(state.path()).unwrap().count(), 0);
    let mut prompt = Prompt::start(state.path(), &[]);
    prompt.answer("SELECT 1 AS remembered;");
    prompt.quit();
    let folder = state.path().join("traceloom");
    let file = folder.join("query_history");
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&folder), mode(&file)), (0o700, 0o600));
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(
        text.contains("remembered") && !text.contains("secret"),
        "{text}"
    );
    // The key for the statement before.
    let mut prompt = Prompt::start(state.path(), &[]);
    prompt.types("\u{1b}[A\u{1b}[A");
    prompt.expect("remembered;");
    assert_eq!(prompt.answer(""), "remembered\n         1\n");
    prompt.quit();
}
