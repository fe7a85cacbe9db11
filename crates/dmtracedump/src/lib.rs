//! dmtracedump's successor: the same options, the same output byte for byte, on every input the
//! original survives; where the original dies or crawls, the same layout and a line on stderr.
//!
//! ```text
//! args ─► key section ─► records ─► accounting ─► relatives ─► reports ─► stdout
//!          (key.rs)     (records.rs) (account.rs,  (relatives.rs) (exclusive, inclusive,
//!                            └──────► dump.rs  running.rs)         groups, diff, graph)
//! ```
//!
//! The reference is Debian's dmtracedump 11.0.0+r48 with glibc 2.36; `docs/dmtracedump.md` lists
//! the quirks that are kept and the places where the original's behaviour is undefined.

mod account;
mod activations;
mod args;
mod buffer;
mod cnum;
mod density;
mod diff;
mod digits;
mod dot;
mod dump;
mod edges;
mod exclusive;
mod fields;
mod groups;
mod inclusive;
mod key;
mod labels;
mod lines;
mod methods;
mod numbers;
mod order;
mod out;
mod page;
mod places;
mod profile;
mod records;
mod relatives;
mod running;
mod seeded;
mod source;
mod texts;

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use args::Options;
use out::Out;
use profile::Profile;
use source::Source;

/// Why a run ended early.
enum Failure {
    /// A trace could not be read; the reason has been told already.
    Unreadable(OsString),
    /// Standard output took no more.
    Output(io::Error),
    /// The DOT file could not be written.
    Graph(OsString, io::Error),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Output(error)
    }
}

/// Runs dmtracedump with `args`, the first of which is the program's name as messages should
/// show it. Exit codes: 0 fine, 1 a trace or an output failed, 2 wrong usage.
pub fn main(args: impl Iterator<Item = OsString>) -> ExitCode {
    let posixly_correct = std::env::var_os("POSIXLY_CORRECT").is_some();
    let options = match args::parse(args, posixly_correct) {
        Ok(options) => options,
        Err(refusal) => {
            tell(&refusal.message());
            return ExitCode::from(2);
        }
    };
    let stdout = io::stdout().lock();
    match run(&options, Out::new(stdout)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
            ExitCode::SUCCESS
        }
        Err(failure) => {
            tell(&failure.message());
            ExitCode::FAILURE
        }
    }
}

impl Failure {
    fn message(&self) -> Vec<u8> {
        match self {
            Failure::Unreadable(path) => {
                [b"Cannot read \"", path.as_encoded_bytes(), b"\".\n"].concat()
            }
            Failure::Output(error) => format!("Cannot write the output: {error}\n").into_bytes(),
            Failure::Graph(path, error) => {
                let reason = format!("\": {error}\n");
                [
                    b"Cannot write \"",
                    path.as_encoded_bytes(),
                    reason.as_bytes(),
                ]
                .concat()
            }
        }
    }
}

fn run<W: Write>(options: &Options, mut out: Out<W>) -> Result<(), Failure> {
    if options.dump {
        if let Some(source) = Source::open(&options.trace) {
            dump::dump(source.bytes(), &mut out)?;
        }
    } else {
        report(options, &mut out)?;
    }
    out.finish()?;
    Ok(())
}

fn report<W: Write>(options: &Options, out: &mut Out<W>) -> Result<(), Failure> {
    let source = open(&options.trace)?;
    let mut profile = read(&options.trace, &source)?;
    if let Some(old) = &options.diff {
        let old_source = open(old)?;
        let old_profile = read(old, &old_source)?;
        tell_long_names(&old_profile);
        tell_long_names(&profile);
        return Ok(diff::report(options, &old_profile, &profile, out)?);
    }
    profile_report(options, &mut profile, out)?;
    if let Some(picture) = &options.graph {
        out.flush()?;
        dot::draw(options, picture, &mut profile).map_err(|(path, e)| Failure::Graph(path, e))?;
    }
    Ok(())
}

/// The four sections, with the page around them if HTML is wanted.
fn profile_report<W: Write>(
    options: &Options,
    profile: &mut Profile<'_>,
    out: &mut Out<W>,
) -> io::Result<()> {
    if options.html {
        tell_long_names(profile);
        page::header(options.sortable_url.as_deref(), out)?;
        page::contents(out)?;
    }
    let labels = labels::Labels::new(&profile.methods, options.html);
    let mut order = profile.methods.all();
    let ranks = profile.rank(&mut order);
    exclusive::section(profile, &labels, &ranks, &mut order, options.html, out)?;
    inclusive::section(profile, &labels, &ranks, &mut order, options.html, out)?;
    groups::by_class(profile, &ranks, options.html, out)?;
    groups::by_name(profile, &ranks, options.html, out)?;
    if options.html {
        page::footer(out)?;
    }
    Ok(())
}

fn open(path: &OsString) -> Result<Source, Failure> {
    Source::open(path).ok_or_else(|| Failure::Unreadable(path.clone()))
}

/// Reads and accounts for one trace, telling on stderr what had to be said about it.
fn read<'a>(path: &OsString, source: &'a Source) -> Result<Profile<'a>, Failure> {
    let (notes, profile) = Profile::read(source.bytes());
    tell(&notes);
    profile.ok_or_else(|| Failure::Unreadable(path.clone()))
}

/// Names beyond the original's buffer end it; here they are printed whole.
fn tell_long_names(profile: &Profile<'_>) {
    let long = profile
        .methods
        .list()
        .iter()
        .filter(|m| labels::is_too_long(m));
    match long.count() {
        0 => {}
        count => {
            tell(format!("WARNING: {count} methods have names of 10 KiB or more\n").as_bytes())
        }
    }
}

/// Writes to stderr; there is nobody left to tell if that fails.
fn tell(message: &[u8]) {
    let _ = io::stderr().lock().write_all(message);
}
