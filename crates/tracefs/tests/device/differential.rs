//! Compares Android's atrace with ours on the same kernel. Differences are listed here, and explained in docs/atrace.md.

use crate::kernel::{Kernel, Settings};
use crate::program::{Device, Program, Said, original, trace_of};

/// Events that we enable for a category, because Android 14 does so or viewers need them. The original, from Android 10,
/// does not.
const MORE_EVENTS: [(&str, &[&str]); 2] = [
    ("freq", &["cpuhp:cpuhp_enter", "cpuhp:cpuhp_exit"]),
    (
        "disk",
        &["block:block_bio_complete", "block:block_bio_queue"],
    ),
];

/// Categories that are not the same in both: `memory` was kmem/rss_stat in Android 10, and `thermal` did not exist yet.
const OTHER_CATEGORIES: [&str; 2] = ["memory", "thermal"];

/// Command lines that record. Each starts with `--async_start` and ends with `--async_stop`.
const RECORDINGS: &[&[&str]] = &[
    &[],
    &["sched", "irq", "workq", "gfx", "-a", "com.example.app"],
    &["-b", "0", "sched"],
    &["-b", "-5"],
    &["-b16MB", "-c"],
    &["-c", "-n", "-t", "3", "sched"],
    &["-f", "KERNEL"],
    &["-f", "KERNEL", "gfx"],
    &["-k", ""],
    &["--", "sched"],
    &["-cz", "-t1", "-b", "4096", "irq", "sched"],
];

/// Command lines that set properties.
const USER_SPACE: &[&[&str]] = &[
    &["gfx", "-a", "x"],
    &["-a", "a,b,*", "view", "gfx"],
    &["-a", ""],
    &["-a", "a,,b"],
    &["core_services"],
    &["core_services", "-a", "x"],
    &["pdx"],
];

/// Command lines that end at once.
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

/// The effects of a recording that other programs can see.
#[derive(Debug, PartialEq, Eq)]
pub struct Seen {
    begun: Said,
    pub recording: Settings,
    pub recording_properties: Vec<String>,
    ended: Said,
    after: Settings,
    after_properties: Vec<String>,
}

/// The kernel and the fake device for a comparison.
pub struct Bench {
    pub kernel: Kernel,
    pub device: Device,
}

impl Bench {
    pub fn set_up() -> Option<Self> {
        original()?;
        let kernel = Kernel::claim()?;
        let device = Device::new();
        std::fs::write(device.path("kernel"), "sched  irq").unwrap();
        Some(Self { kernel, device })
    }

    pub fn reset(&self) {
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

    pub fn record(&self, program: Program, args: &[&str]) -> Seen {
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

/// Adds an option at the front, because options after `--` have no effect.
fn with<'a>(args: &[&'a str], option: &'a str) -> Vec<&'a str> {
    std::iter::once(option)
        .chain(args.iter().copied())
        .collect()
}

/// Removes the events that only ours enables.
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
fn recordings_equal_the_originals() {
    let Some(bench) = Bench::set_up() else { return };
    for args in RECORDINGS {
        compare(&bench, args);
    }
}

#[test]
fn events_of_each_category_equal_the_originals() {
    let Some(bench) = Bench::set_up() else { return };
    for category in ["idle", "freq", "disk", "sync", "memreclaim", "pagecache"] {
        let original = bench.record(Program::Original, &[category]);
        let mut compat = bench.record(Program::Compat, &[category]);
        without_more_events(&mut compat, &[category]);
        assert_eq!(compat, original, "{category}");
    }
}

#[test]
fn tags_of_each_category_equal_the_originals() {
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
    // The only difference without --compat: the settings are as they were before.
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
fn the_list_equals_the_originals_except_for_later_categories() {
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
fn messages_equal_the_originals() {
    let Some(bench) = Bench::set_up() else { return };
    for args in OTHERS {
        bench.reset();
        let original = bench.device.run(Program::Original, args);
        let settings = bench.kernel.settings();
        for program in [Program::Compat, Program::Ours] {
            bench.reset();
            // `--help` must be the only argument.
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
fn user_space_only_equals_the_original() {
    let Some(bench) = Bench::set_up() else { return };
    for args in USER_SPACE {
        let mut original = user_space(&bench, Program::Original, args);
        // Android 10 writes clock marks although the buffer does not record. Android 14 does not.
        original.0.stderr.clear();
        assert_eq!(
            user_space(&bench, Program::Compat, args),
            original,
            "{args:?}"
        );
        assert_eq!(
            user_space(&bench, Program::Ours, args),
            original,
            "{args:?}"
        );
        assert_eq!(bench.properties(), [""; 0]);
    }
}

fn user_space(bench: &Bench, program: Program, args: &[&str]) -> (Said, Vec<String>, Said) {
    bench.reset();
    let only = ["--only_userspace", "--async_start"];
    let begun = bench.device.run(program, &[&only, args].concat());
    let properties = bench.properties();
    let ended = bench
        .device
        .run(program, &["--only_userspace", "--async_stop"]);
    assert_eq!(bench.kernel.settings(), *bench.kernel.baseline());
    (begun, properties, ended)
}

/// Ours calls all services at the start and at the end. The test build of the original calls none.
#[test]
fn services_are_asked_to_read_their_properties_again() {
    let Some(kernel) = Kernel::claim() else {
        return;
    };
    let device = Device::new();
    device.run(Program::Ours, &["-t", "0", "gfx"]);
    assert_eq!(kernel.settings(), *kernel.baseline());
    let code = "1599295570";
    let calls = ["activity", "activity", "window", "window"].map(|name| format!("{name} {code}"));
    assert_eq!(device.calls(), calls);
}

#[test]
fn the_output_file_holds_the_trace_without_the_progress() {
    let Some(bench) = Bench::set_up() else { return };
    let path = bench.device.path("out");
    for compress in [&[][..], &["-z"]] {
        let args = [compress, &["-t", "0", "irq", "-o", path.to_str().unwrap()]].concat();
        let mut files = Vec::new();
        for program in [Program::Original, Program::Ours] {
            bench.reset();
            std::fs::write(&path, "x".repeat(1 << 20)).unwrap();
            let said = bench.device.run(program, &args);
            assert_eq!(
                (said.code, said.stdout.as_str()),
                (Some(0), "capturing trace... done\n")
            );
            let file = std::fs::read(&path).unwrap();
            let trace = String::from_utf8(trace_of(&file)).unwrap();
            assert!(trace.ends_with('\n') && trace.contains("trace_event_clock_sync"));
            files.push((file[..8].to_vec(), trace.lines().next().map(str::to_owned)));
        }
        assert_eq!(files[0], files[1]);
    }
}
