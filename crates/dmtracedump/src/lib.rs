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

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Write};
use std::ops::Deref;
use std::process::ExitCode;

use args::Options;
use out::{Labels, Out};
use profile::Profile;

/// Why a run ended early.
enum Failure {
    /// A file failed; the line for standard error.
    File(Vec<u8>),
    /// Standard output could not be written.
    Output(io::Error),
}

impl Failure {
    fn file(verb: &str, path: &OsStr, reason: &str) -> Self {
        let before = format!("Cannot {verb} \"");
        let after = format!("\"{reason}\n");
        Failure::File([before.as_bytes(), path.as_encoded_bytes(), after.as_bytes()].concat())
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Output(error)
    }
}

/// Runs dmtracedump with `args`, the first of which is the program's name as messages show it.
/// Prints to standard output and standard error. Exit codes: 0 fine, 1 a trace could not be read
/// or an output not be written, 2 wrong usage.
pub fn main(args: impl Iterator<Item = OsString>) -> ExitCode {
    let posixly_correct = std::env::var_os("POSIXLY_CORRECT").is_some();
    let options = match args::parse(args, posixly_correct) {
        Ok(options) => options,
        Err(message) => {
            print_note(&message);
            return ExitCode::from(2);
        }
    };
    let note = match run(&options, &mut io::stdout().lock()) {
        Ok(()) => return ExitCode::SUCCESS,
        Err(Failure::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
            return ExitCode::SUCCESS;
        }
        Err(Failure::Output(error)) => format!("Cannot write the output: {error}\n").into_bytes(),
        Err(Failure::File(note)) => note,
    };
    print_note(&note);
    ExitCode::FAILURE
}

fn run(options: &Options, stdout: &mut dyn Write) -> Result<(), Failure> {
    let mut out = Out::new(stdout, options.html && !options.dump);
    if !options.dump {
        report(options, &mut out)?;
    } else if let Ok(trace) = bytes_of(&options.trace) {
        print_note(&dump::dump(&trace, &mut out)?);
    }
    Ok(out.flush()?)
}

fn report(options: &Options, out: &mut Out<'_>) -> Result<(), Failure> {
    let trace = open(&options.trace)?;
    let profile = read(&options.trace, &trace)?;
    if let Some(old) = &options.diff {
        let old_trace = open(old)?;
        let old_profile = read(old, &old_trace)?;
        print_note(&old_profile.long_names_note());
        print_note(&profile.long_names_note());
        return Ok(diff::report(options, &old_profile, &profile, out)?);
    }
    profile_report(options, &profile, out)?;
    if let Some(picture) = &options.graph {
        out.flush()?;
        let drawn = dot::draw(options, picture, &profile);
        let note =
            drawn.map_err(|(path, error)| Failure::file("write", &path, &format!(": {error}")))?;
        print_note(&note);
    }
    Ok(())
}

/// The four sections, with the page around them if HTML is wanted.
fn profile_report(options: &Options, profile: &Profile<'_>, out: &mut Out<'_>) -> io::Result<()> {
    if options.html {
        print_note(&profile.long_names_note());
        page::header(options.sortable_url.as_deref(), out);
        page::contents(out);
    }
    let mut order = profile.by_inclusive.clone();
    let labels = Labels::new(&profile.methods.list, out.html);
    exclusive::section(profile, &labels, &mut order, out)?;
    inclusive::section(profile, &labels, &mut order, out)?;
    groups::by_class(profile, out)?;
    groups::by_name(profile, out)?;
    if options.html {
        page::footer(out);
    }
    Ok(())
}

/// A file's bytes.
type Content = Box<dyn Deref<Target = [u8]>>;

fn open(path: &OsStr) -> Result<Content, Failure> {
    bytes_of(path).map_err(|_| Failure::file("read", path, "."))
}

/// Maps a file, or reads it if it is a pipe or empty.
fn bytes_of(path: &OsStr) -> io::Result<Content> {
    let mut file = File::open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_file() && metadata.len() > 0 {
        // SAFETY: the map is only read. As for every program that maps its input, the file must
        // not be cut short while the program runs.
        if let Ok(map) = unsafe { memmap2::Mmap::map(&file) } {
            return Ok(Box::new(map));
        }
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(Box::new(bytes))
}

/// Reads a trace and prints the notes about it.
fn read<'a>(path: &OsStr, trace: &'a [u8]) -> Result<Profile<'a>, Failure> {
    let (notes, profile) = Profile::read(trace);
    print_note(&notes);
    profile.ok_or_else(|| Failure::file("read", path, "."))
}

/// Prints to standard error. A failure cannot be reported anywhere.
fn print_note(message: &[u8]) {
    let _ = io::stderr().lock().write_all(message);
}
