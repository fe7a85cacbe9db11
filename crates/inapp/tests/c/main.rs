//! C and C++ programs that use the library through its header. The tests read the files that they record.

use std::path::{Path, PathBuf};
use std::process::Command;

use traceloom_formats::{ReadOptions, read_bytes};
use traceloom_trace::{RowId, SliceId, Trace};

/// The library that was built with this test.
fn library() -> PathBuf {
    let exe = std::env::current_exe().expect("the path of the test program");
    let folder = exe.parent().expect("target/debug/deps");
    folder.join("libtraceloom_inapp.so")
}

/// Compiles a program, links it with the library under the name that apps use, and runs it.
fn run(compiler: &str, source: &str, flags: &[&str]) -> Option<tempfile::TempDir> {
    if Command::new(compiler).arg("--version").output().is_err() {
        println!("skipped: no {compiler}");
        return None;
    }
    let folder = tempfile::tempdir().expect("a folder");
    run_in(&folder, compiler, source, flags);
    Some(folder)
}

/// The same in a folder that may have other libraries, which `flags` link.
fn run_in(folder: &tempfile::TempDir, compiler: &str, source: &str, flags: &[&str]) {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let at = |name: &str| folder.path().join(name);
    std::fs::copy(library(), at("libtraceloom.so")).expect("the library is built with the test");
    let program = at("program");
    let built = Command::new(compiler)
        .args(["-Wall", "-Wextra", "-Werror", "-O1", "-pthread", "-o"])
        .arg(&program)
        .arg(here.join("tests/c").join(source))
        .arg("-I")
        .arg(here.join("include"))
        .arg("-L")
        .arg(folder.path())
        .args(["-ltraceloom", "-Wl,-rpath,$ORIGIN"])
        .args(flags)
        .output()
        .expect("the program starts");
    assert!(
        built.status.success(),
        "{}",
        String::from_utf8_lossy(&built.stderr)
    );
    let ran = Command::new(&program)
        .arg(folder.path())
        .status()
        .expect("the program starts");
    assert!(ran.success(), "{source}: {ran}");
}

fn read(path: &Path) -> Trace {
    let bytes = std::fs::read(path).expect("the program wrote it");
    read_bytes(&bytes, ReadOptions::default()).expect("a trace")
}

fn names(trace: &Trace) -> Vec<String> {
    let rows = trace.slices.spans();
    rows.map(|row| trace.slice_name(SliceId::from_row(row)))
        .collect()
}

fn counters(trace: &Trace) -> Vec<(&str, f64)> {
    let rows = trace.counters.rows();
    let shown = rows.map(|row| {
        let name = trace.tracks.name.get(row.track_id.row());
        (trace.strings.get(name), row.value)
    });
    shown.collect()
}

#[test]
fn a_c_program() {
    for compiler in ["cc", "clang"] {
        let Some(folder) = run(compiler, "main.c", &["-std=gnu11"]) else {
            continue;
        };
        let twice = [
            "first",
            "seventh",
            "first",
            "seventh",
            "called",
            "begun while on",
            "load",
        ];
        for file in ["c.ring", "c-last.ring", "c.systrace"] {
            let trace = read(&folder.path().join(file));
            assert_eq!(names(&trace)[..7], twice, "{file}");
            assert_eq!(counters(&trace), [("depth", 2.0), ("raw", 5.0)], "{file}");
            assert_eq!(trace.slices.instants().count(), 1, "{file}");
            assert!(trace.slices.dur.iter().all(|dur| dur >= 0), "{file}");
            assert!(
                trace.repairs.rows().is_empty(),
                "{file}: {:?}",
                trace.repairs.rows()
            );
        }
    }
}

#[test]
fn a_cpp_program() {
    for standard in ["-std=c++11", "-std=c++20"] {
        let Some(folder) = run("c++", "main.cpp", &[standard]) else {
            continue;
        };
        let trace = read(&folder.path().join("cpp.ring"));
        assert_eq!(names(&trace), ["on a thread", "tries", "throws"]);
        assert_eq!(counters(&trace), [("caught", 1.0)]);
        assert!(trace.slices.dur.iter().all(|dur| dur >= 0));
        assert!(
            trace.repairs.rows().is_empty(),
            "{:?}",
            trace.repairs.rows()
        );
    }
}

/// Builds a library for the program in the folder. False if there is no compiler.
fn build_library(folder: &Path, source: &str, name: &str) -> bool {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let build = Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .arg(folder.join(name))
        .arg(here.join("tests/c").join(source))
        .status();
    let is_built = build.is_ok_and(|status| status.success());
    if !is_built {
        println!("skipped: no cc");
    }
    is_built
}

#[test]
fn waits_for_locks_files_and_other_processes() {
    let folder = tempfile::tempdir().expect("a folder");
    if !build_library(folder.path(), "driver.c", "libdriver.so") {
        return;
    }
    run_in(&folder, "cc", "waits.c", &["-ldriver"]);
    let trace = read(&folder.path().join("waits.ring"));
    // The other thread may have been interrupted while it wrote.
    let main = trace.slices.track_id.get(0);
    let is_main = |row: &usize| trace.slices.track_id.get(*row) == main;
    let rows: Vec<usize> = (0..trace.slices.len()).filter(is_main).collect();
    let shown: Vec<String> = rows
        .iter()
        .map(|&row| names(&trace).swap_remove(row))
        .collect();
    let expected = [
        "lock wait",
        "lock wait",
        "read",
        "read",
        "write",
        "lock wait",
        "condition wait",
        "binder call",
        "quick",
    ];
    assert_eq!(shown[..expected.len()], expected, "{shown:?}");
    // A quick read may have been interrupted.
    assert!(shown.len() < 100, "{shown:?}");
    for (&row, name) in rows.iter().zip(&shown).take(expected.len() - 1) {
        let dur = trace.slices.dur.get(row);
        assert!(dur >= 1_000_000, "{name}: {dur} ns");
    }
    let rows = trace.repairs.rows();
    assert!(rows.is_empty(), "{rows:?}");
}

#[test]
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn what_a_trigger_saves_has_the_stack_of_the_blocked_thread() {
    let flags = ["-fno-omit-frame-pointer", "-rdynamic"];
    let Some(folder) = run("cc", "blocked.c", &flags) else {
        return;
    };
    let trace = read(&folder.path().join("blocked.ring.blocked-1.ring"));
    let rows = trace.slices.instants();
    let names = rows.map(|row| trace.slice_name(SliceId::from_row(row)));
    let names: Vec<String> = names.collect();
    assert!(names[0].starts_with("main thread blocked for"), "{names:?}");
    let place = |function: &str| {
        let begin = format!("at {function}+0x");
        let found = names.iter().position(|name| name.starts_with(&begin));
        found.unwrap_or_else(|| panic!("no {function} in {names:?}"))
    };
    assert_eq!(place("waits_in_vain") + 1, place("handles_a_message"));
    assert_eq!(place("handles_a_message") + 1, place("main"));
    // The innermost frame is in the C library.
    assert!(names[1].contains("libc"), "{names:?}");
}

#[test]
fn a_program_with_copies_of_the_variables() {
    let folder = tempfile::tempdir().expect("a folder");
    if !build_library(folder.path(), "cutils.c", "libcutils.so") {
        return;
    }
    let flags = ["-no-pie", "-fno-pic", "-lcutils"];
    run_in(&folder, "cc", "copies.c", &flags);
    let relocations = Command::new("readelf")
        .arg("-rW")
        .arg(folder.path().join("program"))
        .output();
    let relocations =
        relocations.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    if cfg!(target_arch = "x86_64")
        && let Ok(relocations) = relocations
    {
        assert_eq!(
            relocations.matches("R_X86_64_COPY").count(),
            2,
            "{relocations}"
        );
    }
    let trace = read(&folder.path().join("copies.ring"));
    assert_eq!(names(&trace), ["inlined"]);
}

#[test]
fn a_child_of_vfork_is_its_parents_thread() {
    let Some(folder) = run("cc", "vfork.c", &[]) else {
        return;
    };
    let trace = read(&folder.path().join("vfork.ring"));
    assert_eq!(names(&trace), ["parent", "child"]);
    assert_eq!(trace.slices.depth.iter().collect::<Vec<_>>(), [0, 1]);
    assert_eq!(trace.real_threads().count(), 1);
    assert!(
        trace.repairs.rows().is_empty(),
        "{:?}",
        trace.repairs.rows()
    );
}

#[test]
fn the_library_has_the_alignment_and_the_name_that_devices_need() {
    let read = |flag| {
        let output = Command::new("readelf")
            .arg(flag)
            .arg(library())
            .output()
            .ok()?;
        Some(String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let (Some(segments), Some(dynamic)) = (read("-lW"), read("-dW")) else {
        println!("skipped: no readelf");
        return;
    };
    let loads: Vec<&str> = segments
        .lines()
        .filter(|line| line.trim().starts_with("LOAD"))
        .collect();
    assert!(!loads.is_empty());
    for load in loads {
        assert!(load.trim_end().ends_with("0x4000"), "{load}");
    }
    assert!(dynamic.contains("[libtraceloom.so]"), "{dynamic}");
}
