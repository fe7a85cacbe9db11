//! `cargo xtask device [PART…]`: builds parts of a real Android device for this machine, from Debian's
//! source packages and a clone of Perfetto. Only tests use them. They are placed in the user's cache, where other clones find
//! them.

mod adbd;
mod atrace;
mod libcutils;
mod perfetto;
mod source;

use anyhow::{Result, bail};

use crate::run::have;
use crate::test::{Counts, Outcome};

/// Something that can be built.
struct Part {
    name: &'static str,
    /// The Debian packages that its build needs.
    packages: &'static [&'static str],
    /// Fails if its source is not available.
    has_source: fn() -> Result<()>,
    build: fn() -> Result<()>,
}

const PARTS: &[Part] = &[
    Part {
        name: "adbd",
        packages: adbd::PACKAGES,
        has_source: is_on_debian,
        build: adbd::build,
    },
    Part {
        name: "atrace",
        packages: atrace::PACKAGES,
        has_source: is_on_debian,
        build: atrace::build,
    },
    Part {
        name: "libcutils.so",
        packages: libcutils::PACKAGES,
        has_source: is_on_debian,
        build: libcutils::build,
    },
    Part {
        name: "perfetto",
        packages: perfetto::PACKAGES,
        has_source: perfetto::has_source,
        build: perfetto::build,
    },
];

impl Part {
    fn is_built(&self) -> bool {
        testkit::device_part(self.name).is_file()
    }

    fn ensure(&self) -> Result<()> {
        let name = self.name;
        if self.is_built() {
            println!("{name} is already built");
            return Ok(());
        }
        (self.has_source)()?;
        println!("building {name}");
        source::install(self.packages)?;
        (self.build)()?;
        println!("built {name}");
        Ok(())
    }
}

fn is_on_debian() -> Result<()> {
    if !have("apt-get") {
        bail!("its source is a Debian package, and there is no apt-get");
    }
    Ok(())
}

/// Builds the parts that `args` name, or all.
pub fn run(args: &[String]) -> Result<()> {
    let known = |name: &str| PARTS.iter().any(|part| part.name == name);
    if let Some(unknown) = args.iter().find(|name| !known(name)) {
        let names: Vec<_> = PARTS.iter().map(|part| part.name).collect();
        bail!("no part called {unknown}; there are {}", names.join(", "));
    }
    let wanted = |part: &&Part| args.is_empty() || args.iter().any(|arg| arg == part.name);
    PARTS.iter().filter(wanted).try_for_each(Part::ensure)
}

/// The Debian packages that the builds of the missing parts need.
pub fn packages_of_missing_parts() -> Vec<&'static str> {
    let missing = PARTS
        .iter()
        .filter(|part| !part.is_built() && (part.has_source)().is_ok());
    missing.flat_map(|part| part.packages).copied().collect()
}

/// Builds the missing parts for the tests, if `build` is set. Tests of a missing part skip themselves
/// and say why.
pub fn set_up(build: bool) -> Counts {
    let mut counts = Counts::default();
    for part in PARTS {
        let why = if build {
            part.ensure().err().map(|error| format!("{error:#}"))
        } else {
            (!part.is_built()).then(|| format!("run cargo xtask device {}", part.name))
        };
        if let Some(why) = why {
            let why = format!("{} is missing: {why}", part.name);
            counts.add(Outcome::Skipped(why).into());
        }
    }
    counts
}
