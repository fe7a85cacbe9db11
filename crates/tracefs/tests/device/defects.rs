//! Defects of Android's atrace, some of which Android 14 fixed. The tests check the original, our behaviour, and that
//! `--compat` reproduces the defect.

use crate::differential::{Bench, Seen};
use crate::program::{Program, Said};

/// The original (Android 10) reports the category twice and fails. We continue without it, as Android 14 does.
#[test]
fn an_unknown_category_is_reported() {
    let Some(bench) = Bench::set_up() else { return };
    bench.reset();
    for (name, what) in [
        ("nonsense", "error: unknown tracing category \"nonsense\""),
        (
            "mmc",
            "error: category \"mmc\" is not supported on this device.",
        ),
    ] {
        let original = bench.device.run(Program::Original, &["-t", "0", name]);
        assert_eq!(original.code, Some(1));
        assert!(original.stderr.starts_with(what), "{original:?}");
        for program in [Program::Ours, Program::Compat] {
            let ours = bench.device.run(program, &["-t", "0", name, "irq"]);
            assert_eq!((ours.code, ours.stderr.as_str()), (Some(0), what));
            assert!(ours.trace.is_some());
        }
    }
}

/// A wrong category in a file is an error. The original reports it, but exits with 0.
#[test]
fn a_wrong_category_in_a_file_ends_the_recording() {
    let Some(bench) = Bench::set_up() else { return };
    let file = bench.device.path("wrong");
    std::fs::write(&file, "sched nonsense").unwrap();
    let missing = bench.device.path("missing");
    for file in [&file, &missing] {
        let args = ["-f", file.to_str().unwrap(), "-t", "0"];
        bench.reset();
        let mut original = bench.device.run(Program::Original, &args);
        assert_eq!(original.code, Some(0));
        let last = |said: &Said| said.stderr.lines().last().map(str::to_owned);
        for (program, code) in [(Program::Compat, 0), (Program::Ours, 1)] {
            bench.reset();
            let before = bench.kernel.settings();
            let ours = bench.device.run(program, &args);
            assert_eq!(ours.code, Some(code), "{ours:?}");
            assert_eq!(bench.kernel.settings(), before);
            assert_eq!(last(&ours).as_deref(), Some("unable to start tracing"));
            if *file != missing {
                assert_eq!(ours.stderr, original.stderr);
            }
            original.code = ours.code;
            assert_eq!(ours.stdout, original.stdout);
        }
    }
}

/// The original reads the file after it has set the tags, so the file's tags are lost. Ours sets
/// them.
#[test]
fn tags_of_a_file_take_effect() {
    let Some(bench) = Bench::set_up() else { return };
    let file = bench.device.path("tags");
    std::fs::write(&file, "gfx view\nirq\n").unwrap();
    let args = ["-f", file.to_str().unwrap()];
    let tags = |seen: &Seen| {
        let tags = "debug.atrace.tags.enableflags=";
        seen.recording_properties
            .iter()
            .find_map(|line| line.strip_prefix(tags).map(str::to_owned))
    };
    let original = bench.record(Program::Original, &args);
    assert_eq!(tags(&original).as_deref(), Some("0"));
    let compat = bench.record(Program::Compat, &args);
    assert_eq!(compat, original);
    let ours = bench.record(Program::Ours, &args);
    assert_eq!(tags(&ours).as_deref(), Some("0xa"));
    // All lines of the file are read, not only the first.
    assert!(ours.recording["events"].contains("irq:irq_handler_entry"));
}

/// If the kernel cannot trace functions, both fail. Only ours has an exit code that says so.
#[test]
fn kernel_functions_that_cannot_be_traced_end_the_recording() {
    let Some(bench) = Bench::set_up() else { return };
    let tracers = std::fs::read_to_string(crate::kernel::path("available_tracers")).unwrap();
    if tracers.contains("function_graph") {
        println!("skipped: this kernel can trace functions");
        return;
    }
    for (program, code) in [
        (Program::Original, 0),
        (Program::Compat, 0),
        (Program::Ours, 1),
    ] {
        bench.reset();
        let before = bench.kernel.settings();
        let said = bench
            .device
            .run(program, &["-k", "do_sys_open,vfs_read", "-t", "0"]);
        assert_eq!(said.code, Some(code), "{said:?}");
        assert_eq!(said.stdout, "");
        assert!(said.stderr.ends_with("unable to start tracing"), "{said:?}");
        if program != Program::Original {
            assert_eq!(bench.kernel.settings(), before);
        }
    }
}
