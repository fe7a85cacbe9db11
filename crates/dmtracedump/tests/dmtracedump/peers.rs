//! Runs the original dmtracedump and ours on the same input and compares all output.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

/// The path of the original.
const REAL: &str = "/usr/bin/dmtracedump";

/// The results of a run.
#[derive(PartialEq, Eq)]
pub struct Run {
    pub code: Option<i32>,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    /// The DOT file, if `-k` kept one as `out.dot`.
    pub dot: Option<Vec<u8>>,
}

impl Run {
    /// Whether the original died on a trace that ours must be able to print.
    pub fn died(&self) -> bool {
        let stderr = String::from_utf8_lossy(&self.stderr);
        let reasons = ["does not match stack", "Stack overflow", "buffer overflow"];
        match self.code {
            None | Some(124) => true,
            Some(1) => reasons.iter().any(|reason| stderr.contains(reason)),
            Some(_) => false,
        }
    }
}

/// Both programs, called by the same name through different `PATH`s.
pub struct Peers {
    pub dir: tempfile::TempDir,
    ours: String,
    real: String,
    /// The number of compared runs, and the number on which the original died.
    compared: usize,
    survived: usize,
}

impl Peers {
    /// `None` if the original is not installed.
    pub fn find() -> Option<Peers> {
        if !Path::new(REAL).exists() {
            eprintln!("skipped: no {REAL} to compare with");
            return None;
        }
        let dir = tempfile::tempdir().expect("a temporary directory");
        let path = |name: &str, program: &str| {
            let bin = dir.path().join(name);
            fs::create_dir(&bin).expect("a directory");
            symlink(program, bin.join("dmtracedump")).expect("a link");
            // Drawing is slow, and not compared here.
            symlink("/bin/true", bin.join("dot")).expect("a link");
            format!("{}:/usr/bin:/bin", bin.display())
        };
        Some(Peers {
            ours: path("ours", env!("CARGO_BIN_EXE_dmtracedump")),
            real: path("real", REAL),
            dir,
            compared: 0,
            survived: 0,
        })
    }

    /// Runs one of the programs, under the name `dmtracedump` and for at most 20 seconds.
    fn run(&self, path: &str, args: &[&str], posix: bool) -> Run {
        let mut command = Command::new("timeout");
        command.env("PATH", path).current_dir(self.dir.path());
        command.arg("20").arg("dmtracedump").args(args);
        if posix {
            command.env("POSIXLY_CORRECT", "1");
        }
        let output = command.output().expect("timeout runs");
        let dot = self.dir.path().join("out.dot");
        let run = Run {
            code: output.status.code(),
            stdout: output.stdout,
            stderr: output.stderr,
            dot: fs::read(&dot).ok(),
        };
        let _ = fs::remove_file(dot);
        run
    }

    /// Whether a trace among `args` has thread numbers for which the original reads past its table.
    /// It then dies of a signal or of an overflow of the stack that it finds there.
    fn has_uncounted_threads(&self, args: &[&str]) -> bool {
        ["a.trace", "b.trace"].iter().any(|name| {
            let is_given = args.iter().any(|arg| arg.ends_with(name));
            let dump = self.run(&self.ours, &["-o", name], false).stdout;
            let text = String::from_utf8_lossy(&dump);
            let records = text.split("\nTrace (threadID").nth(1).unwrap_or_default();
            let thread = |row: &str| row.split_whitespace().next()?.parse::<u16>().ok();
            is_given && records.lines().filter_map(thread).any(|t| t > 32_767)
        })
    }

    pub fn write(&self, name: &str, bytes: &[u8]) {
        fs::write(self.dir.path().join(name), bytes).expect("a file");
    }

    /// Runs both with `args` and compares, with `POSIXLY_CORRECT` in the environment if `posix`.
    pub fn compare(&mut self, what: &str, args: &[&str], posix: bool) {
        let real = self.run(&self.real, args, posix);
        let ours = self.run(&self.ours, args, posix);
        self.compared += 1;
        let shown = String::from_utf8_lossy(&ours.stderr).into_owned();
        assert!(!shown.contains("panicked"), "{what} {args:?}: {shown}");
        if real.died() {
            self.survived += 1;
            if shown.contains("Cannot read \"b.trace\"") {
                // The original did not get that far.
                return assert_eq!(ours.code, Some(1), "{what} {args:?}: {shown}");
            }
            assert_eq!(ours.code, Some(0), "{what} {args:?}: {shown}");
            // The cause of a signal may be something other than the trace.
            let may_be_silent = real.code.is_none() || self.has_uncounted_threads(args);
            assert!(
                may_be_silent || !ours.stderr.is_empty(),
                "{what} {args:?}: nothing on stderr"
            );
            assert_whole(what, args, &ours.stdout);
        } else if real != ours {
            let (real, ours) = (difference(&real, &ours), difference(&ours, &real));
            panic!("{what} {args:?}\nthe original: {real}\nours: {ours}");
        }
    }
}

impl Drop for Peers {
    fn drop(&mut self) {
        let (compared, survived) = (self.compared, self.survived);
        eprintln!(
            "{compared} comparisons with the real dmtracedump; it died in {survived}, ours went on"
        );
    }
}

/// A report of a trace on which the original died has all its sections.
fn assert_whole(what: &str, args: &[&str], stdout: &[u8]) {
    let text = String::from_utf8_lossy(stdout);
    let is_diff = |arg: &&str| arg.starts_with("-d") || arg.starts_with("-hd");
    let parts = if args.iter().any(is_diff) {
        &["(toplevel).(null)"][..]
    } else if args.contains(&"-o") {
        &["Trace (threadID"][..]
    } else {
        let classes = text.contains("in the class.") || text.contains("No classes.");
        assert!(classes, "{what} {args:?}: no classes");
        &[
            "Total cycles: ",
            "Inclusive elapsed times",
            "sorted by inclusive time.",
        ]
    };
    for part in parts {
        assert!(text.contains(part), "{what} {args:?}: no {part:?}");
    }
}

/// The first difference of `a` and `b`, as it is in `a`.
fn difference(a: &Run, b: &Run) -> String {
    if a.code != b.code {
        let stderr = String::from_utf8_lossy(&a.stderr);
        return format!("code {:?}, stderr {stderr:?}", a.code);
    }
    let dot = |run: &Run| run.dot.clone().unwrap_or_default();
    for (name, of_a, of_b) in [
        ("stdout", &a.stdout, &b.stdout),
        ("stderr", &a.stderr, &b.stderr),
        ("dot", &dot(a), &dot(b)),
    ] {
        if of_a != of_b {
            let same = of_a.iter().zip(of_b).take_while(|(x, y)| x == y).count();
            let from = same.saturating_sub(100);
            let part = String::from_utf8_lossy(&of_a[from..of_a.len().min(same + 100)]);
            return format!("{name} from byte {from}: {part:?}");
        }
    }
    "a DOT file or none".to_string()
}
