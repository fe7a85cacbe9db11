//! Android's own atrace and ours, side by side on one kernel. What differs is listed here, and in
//! docs/atrace.md with its reason.

use crate::kernel::{Kernel, Settings};
use crate::program::{Device, Program, Said, original};

/// Events that the original, of Android 10, does not switch on for a category, and we, like
/// Android 14 or for the sake of viewers, do.
const MORE_EVENTS: [(&str, &[&str]); 2] = [
    ("freq", &["cpuhp:cpuhp_enter", "cpuhp:cpuhp_exit"]),
    (
        "disk",
        &["block:block_bio_complete", "block:block_bio_queue"],
    ),
];

/// Categories that the two do not both have: `memory` was kmem/rss_stat in Android 10, and
/// `thermal` came later.
const OTHER_CATEGORIES: [&str; 2] = ["memory", "thermal"];

/// Argument lines that record; each is begun with `--async_start` and ended with `--async_stop`.
const RECORDINGS: &[&[&str]] = &[
    &[],
    &["sched"],
    &["sched", "irq", "workq"],
    &["gfx", "view"],
    &["sched", "gfx", "-a", "com.example.app"],
    &["-a", "a,b,*", "-b", "1000"],
    &["-a", ""],
    &["-a", "a,,b"],
    &["core_services"],
    &["core_services", "-a", "x"],
    &["pdx", "idle"],
    &["-b", "0", "sched"],
    &["-b", "-5"],
    &["-b16MB", "-c"],
    &["-c", "-n", "-t", "3", "sched"],
    &["-f", "KERNEL"],
    &["-f", "KERNEL", "gfx"],
    &["-k", ""],
    &["-z", "sched"],
    &["--", "sched"],
    &["-cz", "-t1", "-b", "4096", "irq", "sched"],
];

/// Argument lines that end at once.
const OTHERS: &[&[&str]] = &[
    &["-q"],
    &["-t"],
    &["-cb"],
    &["--poll"],
    &["--version"],
    &["--help", "sched"],
    &["--help"],
    &["--async_sto"],
    &["--async_stack"],
    &["--stream=1"],
    &["--only_userspace"],
    &["--only_userspace", "--async_dump"],
    &["-t", "0", "sched"],
    &["-t", "-3", "gfx"],
    &["-t", "x", "-b", "x"],
    &["-z", "-t", "0", "sched"],
    &["-s", "0", "-t", "0"],
    &["--async_dump"],
    &["--async_stop"],
    &["--async_dump", "-z"],
    &["--async_start", "--async_dump"],
    &["--async_stop", "--async_dump"],
];

/// What can be seen of a recording from outside.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    begun: Said,
    recording: Settings,
    recording_properties: Vec<String>,
    ended: Said,
    after: Settings,
    after_properties: Vec<String>,
}

struct Bench {
    kernel: Kernel,
    device: Device,
}

impl Bench {
    fn set_up() -> Option<Self> {
        original()?;
        let kernel = Kernel::claim()?;
        let device = Device::new();
        std::fs::write(device.path("kernel"), "sched  irq").unwrap();
        Some(Self { kernel, device })
    }

    fn reset(&self) {
        self.kernel.reset();
        self.device.reset();
        self.device.set(
            "ro.atrace.core.services",
            "com.android.settings,com.android.phone",
        );
    }

    fn properties(&self) -> Vec<String> {
        let properties = self.device.properties().into_iter();
        let properties = properties.filter(|(name, _)| name != "ro.atrace.core.services");
        properties
            .map(|(name, value)| format!("{name}={value}"))
            .collect()
    }

    fn record(&self, program: Program, args: &[&str]) -> Seen {
        self.reset();
        let file = self.device.path("kernel");
        let mut args: Vec<&str> = args.to_vec();
        for arg in &mut args {
            if *arg == "KERNEL" {
                *arg = file.to_str().unwrap();
            }
        }
        let begun = self.device.run(program, &with(&args, "--async_start"));
        let (recording, recording_properties) = (self.kernel.settings(), self.properties());
        let ended = self.device.run(program, &with(&args, "--async_stop"));
        let after = self.kernel.settings();
        Seen {
            begun,
            recording,
            recording_properties,
            ended,
            after,
            after_properties: self.properties(),
        }
    }
}

/// In front, so that a `--` does not hide it.
fn with<'a>(args: &[&'a str], option: &'a str) -> Vec<&'a str> {
    std::iter::once(option)
        .chain(args.iter().copied())
        .collect()
}

/// Takes out of the events what only ours switches on.
fn without_more_events(seen: &mut Seen, args: &[&str]) {
    let more = MORE_EVENTS
        .iter()
        .filter(|(category, _)| args.contains(category));
    let more: Vec<&str> = more
        .flat_map(|(_, events)| events.iter().copied())
        .collect();
    let events = seen.recording.get_mut("events").unwrap();
    let kept: Vec<&str> = events
        .split(' ')
        .filter(|event| !more.contains(event))
        .collect();
    *events = kept.join(" ");
}

#[test]
fn recordings_are_the_originals() {
    let Some(bench) = Bench::set_up() else { return };
    for args in RECORDINGS {
        compare(&bench, args);
    }
}

#[test]
fn each_categorys_events_are_the_originals() {
    let Some(bench) = Bench::set_up() else { return };
    for category in ["idle", "freq", "disk", "sync", "memreclaim", "pagecache"] {
        let original = bench.record(Program::Original, &[category]);
        let mut compat = bench.record(Program::Compat, &[category]);
        without_more_events(&mut compat, &[category]);
        assert_eq!(compat, original, "{category}");
    }
}

#[test]
fn each_categorys_tags_are_the_originals() {
    let Some(bench) = Bench::set_up() else { return };
    for category in categories(&bench, Program::Original) {
        if OTHER_CATEGORIES.contains(&category.as_str()) {
            continue;
        }
        let properties = |program| {
            bench.reset();
            let args = ["--only_userspace", "--async_start", &category];
            bench.device.run(program, &args);
            bench.properties()
        };
        assert_eq!(
            properties(Program::Ours),
            properties(Program::Original),
            "{category}"
        );
    }
}

fn compare(bench: &Bench, args: &[&str]) {
    let original = bench.record(Program::Original, args);
    let mut compat = bench.record(Program::Compat, args);
    without_more_events(&mut compat, args);
    assert_eq!(compat, original, "--compat {args:?}");

    let mut ours = bench.record(Program::Ours, args);
    without_more_events(&mut ours, args);
    // What is different without --compat: everything is as before.
    assert_eq!(ours.after, *bench.kernel.baseline(), "{args:?}");
    assert_eq!(ours.after_properties, [""; 0], "{args:?}");
    ours.after = original.after.clone();
    ours.after_properties = original.after_properties.clone();
    assert_eq!(ours, original, "{args:?}");
}

fn categories(bench: &Bench, program: Program) -> Vec<String> {
    bench.reset();
    let list = bench.device.run(program, &["--list_categories"]).stdout;
    list.lines()
        .map(|line| line.trim().split(' ').next().unwrap().to_owned())
        .collect()
}

#[test]
fn the_list_is_the_originals_but_for_later_categories() {
    let Some(bench) = Bench::set_up() else { return };
    bench.reset();
    let list = |program| {
        let said = bench
            .device
            .run(program, &["--list_categories", "--nonsense"]);
        assert_eq!((said.code, said.stderr.as_str()), (Some(0), ""));
        let other = |line: &&str| {
            !OTHER_CATEGORIES
                .iter()
                .any(|name| line.trim().starts_with(name))
        };
        let lines: Vec<String> = said
            .stdout
            .lines()
            .filter(other)
            .map(str::to_owned)
            .collect();
        lines
    };
    assert_eq!(list(Program::Ours), list(Program::Original));
}

#[test]
fn what_ends_at_once_says_what_the_original_says() {
    let Some(bench) = Bench::set_up() else { return };
    for args in OTHERS {
        bench.reset();
        let original = bench.device.run(Program::Original, args);
        let settings = bench.kernel.settings();
        for program in [Program::Compat, Program::Ours] {
            bench.reset();
            // One that is alone in being an option must stay alone.
            let program = if *args == ["--help"] {
                Program::Ours
            } else {
                program
            };
            let ours = bench.device.run(program, args);
            assert_eq!(ours, original, "{program:?} {args:?}");
            if program == Program::Compat {
                assert_eq!(bench.kernel.settings(), settings, "{args:?}");
            }
        }
    }
}

#[test]
fn user_space_alone_is_the_originals() {
    let Some(bench) = Bench::set_up() else { return };
    let mut seen = Vec::new();
    for program in [Program::Original, Program::Compat, Program::Ours] {
        bench.reset();
        let before = bench.kernel.settings();
        let begun = bench.device.run(
            program,
            &["--only_userspace", "--async_start", "gfx", "-a", "x"],
        );
        let properties = bench.properties();
        let ended = bench
            .device
            .run(program, &["--only_userspace", "--async_stop"]);
        assert_eq!(bench.kernel.settings(), before);
        seen.push((begun, properties, ended));
    }
    // Android 10 writes clock marks into a buffer that does not record; Android 14 no longer does.
    seen[0].0.stderr.clear();
    assert_eq!(seen[1], seen[0]);
    assert_eq!(seen[2], seen[0]);
    assert_eq!(bench.properties(), [""; 0]);
    // Nobody is told in the original's build for tests; ours tells both services, at each end.
    let code = "1599295570";
    let expected =
        ["activity", "activity", "window", "window"].map(|name| format!("{name} {code}"));
    assert_eq!(bench.device.calls(), expected);
}

/// The original names the category twice and gives up, as Android 10 did; we go on without it, as
/// Android 14 does.
#[test]
fn an_unknown_category_is_named() {
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

/// In a file, no category may be wrong. The original says so and exits with 0.
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

/// The original reads the file when the tags are set already; ours does not forget them.
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
    // All lines of the file, too.
    assert!(ours.recording["events"].contains("irq:irq_handler_entry"));
}

/// Function tracing that the kernel refuses fails in both; only ours says so to scripts.
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
