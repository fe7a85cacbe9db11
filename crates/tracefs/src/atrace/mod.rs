//! The program `atrace`: Android's, option by option, with what it lacked.

mod compat;
mod help;
mod options;
mod raw;
mod record;
mod signals;

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use crate::{Catalog, DeviceProperties, Error, Mounted, NoProperties, Properties, Tracefs};
use options::Options;
use record::{Job, Outcome};

/// What the original exits with where it calls `exit(-1)`.
const WRONG_USE: u8 = 255;

/// Runs the program with its arguments, the first of which is its name. Exit codes: 0 fine, 1 a
/// signal ended it or something failed, 255 wrong use.
pub fn run(args: impl Iterator<Item = OsString>) -> ExitCode {
    let mut args = args.map(|arg| arg.to_string_lossy().into_owned());
    let program = args.next().unwrap_or_else(|| "atrace".to_owned());
    let args: Vec<String> = args.collect();
    ExitCode::from(answer(&program, &args))
}

fn answer(program: &str, args: &[String]) -> u8 {
    if args == ["--help"] {
        tell(&usage(program));
        return 0;
    }
    let tree = match Mounted::find() {
        Ok(tree) => tree,
        Err(error) => {
            tell(&format!("{error}\nNo trace folder found"));
            tell("(as root: mount -t tracefs nodev /sys/kernel/tracing)");
            return WRONG_USE;
        }
    };
    let options = match options::parse(args) {
        Ok(options) => options,
        Err(complaint) => {
            tell(&format!("{program}: {complaint}\n\n{}", usage(program)));
            return WRONG_USE;
        }
    };
    let properties = find_properties();
    match catalog(&options) {
        Ok(catalog) if options.list => list(&catalog, &tree, &*properties),
        Ok(catalog) => work(&options, &catalog, &tree, &*properties),
        Err(error) => {
            tell(&error.to_string());
            1
        }
    }
}

fn work(
    options: &Options,
    catalog: &Catalog,
    tree: &dyn Tracefs,
    properties: &dyn Properties,
) -> u8 {
    // The original looks at the categories while it reads the options: their errors come first.
    let (chosen, errors) = catalog.choose(&options.categories, tree, properties);
    errors.iter().for_each(|error| tell(&error.to_string()));
    let dat = match (wrong_use(options), options.dat()) {
        (None, Ok(dat)) => dat,
        (Some(wrong), _) => return refuse(wrong),
        (None, Err(wrong)) => return refuse(&wrong),
    };
    let job = Job {
        options,
        catalog,
        tree,
        properties,
        chosen,
        dat,
    };
    match job.run() {
        Ok(Outcome::Done) => 0,
        Ok(Outcome::Aborted) => 1,
        Ok(Outcome::NotStarted) => u8::from(!options.compat),
        Err(error) => {
            tell(&error.to_string());
            u8::from(!options.compat)
        }
    }
}

fn refuse(wrong: &str) -> u8 {
    tell(wrong);
    1
}

fn wrong_use(options: &Options) -> Option<&'static str> {
    let steps = options.steps;
    if options.only_user_space && !(steps.is_async && (steps.start || steps.stop)) {
        return Some("--only_userspace can only be used with --async_start or --async_stop");
    }
    if options.raw && options.compress {
        return Some("--raw writes the kernel's own records: there is no -z for them");
    }
    None
}

fn find_properties() -> Box<dyn Properties> {
    match DeviceProperties::find() {
        Some(store) => Box::new(store),
        None => Box::new(NoProperties),
    }
}

fn catalog(options: &Options) -> Result<Catalog, Error> {
    let mut catalog = Catalog::of_device()?;
    for file in &options.own_categories {
        catalog.add_file(file)?;
    }
    Ok(catalog)
}

fn list(catalog: &Catalog, tree: &dyn Tracefs, properties: &dyn Properties) -> u8 {
    let lines = catalog.listed(tree, properties);
    let lines = lines
        .iter()
        .map(|line| format!("  {:>10} - {}\n", line.name, line.title));
    let text: String = lines.collect();
    match io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            tell(&Error::Output(error).to_string());
            1
        }
        _ => 0,
    }
}

fn usage(program: &str) -> String {
    format!("usage: {program}{}", help::USAGE.trim_end())
}

/// A line on stderr. Nobody may be there to read it any more; that is no reason to stop.
fn tell(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}
