//! The project's tasks. `cargo xtask` without arguments lists them.

mod bench;
mod capture;
mod conformance;
mod corpus;
mod device;
mod dist;
mod fixtures;
mod fuzz;
mod imports;
mod man;
mod package;
mod page_data;
mod protos;
mod run;
mod soak;
mod targets;
mod test;
mod venv;
mod wheel;

use anyhow::{Result, bail};

const USAGE: &str = "\
usage: cargo xtask TASK

  test [--no-install] [STEP…]
                    all checks, or only the named steps (setup, format, lints, imports, msrv, tests,
                    kernel, static, aarch64, packages, wheel, platforms, fuzz-targets, page, python);
                    the setup step installs what the tests need, unless --no-install is given
  bench [--quick] [--write] [SECTION]
                    measures traceloom, the limit of the machine and other tools (sections: methods,
                    systems, raw, perfetto, small, parts, dmtracedump, page, query, python,
                    capture, events, weave); --quick is a smoke test, --write updates docs/performance.md
  fuzz [SECONDS] [TARGET…]
                    runs each fuzz target for SECONDS (default: 60)
  soak [SECONDS]    runs the property tests with new inputs for SECONDS (default: 600)
  imports [CRATE…]  lists circular imports between the files of each crate
  dist              builds the release archives, and atrace and libtraceloom.so for devices, in target/dist
  package [--check] packages every published crate into target/package; --check also installs
                    traceloom from them into an empty folder and writes a report
  man [DIR]         writes man pages and shell completions to DIR (default: target/man)
  device [PART…]    builds Android's own adbd, atrace, libcutils and perfetto for the tests on this machine (root, Debian)
  fixtures          regenerates the generated files of examples/
  capture-fixture   records examples/linux.ftrace on this machine (root, Linux)
  page-data         writes the synthetic traces of the page's tests to target/page-tests
  corpus            regenerates docs/real-traces.md from the corpus of real traces
  conformance QUERIES [--suite DIR] [--modules DIR] [--binary FILE]
                    regenerates docs/conformance.md: asks traceloom the questions of Perfetto's tests; QUERIES is the
                    folder of their SQL, --modules that of Perfetto's standard library
  protos CLONE      regenerates the table of Perfetto's messages from a clone of google/perfetto";

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (task, rest) = match args.split_first() {
        Some((task, rest)) => (task.as_str(), rest),
        None => ("help", &[][..]),
    };
    match task {
        "test" => test::run(rest),
        "bench" => bench::run(rest),
        "bench-child" => bench::in_child(rest),
        "fuzz" => fuzz::run(rest),
        "soak" => soak::run(rest),
        "imports" => imports::run(rest),
        "dist" => dist::run(),
        "man" => man::run(rest),
        "package" => package::task(rest),
        "device" => device::run(rest),
        "fixtures" => fixtures::run(),
        "capture-fixture" => capture::run(),
        "page-data" => page_data::run(),
        "corpus" => corpus::run(),
        "conformance" => conformance::run(rest),
        "protos" => protos::run(rest),
        "help" | "--help" | "-h" => {
            println!("{USAGE}");
            Ok(())
        }
        other => bail!("no task called {other}\n\n{USAGE}"),
    }
}
