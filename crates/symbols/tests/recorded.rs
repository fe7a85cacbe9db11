//! Programs that perf records during the test: their functions get the names that perf prints.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use traceloom_formats::{ReadOptions, read_bytes};
use traceloom_symbols::LocalSymbols;
use traceloom_trace::{ArgValue, IdKind, Trace};

/// Its two functions use nearly all of its time.
const PROGRAM: &str = r#"
static volatile unsigned long sum;
__attribute__((noinline)) void add_numbers(void) { for (unsigned long i = 0; i < 3000000; i++) sum += i; }
__attribute__((noinline)) void mix_numbers(void) { for (unsigned long i = 0; i < 3000000; i++) sum ^= i; }
int main(void) { for (int i = 0; i < 20; i++) { add_numbers(); mix_numbers(); } return 0; }
"#;

/// Whether a program that a test needs is installed. Prints a message if it is not.
fn has(program: &str) -> bool {
    let is_installed = Command::new(program).arg("--version").output().is_ok();
    if !is_installed {
        eprintln!("skipped: {program} is not installed");
    }
    is_installed
}

fn run(program: &str, args: &[&str]) {
    let output = Command::new(program).args(args).output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {args:?}: {message}");
}

/// Compiles the program with a build id that depends on `version`.
fn compiled(folder: &Path, version: &str) -> PathBuf {
    let (source, program) = (folder.join("hot.c"), folder.join("hot"));
    let text = format!("const char version[] = \"{version}\";\n{PROGRAM}");
    std::fs::write(&source, text).unwrap();
    let paths = [source.to_str().unwrap(), "-o", program.to_str().unwrap()];
    run(
        "cc",
        &[&["-O1", "-Wl,--build-id=sha1"][..], &paths].concat(),
    );
    program
}

/// Records a command with options of perf. `None` if perf is not allowed to record here.
fn recorded(folder: &Path, options: &[&str], command: &[&str]) -> Option<PathBuf> {
    let data = folder.join("perf.data");
    let status = Command::new("perf")
        .args(["record", "-q", "-F", "2000", "-e", "cpu-clock"])
        .args(options)
        .arg("-o")
        .arg(&data)
        .arg("--")
        .args(command)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    let is_recorded = status.is_ok_and(|status| status.success());
    if !is_recorded {
        eprintln!("skipped: perf cannot record here");
    }
    is_recorded.then_some(data)
}

/// The number of samples per function. Samples without a name have the key `?`.
fn counted(data: &Path, folders: &[&Path]) -> BTreeMap<String, usize> {
    let folders = folders.iter().map(|folder| folder.to_path_buf()).collect();
    let options = ReadOptions {
        symbolizer: Some(Arc::new(LocalSymbols::new(folders))),
        ..ReadOptions::default()
    };
    let trace = read_bytes(&std::fs::read(data).unwrap(), options).unwrap();
    let mut counts = BTreeMap::new();
    let samples = trace.strings.lookup("__intrinsic_profiler_sample");
    for (row, table) in trace.records.rows().table.iter().enumerate() {
        if Some(table) == samples {
            *counts.entry(function(&trace, row)).or_default() += 1;
        }
    }
    counts
}

/// The function in which a sample was taken.
fn function(trace: &Trace, sample: usize) -> String {
    let cell = |row: usize, name: &str| trace.records.cell(row, trace.strings.lookup(name)?);
    let row_at = |row: usize, name: &str| match cell(row, name)? {
        ArgValue::Row(IdKind::Record, row) => Some(row as usize),
        _ => None,
    };
    let frame = row_at(sample, "callsite_id").and_then(|callsite| row_at(callsite, "frame_id"));
    match frame.and_then(|frame| cell(frame, "name")) {
        Some(ArgValue::Text(name)) => trace.strings.get(name).to_owned(),
        _ => "?".to_owned(),
    }
}

/// The number of samples per function, as perf prints it. Functions that only perf names have the key `?`: entries in
/// the table of linked functions, and functions of kernel modules and of `[vdso]`.
fn printed(data: &Path) -> BTreeMap<String, usize> {
    let output = Command::new("perf")
        .args(["script", "-F", "ip,sym,dso", "-i"])
        .arg(data)
        .stderr(Stdio::null())
        .output()
        .unwrap();
    let mut counts = BTreeMap::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let (_, rest) = line.trim().split_once(' ').unwrap_or_default();
        let (name, file) = rest.rsplit_once(" (").unwrap_or_default();
        let is_file = file.starts_with('/') || file.starts_with("[kernel.kallsyms]");
        let has_name = is_file && name != "[unknown]" && !name.ends_with("@plt");
        let name = if has_name { name } else { "?" };
        *counts.entry(name.to_owned()).or_default() += 1;
    }
    counts
}

/// Replaces the names of kernel functions by their addresses. If several share an address, perf names the last one in
/// `/proc/kallsyms`: `__pi_memcpy` instead of `memcpy`.
fn same_names(counts: BTreeMap<String, usize>) -> BTreeMap<String, usize> {
    let symbols = std::fs::read_to_string("/proc/kallsyms").unwrap_or_default();
    let lines = symbols.lines().map(|line| line.split_ascii_whitespace());
    let addresses: BTreeMap<_, _> = lines
        .filter_map(|mut words| Some((words.next()?, words.nth(1)?)))
        .map(|(address, name)| (name, address))
        .collect();
    let mut same = BTreeMap::new();
    for (name, count) in counts {
        let key = addresses.get(&*name).map(|address| (*address).to_owned());
        *same.entry(key.unwrap_or(name)).or_default() += count;
    }
    same
}

#[test]
fn names_are_those_of_perf() {
    compare_names(&[]);
}

/// Here, mappings have build ids, and the file has no list of build ids.
#[test]
fn names_are_those_of_perf_with_build_ids_of_mappings() {
    compare_names(&["--buildid-mmap"]);
}

fn compare_names(options: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let loops = "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done; ls -lR /usr/lib > /dev/null";
    if !has("perf") {
        return;
    }
    let Some(data) = recorded(folder.path(), options, &["sh", "-c", loops]) else {
        return;
    };
    let (ours, perf) = (same_names(counted(&data, &[])), same_names(printed(&data)));
    let all = |counts: &BTreeMap<String, usize>| counts.values().sum::<usize>();
    assert_eq!(all(&ours), all(&perf));
    let differs = |name: &&String| ours.get(*name) != perf.get(*name);
    let names = ours.keys().chain(perf.keys());
    let different: Vec<_> = names
        .filter(differs)
        .map(|name| (name, ours.get(name), perf.get(name)))
        .collect();
    assert!(different.is_empty(), "{different:?}");
    println!("{} functions in {} samples", ours.len(), all(&ours));
}

/// Copies a symbol file to the place where distributions install it: `.build-id/ab/cdef.debug`.
fn only_symbols_by_id(file: &Path, folder: &Path) -> PathBuf {
    let output = Command::new("readelf").arg("-n").arg(file).output();
    let notes = String::from_utf8(output.unwrap().stdout).unwrap();
    let (_, id) = notes.split_once("Build ID: ").unwrap();
    let (first, rest) = id.split_whitespace().next().unwrap().split_at(2);
    let path = folder.join(format!(".build-id/{first}/{rest}.debug"));
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::copy(file, &path).unwrap();
    path
}

#[test]
fn stripped_programs_get_names_from_a_folder() {
    if !["perf", "cc", "strip", "objcopy", "readelf"]
        .into_iter()
        .all(has)
    {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(&path).unwrap();
        path
    };
    let program = compiled(&at("build"), "1");
    let whole = at("whole/deep/inside");
    std::fs::copy(&program, whole.join("hot")).unwrap();
    let only_symbols = at("symbols").join("hot.debug");
    let paths = [&program, &only_symbols].map(|path| path.to_str().unwrap());
    run("objcopy", &[&["--only-keep-debug"], &paths[..]].concat());
    run("strip", &paths[..1]);
    let Some(data) = recorded(folder.path(), &[], &paths[..1]) else {
        return;
    };
    let names = |folders: &[&Path]| {
        let counts = counted(&data, folders);
        let all: usize = counts.values().sum();
        let hot = ["add_numbers", "mix_numbers"].map(|name| counts.get(name).copied());
        hot.map(|count| count.unwrap_or_default() * 10 > all)
    };
    assert_eq!(names(&[]), [false; 2], "the program is stripped");
    assert_eq!(names(&[&at("whole")]), [true; 2]);
    assert_eq!(names(&[&at("symbols")]), [true; 2], "only symbols");
    let id = only_symbols_by_id(&only_symbols, &at("ids/deep"));
    assert_eq!(names(&[&at("ids")]), [true; 2], "{}", id.display());
    let other = at("other");
    compiled(&other, "2");
    assert_eq!(names(&[&other]), [false; 2], "another build");
    std::fs::remove_file(&program).unwrap();
    assert_eq!(names(&[&at("whole")]), [true; 2], "the program is gone");
    let alone = names(&[&at("symbols")]);
    assert_eq!(alone, [true; 2], "only symbols, and the program is gone");
}
