#![doc = include_str!("../README.md")]
//!
//! ```text
//! args ─► key section ─► records ─► calls ─► relatives ─► reports ─► stdout
//!          (key.rs)     (records.rs) (calls.rs) (relatives.rs) (exclusive, inclusive,
//!                            └─────► dump.rs                    groups, diff, dot)
//! ```
//!
//! The reference is Debian's dmtracedump 11.0.0+r48 with glibc 2.36. `docs/dmtracedump.md` lists
//! the quirks that are kept and the places where the original's behaviour is undefined.
#![warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod args;
mod c_numbers;
mod calls;
mod diff;
mod dot;
mod dump;
mod exclusive;
mod groups;
mod inclusive;
mod key;
mod methods;
mod order;
mod out;
mod page;
mod profile;
mod records;
mod relatives;
mod sums;
mod threads;

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use args::Options;
use out::Out;
use profile::Profile;
use traceloom_host::{Content, Screen, Truncated};

/// Why a run ended early.
struct Failure {
    /// For standard error.
    note: Vec<u8>,
    code: u8,
}

impl Failure {
    fn new(note: impl Into<Vec<u8>>, code: u8) -> Self {
        let note = note.into();
        Failure { note, code }
    }

    fn file(verb: &str, path: &OsStr, reason: &str) -> Self {
        let before = format!("Cannot {verb} \"");
        let after = format!("\"{reason}\n");
        let note = [before.as_bytes(), path.as_encoded_bytes(), after.as_bytes()].concat();
        Failure::new(note, 1)
    }
}

/// A file was truncated while it was read. What was printed may be wrong.
impl From<Truncated> for Failure {
    fn from(truncated: Truncated) -> Self {
        Failure::new(format!("Cannot read the trace: {truncated}\n"), 2)
    }
}

/// Standard output could not be written. A closed pipe is not an error.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::new("", 0),
            _ => Failure::new(format!("Cannot write the output: {error}\n"), 1),
        }
    }
}

/// Runs dmtracedump with `args`. The first argument is the program's name as messages show it.
/// Prints to standard output and standard error. Exit codes: 0 success, 1 a trace could not be read
/// or an output could not be written, 2 wrong usage or a trace that was truncated during the run.
pub fn main(args: impl Iterator<Item = OsString>) -> ExitCode {
    let posixly_correct = std::env::var_os("POSIXLY_CORRECT").is_some();
    let parsed = args::parse(args, posixly_correct).map_err(|usage| Failure::new(usage, 2));
    let result = parsed.and_then(|options| run(&options, &mut Screen::lock(&io::stdout())));
    let Err(failure) = result else {
        return ExitCode::SUCCESS;
    };
    print_note(&failure.note);
    ExitCode::from(failure.code)
}

fn run(options: &Options, stdout: &mut dyn Write) -> Result<(), Failure> {
    if options.dump {
        return dump(options, stdout);
    }
    let mut out = Out::new(stdout, options.html);
    report(options, &mut out)?;
    Ok(out.flush()?)
}

fn dump(options: &Options, stdout: &mut dyn Write) -> Result<(), Failure> {
    let Ok(trace) = Content::open(Path::new(&options.trace)) else {
        return Ok(());
    };
    let mut checked = Checked(stdout, &trace);
    let mut out = Out::new(&mut checked, false);
    let dumped = dump::dump(&trace, &mut out).and_then(|notes| out.flush().map(|()| notes));
    trace.check()?;
    print_note(&dumped?);
    Ok(())
}

/// Output that stops if the trace was truncated, because the zeros in place of the missing part
/// would be read as records.
struct Checked<'a>(&'a mut dyn Write, &'a Content);

impl Write for Checked<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.1.check().map_err(io::Error::other)?;
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

fn report(options: &Options, out: &mut Out<'_>) -> Result<(), Failure> {
    let trace = open(&options.trace)?;
    let profile = read(&options.trace, &trace)?;
    if let Some(old) = &options.diff {
        let old_trace = open(old)?;
        let old_profile = read(old, &old_trace)?;
        print_note(&old_profile.long_names_note());
        print_note(&profile.long_names_note());
        diff::report(options, &old_profile, &profile, out)?;
        return Ok(trace.check().and(old_trace.check())?);
    }
    profile_report(options, &profile, out)?;
    trace.check()?;
    if let Some(picture) = &options.graph {
        out.flush()?;
        let drawn = dot::draw(options, picture, &profile);
        let note =
            drawn.map_err(|(path, error)| Failure::file("write", &path, &format!(": {error}")))?;
        print_note(&note);
    }
    Ok(())
}

/// Prints the four sections, and for HTML the page around them.
fn profile_report(options: &Options, profile: &Profile<'_>, out: &mut Out<'_>) -> io::Result<()> {
    if options.html {
        print_note(&profile.long_names_note());
        page::header(options.sortable_url.as_deref(), out);
        page::contents(out);
    }
    let mut order = profile.by_inclusive.clone();
    exclusive::section(profile, &mut order, out)?;
    inclusive::section(profile, &mut order, out)?;
    groups::by_class(profile, out)?;
    groups::by_name(profile, out)?;
    out.markup("\n</body>\n</html>\n");
    Ok(())
}

fn open(path: &OsStr) -> Result<Content, Failure> {
    Content::open(Path::new(path)).map_err(|_| Failure::file("read", path, "."))
}

/// Reads a trace and prints the notes about it.
fn read<'a>(path: &OsStr, trace: &'a Content) -> Result<Profile<'a>, Failure> {
    let (notes, profile) = Profile::read(trace);
    trace.check()?;
    print_note(&notes);
    profile.ok_or_else(|| Failure::file("read", path, "."))
}

/// Prints to standard error. If that fails, there is no place to report it.
fn print_note(message: &[u8]) {
    let _ = io::stderr().lock().write_all(message);
}
