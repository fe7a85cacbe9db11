//! The program: parses the command line, then lists categories or records.

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use super::console::print_error;
use super::help;
use super::job::{Job, Outcome};
use super::options::{self, Options};
use crate::system_properties::DeviceProperties;
use crate::{Catalog, Error, Mounted, NoProperties, Properties, Tracefs};

/// The exit code of Android's atrace for usage errors, `exit(-1)`.
const USAGE_ERROR: u8 = 255;

/// Runs the program. The first of `args` is its name. Exit codes: 0 for success, 1 after a signal or a
/// failure, 255 for usage errors.
pub fn run(args: impl Iterator<Item = OsString>) -> ExitCode {
    let mut args = args.map(|arg| arg.to_string_lossy().into_owned());
    let program = args.next().unwrap_or_else(|| "atrace".to_owned());
    let args: Vec<String> = args.collect();
    ExitCode::from(run_with(&program, &args))
}

fn run_with(program: &str, args: &[String]) -> u8 {
    if args == ["--help"] {
        print_error(&usage(program));
        return 0;
    }
    let tree = match Mounted::find() {
        Ok(tree) => tree,
        Err(error) => {
            print_error(&format!("{error}\nNo trace folder found"));
            print_error("(as root: mount -t tracefs nodev /sys/kernel/tracing)");
            return USAGE_ERROR;
        }
    };
    let options = match options::parse(args) {
        Ok(options) => options,
        Err(message) => {
            print_error(&format!("{program}: {message}\n\n{}", usage(program)));
            return USAGE_ERROR;
        }
    };
    let properties = find_properties();
    match catalog(&options) {
        Ok(catalog) if options.list => list(&catalog, &tree, &*properties),
        Ok(catalog) => record(&options, &catalog, &tree, &*properties),
        Err(error) => {
            print_error(&error.to_string());
            1
        }
    }
}

fn record(
    options: &Options,
    catalog: &Catalog,
    tree: &dyn Tracefs,
    properties: &dyn Properties,
) -> u8 {
    // Android's atrace checks categories while it parses options, so their errors come first.
    let (chosen, errors) = catalog.choose(&options.categories, tree, properties);
    errors
        .iter()
        .for_each(|error| print_error(&error.to_string()));
    let dat = match (usage_error(options), options.dat()) {
        (None, Ok(dat)) => dat,
        (Some(message), _) => return refuse(message),
        (None, Err(message)) => return refuse(&message),
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
            print_error(&error.to_string());
            u8::from(!options.compat)
        }
    }
}

fn refuse(message: &str) -> u8 {
    print_error(message);
    1
}

fn usage_error(options: &Options) -> Option<&'static str> {
    let steps = options.steps;
    if options.only_user_space && !(steps.is_async && (steps.start || steps.stop)) {
        return Some("--only_userspace can only be used with --async_start or --async_stop");
    }
    if options.raw && options.compress {
        return Some(
            "--raw writes a trace.dat, which cannot be combined with -z: see --raw_compression",
        );
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
    let mut catalog = Catalog::for_device()?;
    for file in &options.category_files {
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
            print_error(&Error::Output(error).to_string());
            1
        }
        _ => 0,
    }
}

fn usage(program: &str) -> String {
    format!("usage: {program}{}", help::USAGE.trim_end())
}
