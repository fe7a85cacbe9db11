//! The project's chores. `cargo xtask` without arguments lists them.

mod bench;
mod capture;
mod corpus;
mod device;
mod dist;
mod fixtures;
mod fuzz;
mod man;
mod package;
mod page_data;
mod run;
mod soak;
mod test;

use anyhow::{Result, bail};

const USAGE: &str = "\
usage: cargo xtask CHORE

  test              format, lints, all tests, other platforms; installs what they need
  bench [--quick] [--write] [SECTION]
                    our speed, the machine's limit and the peers' speed, in one run, or one
                    section of it (capture, page, …); --write puts the tables into
                    docs/performance.md
  fuzz [SECONDS] [TARGET…]
                    each fuzz target for 60 s, or SECONDS
  soak [SECONDS]    the property tests with new inputs, for 600 s or SECONDS
  dist              atrace and libtraceloom.so for each kind of device, into target/dist; fails where they are too big
  package [--check] packages every published crate into target/package; --check also installs
                    traceloom from them into an empty folder and writes a report
  man [DIR]         man pages and shell completions into DIR (default target/man)
  device [PART…]    builds Android's own adbd and atrace for this machine, for tests (root, Debian)
  fixtures          makes the generated files of examples/ again
  capture-fixture   records examples/linux.ftrace on this machine (root, Linux)
  page-data         the made-up traces that the page's tests open, into target/page-tests
  corpus            makes docs/real-traces.md again from the corpus of real traces";

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (chore, rest) = match args.split_first() {
        Some((chore, rest)) => (chore.as_str(), rest),
        None => ("help", &[][..]),
    };
    match chore {
        // Its last line is the sum; an error after it would only hide that.
        "test" => std::process::exit(if test::run() { 0 } else { 1 }),
        "bench" => bench::run(rest),
        "bench-child" => bench::in_child(rest),
        "fuzz" => fuzz::run(rest),
        "soak" => soak::run(rest),
        "dist" => dist::run(),
        "man" => man::run(rest),
        "package" => package::task(rest),
        "device" => device::run(rest),
        "fixtures" => fixtures::run(),
        "capture-fixture" => capture::run(),
        "page-data" => page_data::run(),
        "corpus" => corpus::run(),
        "help" | "--help" | "-h" => {
            println!("{USAGE}");
            Ok(())
        }
        other => bail!("no chore called {other}\n\n{USAGE}"),
    }
}
