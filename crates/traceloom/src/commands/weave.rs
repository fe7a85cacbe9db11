//! `traceloom weave`: rewrites class files so that every method is a section in a trace.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use serde_json::json;
use traceloom_weave::{Build, Call, MAX_PACKED_ID, MethodMap, Names, Report, Rules, Skip};

use crate::output::{print, write_file};
use crate::print::{message, plain, thousands};

/// The number of failures listed by name. The others are only counted.
const SHOWN: usize = 10;

/// Rewrite class files so that every method appears in the app's traces
///
/// Each method opens a section at its start and closes it on every exit: before each return, and
/// when an exception leaves it. The trace contains ids; the map turns them into method names.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  traceloom weave app.jar -o woven.jar --map methods.txt
  traceloom weave classes/ libs/ -o woven --map methods.txt --base-map last/methods.txt
  traceloom weave app.jar -o woven.jar --map methods.txt --include com.example --skip accessors")]
pub struct WeaveArgs {
    /// Jars, aars, zips, folders and class files to weave
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,

    /// Where to write the woven classes: an archive if the name ends like one, else a folder
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,

    /// Where to write the map from ids to methods; - is standard output
    #[arg(long, value_name = "FILE")]
    map: PathBuf,

    /// Map of an earlier build, whose methods keep their ids
    #[arg(long, value_name = "FILE")]
    base_map: Option<PathBuf>,

    /// The methods that woven code calls: section (android.os.Trace), trace-tag (its variant with a
    /// tag), recorder (traceloom.Recorder), or your own pair such as com.example.Beat.i(int)/o(int)
    #[arg(long, value_name = "CALL", default_value = "section")]
    call: Call,

    /// Value passed to a `long` parameter of the called methods [default: 4096, the tag of apps]
    #[arg(long, value_name = "N")]
    tag: Option<i64>,

    /// Name sections by class and method instead of the id, if that fits in 127 characters
    #[arg(long)]
    names: bool,

    /// File of rules that select methods (TOML, or lines such as -keeppackage android/); repeatable
    #[arg(long, value_name = "FILE", help_heading = "Rules")]
    rules: Vec<PathBuf>,

    /// Weave only this package, class or method (* matches anything but a dot, ** anything); repeatable
    #[arg(long, value_name = "NAME", help_heading = "Rules")]
    include: Vec<String>,

    /// Leave out this package, class or method, even if it is included; repeatable
    #[arg(long, value_name = "NAME", help_heading = "Rules")]
    exclude: Vec<String>,

    /// Leave out methods of these kinds
    #[arg(
        long,
        value_name = "KINDS",
        value_delimiter = ',',
        help_heading = "Rules"
    )]
    skip: Vec<SkipKind>,

    /// Leave out methods with fewer instructions
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Rules")]
    min_instructions: usize,

    /// Cache woven classes in this file and reuse the unchanged ones
    #[arg(long, value_name = "FILE")]
    cache: Option<PathBuf>,

    /// Number of threads [default: one per core]; the result does not depend on it
    #[arg(long, value_name = "N")]
    threads: Option<usize>,

    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

/// Kinds of methods that `--skip` knows.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum SkipKind {
    /// Methods that only return
    Empty,
    /// Methods that only read or write one field
    Accessors,
    /// Methods that only call one other method
    SingleCall,
    /// Methods that call nothing
    Leaf,
}

/// Runs the command.
///
/// # Errors
/// If an input, a rule or the base map cannot be read, or the output cannot be written.
pub fn run(args: &WeaveArgs) -> Result<ExitCode> {
    let call = args.call.clone();
    let build = Build {
        call: match args.tag {
            Some(tag) => call.with_tag(tag),
            None => call,
        },
        full_names: args.names,
        rules: rules(args)?,
        base: args.base_map.as_deref().map(read_map).transpose()?,
        threads: args.threads,
        cache: args.cache.clone(),
    };
    let (report, map) = build.run(&args.inputs, &args.output)?;
    write_file(
        &args.map,
        |out| Ok(out.write_all(map.to_text().as_bytes())?),
    )?;
    let is_map_printed = args.map.as_os_str() == "-";
    match (args.json, is_map_printed) {
        (true, _) => print(|out| json(out, &report, &map))?,
        (false, true) => {}
        (false, false) => print(|out| text(out, &report))?,
    }
    warn(&report, &map);
    Ok(ExitCode::SUCCESS)
}

fn read_map(path: &Path) -> Result<MethodMap> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("cannot read the map {}", path.display()))?;
    MethodMap::parse(&text).with_context(|| path.display().to_string())
}

fn rules(args: &WeaveArgs) -> Result<Rules> {
    let has = |kind| args.skip.contains(&kind);
    let mut rules = Rules {
        include: names(&args.include),
        exclude: names(&args.exclude),
        skip: Skip {
            empty: has(SkipKind::Empty),
            accessors: has(SkipKind::Accessors),
            single_call: has(SkipKind::SingleCall),
            leaf: has(SkipKind::Leaf),
            min_instructions: args.min_instructions,
        },
    };
    for path in &args.rules {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("cannot read the rules {}", path.display()))?;
        let added = rules.add_text(&text);
        added.with_context(|| path.display().to_string())?;
    }
    Ok(rules)
}

/// Converts names on the command line. Each may be a package, a class or a method.
fn names(names: &[String]) -> Names {
    let names: Vec<String> = names.iter().map(|name| name.replace('/', ".")).collect();
    Names {
        packages: names.clone(),
        classes: names.clone(),
        methods: names,
        ..Names::default()
    }
}

fn text(out: &mut dyn Write, report: &Report) -> Result<()> {
    let number = |count: usize| thousands(count as u64);
    writeln!(
        out,
        "{} of {} methods woven, in {} of {} classes",
        number(report.woven_methods),
        number(report.methods),
        number(report.woven_classes),
        number(report.classes),
    )?;
    if report.cached_classes > 0 {
        writeln!(
            out,
            "{} classes were in the cache",
            number(report.cached_classes)
        )?;
    }
    if report.bytes_before > 0 && report.woven_classes > report.cached_classes {
        let (before, after) = (report.bytes_before, report.bytes_after);
        let more = (after as f64 / before as f64 - 1.0) * 100.0;
        let (before, after) = (thousands(before), thousands(after));
        writeln!(
            out,
            "{before} bytes of classes became {after} (+{more:.1} %)"
        )?;
    }
    let left_out = report.skipped.iter();
    let left_out: Vec<_> = left_out
        .map(|(why, count)| format!("{} {why}", number(*count)))
        .collect();
    if !left_out.is_empty() {
        writeln!(out, "left out: {}", left_out.join(", "))?;
    }
    Ok(())
}

fn json(out: &mut dyn Write, report: &Report, map: &MethodMap) -> Result<()> {
    let failure = |failure: &traceloom_weave::Failure| {
        json!({
            "method": failure.method,
            "file": failure.place,
            "reason": failure.why.name(),
            "detail": failure.why.to_string(),
        })
    };
    let unreadable = |(file, why): &(String, String)| json!({ "file": file, "reason": why });
    let report = json!({
        "classes": report.classes,
        "woven_classes": report.woven_classes,
        "cached_classes": report.cached_classes,
        "methods": report.methods,
        "woven_methods": report.woven_methods,
        "left_out": report.skipped,
        "failures": report.failures.iter().map(failure).collect::<Vec<_>>(),
        "unreadable": report.unreadable.iter().map(unreadable).collect::<Vec<_>>(),
        "signatures_dropped": report.unsigned,
        "duplicates": report.duplicates,
        "bytes_before": report.bytes_before,
        "bytes_after": report.bytes_after,
        "next_id": map.next,
    });
    serde_json::to_writer_pretty(&mut *out, &report)?;
    writeln!(out)?;
    Ok(())
}

/// Prints warnings on standard error.
fn warn(report: &Report, map: &MethodMap) {
    let failures = report.failures.iter();
    print_first(
        failures.map(|one| format!("not woven: {}: {} ({})", one.method, one.why, one.place)),
    );
    if let Some(count) = report.skipped.get("woven") {
        let count = thousands(*count as u64);
        message!(
            "{count} methods are already woven and stay as they are: keep the map of that build, or pass it as --base-map"
        );
    }
    let unreadable = report.unreadable.iter();
    print_first(unreadable.map(|(place, why)| format!("copied unchanged: {place}: {why}")));
    let unsigned = report.unsigned.iter();
    print_first(unsigned.map(|place| format!("{place} is no longer signed: its classes changed")));
    let duplicates = report.duplicates.iter();
    print_first(
        duplicates.map(|place| format!("left out, because another entry has this name: {place}")),
    );
    if map.next > MAX_PACKED_ID + 1 {
        message!("some ids exceed 20 bits: tools that store ids in 20 bits cannot read them");
    }
}

/// Prints the first few lines and the number of the others.
fn print_first(lines: impl ExactSizeIterator<Item = String>) {
    let more = lines.len().saturating_sub(SHOWN);
    for line in lines.take(SHOWN) {
        message!("{}", plain(&line));
    }
    if more > 0 {
        message!("… and {} more (--json has all)", thousands(more as u64));
    }
}
