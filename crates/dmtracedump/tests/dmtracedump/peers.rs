//! Runs the real dmtracedump and ours on the same input and compares everything that comes out.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Where the real one is looked for.
const REAL: &str = "/usr/bin/dmtracedump";

/// What a run left behind.
#[derive(Debug, PartialEq, Eq)]
pub struct Run {
    pub code: Option<i32>,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    /// The DOT file, if `-k` kept one as `out.dot`.
    pub dot: Option<Vec<u8>>,
}

impl Run {
    fn of(output: Output, dir: &Path) -> Self {
        let dot = dir.join("out.dot");
        let run = Run {
            code: output.status.code(),
            stdout: output.stdout,
            stderr: output.stderr,
            dot: fs::read(&dot).ok(),
        };
        let _ = fs::remove_file(dot);
        run
    }

    /// Whether this run of the original ended where ours goes on.
    pub fn died(&self) -> bool {
        let says = |what: &str| {
            self.stderr
                .windows(what.len())
                .any(|w| w == what.as_bytes())
        };
        self.code.is_none()
            || self.code == Some(124)
            || self.code == Some(1)
                && ["does not match stack", "Stack overflow", "buffer overflow"]
                    .into_iter()
                    .any(says)
    }
}

/// Both programs, reached by the same name through different `PATH`s.
pub struct Peers {
    pub dir: tempfile::TempDir,
    ours: OsString,
    real: OsString,
    pub compared: usize,
    pub survived: usize,
}

impl Peers {
    /// `None` where the real one is not installed.
    pub fn find() -> Option<Peers> {
        if !Path::new(REAL).exists() {
            eprintln!("skipped: no {REAL} to compare with");
            return None;
        }
        let dir = tempfile::tempdir().expect("a temporary directory");
        let bin = |name: &str| {
            let bin = dir.path().join(name);
            fs::create_dir(&bin).expect("a directory");
            // Drawing is not compared here, and takes long.
            symlink("/bin/true", bin.join("dot")).expect("a link");
            bin
        };
        let (ours, real) = (bin("ours"), bin("real"));
        symlink(env!("CARGO_BIN_EXE_dmtracedump"), ours.join("dmtracedump")).expect("a link");
        symlink(REAL, real.join("dmtracedump")).expect("a link");
        let path = |bin: &PathBuf| {
            let mut path = bin.clone().into_os_string();
            path.push(":/usr/bin:/bin");
            path
        };
        Some(Peers {
            ours: path(&ours),
            real: path(&real),
            dir,
            compared: 0,
            survived: 0,
        })
    }

    /// Runs one of them; both see the program name `dmtracedump` and have 20 seconds.
    fn run(&self, path: &OsString, args: &[&str], posix: bool) -> Run {
        let mut command = Command::new("timeout");
        command.env("PATH", path).current_dir(self.dir.path());
        command.arg("20").arg("dmtracedump").args(args);
        if posix {
            command.env("POSIXLY_CORRECT", "1");
        }
        let output = command.output().expect("timeout runs");
        Run::of(output, self.dir.path())
    }

    /// Whether a trace among `args` has thread numbers for which the original reads past its
    /// table. It then dies by a signal or with an overflow of a stack that it finds there.
    fn has_uncounted_threads(&self, args: &[&str]) -> bool {
        let given = |name: &&str| args.iter().any(|arg| arg.ends_with(*name));
        ["a.trace", "b.trace"]
            .iter()
            .filter(|n| given(n))
            .any(|name| {
                let dump = self.run(&self.ours, &["-o", name], false).stdout;
                let text = String::from_utf8_lossy(&dump);
                let records = text
                    .split_once("\nTrace (threadID")
                    .map_or("", |(_, rows)| rows);
                let thread = |row: &str| row.split_whitespace().next()?.parse::<u16>().ok();
                records.lines().filter_map(thread).any(|t| t > 32_767)
            })
    }

    pub fn write(&self, name: &str, bytes: &[u8]) {
        fs::write(self.dir.path().join(name), bytes).expect("a file");
    }

    /// Runs both with `args` and holds them against each other.
    pub fn compare(&mut self, what: &str, args: &[&str]) {
        self.compare_with(what, args, false);
    }

    pub fn compare_with(&mut self, what: &str, args: &[&str], posix: bool) {
        let real = self.run(&self.real, args, posix);
        let ours = self.run(&self.ours, args, posix);
        self.compared += 1;
        let shown = String::from_utf8_lossy(&ours.stderr).into_owned();
        assert!(!shown.contains("panicked"), "{what} {args:?}: {shown}");
        if real.died() {
            self.survived += 1;
            if shown.contains("Cannot read \"b.trace\"") {
                // The original did not come that far.
                return assert_eq!(ours.code, Some(1), "{what} {args:?}: {shown}");
            }
            assert_eq!(ours.code, Some(0), "{what} {args:?}: {shown}");
            // A signal need not be the trace's fault.
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

/// A report that was gone on with has all its sections.
fn assert_whole(what: &str, args: &[&str], stdout: &[u8]) {
    let text = String::from_utf8_lossy(stdout);
    if args
        .iter()
        .any(|arg| arg.starts_with("-d") || arg.starts_with("-hd"))
    {
        return assert!(text.contains("(toplevel).(null)"), "{what} {args:?}");
    }
    if args.contains(&"-o") {
        return assert!(text.contains("Trace (threadID"), "{what} {args:?}");
    }
    for part in [
        "Total cycles: ",
        "Inclusive elapsed times",
        "sorted by inclusive time.",
    ] {
        assert!(text.contains(part), "{what} {args:?}: no {part:?}");
    }
    let classes = text.contains("in the class.") || text.contains("No classes.");
    assert!(classes, "{what} {args:?}: no classes");
}

/// The first place where `a` and `b` part, as `a` has it.
fn difference(a: &Run, b: &Run) -> String {
    if a.code != b.code {
        let stderr = String::from_utf8_lossy(&a.stderr);
        return format!("code {:?}, stderr {stderr:?}", a.code);
    }
    let dot = |run: &Run| run.dot.clone().unwrap_or_default();
    let (dot_a, dot_b) = (dot(a), dot(b));
    for (name, of_a, of_b) in [
        ("stdout", &a.stdout, &b.stdout),
        ("stderr", &a.stderr, &b.stderr),
        ("dot", &dot_a, &dot_b),
    ] {
        if of_a != of_b {
            let same = of_a.iter().zip(of_b).take_while(|(x, y)| x == y).count();
            let from = same.saturating_sub(100);
            let part = &of_a[from..of_a.len().min(same + 100)];
            return format!(
                "{name} from byte {from}: {:?}",
                String::from_utf8_lossy(part)
            );
        }
    }
    "a DOT file or none".to_string()
}
