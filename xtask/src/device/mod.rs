//! `cargo xtask device [PART…]`: builds parts of a real Android device for this machine, from the
//! source packages of Debian, for tests alone. They land in the user's cache, where later clones
//! find them.

mod adbd;
mod atrace;
mod libcutils;
mod source;

use anyhow::{Result, bail};

use crate::run::have;
use crate::test::{Counts, Outcome};

type Build = fn() -> Result<()>;

/// What can be built, and how.
const PARTS: &[(&str, Build)] = &[
    ("adbd", adbd::build),
    ("atrace", atrace::build),
    ("libcutils.so", libcutils::build),
];

/// Builds the parts that `args` name, or all.
pub fn run(args: &[String]) -> Result<()> {
    let known = |name: &str| PARTS.iter().any(|(part, _)| *part == name);
    if let Some(unknown) = args.iter().find(|name| !known(name)) {
        let names: Vec<_> = PARTS.iter().map(|(name, _)| *name).collect();
        bail!("no part called {unknown}; there are {}", names.join(", "));
    }
    for (name, build) in PARTS {
        if args.is_empty() || args.iter().any(|arg| arg == name) {
            ensure(name, *build)?;
        }
    }
    Ok(())
}

/// Makes sure of every part for the tests; those of a missing one skip themselves and say so.
pub fn set_up() -> Counts {
    let mut counts = Counts::default();
    for (name, build) in PARTS {
        if let Err(error) = ensure(name, *build) {
            let why = format!("{name} cannot be built: {error:#}");
            counts.add(Outcome::Skipped(why).into());
        }
    }
    counts
}

fn ensure(name: &str, build: Build) -> Result<()> {
    let path = testkit::device_part(name);
    if path.is_file() {
        println!("{name} is there");
        return Ok(());
    }
    if !have("apt-get") {
        bail!("its source is a package of Debian's, and there is no apt-get");
    }
    println!("building {name}");
    build()?;
    println!("built {name}");
    Ok(())
}
