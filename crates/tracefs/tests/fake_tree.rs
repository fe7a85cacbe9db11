//! Sessions on a made-up tree: what is written, in which order, and what is put back when a step
//! fails. Nothing here needs root or a kernel.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::PathBuf;

use tempfile::TempDir;
use traceloom_tracefs::{
    Catalog, CategoryError, Config, Error, Properties, Session, Tracefs, Warning,
};

/// Files in a folder, with what the kernel does when some of them are written.
struct Fake {
    folder: TempDir,
    written: RefCell<Vec<String>>,
    /// Writes to this file are refused.
    refused: RefCell<Option<&'static str>>,
}

const EVENTS: [&str; 5] = [
    "sched/sched_switch",
    "sched/sched_wakeup",
    "sched/sched_waking",
    "irq/irq_handler_entry",
    "timer/timer_start",
];

impl Fake {
    fn new() -> Self {
        let fake = Self {
            folder: tempfile::tempdir().unwrap(),
            written: RefCell::default(),
            refused: RefCell::default(),
        };
        let files = [
            ("trace", ""),
            ("trace_marker", ""),
            ("tracing_on", "0"),
            ("buffer_size_kb", "7 (expanded: 1408)"),
            ("trace_clock", "[local] global boot mono"),
            ("current_tracer", "nop"),
            ("set_event", ""),
            ("options/overwrite", "1"),
            ("options/print-tgid", "0"),
            ("options/record-tgid", "0"),
            ("events/irq/enable", "0"),
        ];
        for (file, text) in files {
            fake.put(file, text);
        }
        for event in EVENTS {
            fake.put(&format!("events/{event}/enable"), "0");
        }
        fake
    }

    fn put(&self, file: &str, text: &str) {
        let path = self.path(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn get(&self, file: &str) -> String {
        fs::read_to_string(self.path(file)).unwrap()
    }

    /// All settings; what was recorded is none.
    fn settings(&self) -> BTreeMap<String, String> {
        let mut settings = BTreeMap::new();
        let mut folders = vec![self.folder.path().to_path_buf()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap().flatten() {
                match entry.path().is_dir() {
                    true => folders.push(entry.path()),
                    false => {
                        let name = entry
                            .path()
                            .strip_prefix(self.folder.path())
                            .unwrap()
                            .display()
                            .to_string();
                        settings.insert(name, fs::read_to_string(entry.path()).unwrap());
                    }
                }
            }
        }
        settings.remove("trace");
        settings.remove("trace_marker");
        settings
    }

    /// The list of all events that are on follows their switches.
    fn switch(&self, system: &str, event: Option<&str>, on: bool) {
        let of_system = |path: &&&str| {
            let (known, name) = path.split_once('/').unwrap();
            known == system && event.is_none_or(|event| event == name)
        };
        for path in EVENTS.iter().filter(of_system) {
            self.put(&format!("events/{path}/enable"), if on { "1" } else { "0" });
        }
        let on = |path: &&&str| self.get(&format!("events/{path}/enable")) == "1";
        let lines = EVENTS
            .iter()
            .filter(on)
            .map(|path| path.replace('/', ":") + "\n");
        self.put("set_event", &lines.collect::<String>());
    }
}

impl Tracefs for Fake {
    fn path(&self, file: &str) -> PathBuf {
        self.folder.path().join(file)
    }

    fn write(&self, file: &str, text: &str) -> io::Result<()> {
        if *self.refused.borrow() == Some(file) {
            return Err(io::Error::from_raw_os_error(libc::EINVAL));
        }
        self.written
            .borrow_mut()
            .push(format!("{file} {}", text.trim_end()));
        let parts: Vec<&str> = file.split('/').collect();
        match parts[..] {
            ["events", system, "enable"] => self.switch(system, None, text == "1"),
            ["events", system, event, "enable"] => self.switch(system, Some(event), text == "1"),
            ["trace_clock"] => {
                let clocks = ["local", "global", "boot", "mono"];
                let shown = clocks.map(|clock| {
                    if clock == text {
                        format!("[{clock}]")
                    } else {
                        clock.to_owned()
                    }
                });
                self.put(file, &shown.join(" "));
            }
            _ => self.put(file, text),
        }
        Ok(())
    }
}

/// Properties in memory.
#[derive(Default)]
struct Store {
    values: RefCell<BTreeMap<String, String>>,
    announced: RefCell<usize>,
}

impl Properties for Store {
    fn get(&self, name: &str) -> Option<String> {
        self.values.borrow().get(name).cloned()
    }
    fn set(&self, name: &str, value: &str) -> io::Result<()> {
        let mut values = self.values.borrow_mut();
        match value {
            "" => values.remove(name),
            value => values.insert(name.to_owned(), value.to_owned()),
        };
        Ok(())
    }
    fn announce(&self) {
        *self.announced.borrow_mut() += 1;
    }
}

struct World {
    tree: Fake,
    store: Store,
    state: TempDir,
    catalog: Catalog,
}

impl World {
    fn new() -> Self {
        Self {
            tree: Fake::new(),
            store: Store::default(),
            state: tempfile::tempdir().unwrap(),
            catalog: Catalog::built_in(),
        }
    }

    fn config(&self, categories: &[&str]) -> Config {
        let names: Vec<String> = categories.iter().map(|&name| name.to_owned()).collect();
        let (categories, errors) = self.catalog.choose(&names, &self.tree, &self.store);
        assert_eq!(errors, []);
        Config {
            categories,
            state_folder: self.state.path().to_path_buf(),
            guarded: false,
            ..Config::default()
        }
    }

    fn start(&self, config: &Config) -> Result<Session<'_>, Error> {
        Session::start(&self.tree, &self.store, &self.catalog, config)
    }
}

#[test]
fn steps_come_in_the_order_of_the_original() {
    let world = World::new();
    let session = world
        .start(&world.config(&["sched", "irq", "gfx"]))
        .unwrap();
    let written = world.tree.written.borrow().clone();
    let (marks, steps): (Vec<_>, Vec<_>) = written
        .into_iter()
        .partition(|step| step.starts_with("trace_marker"));
    let expected = [
        "options/overwrite 0",
        "buffer_size_kb 2048",
        "trace_clock boot",
        // Older kernels of Android have this one instead of record-tgid.
        "options/print-tgid 1",
        "events/sched/sched_switch/enable 1",
        "events/sched/sched_wakeup/enable 1",
        "events/sched/sched_waking/enable 1",
        "events/irq/enable 1",
        "tracing_on 1",
    ];
    assert_eq!(steps, expected);
    assert_eq!(marks.len(), 2);
    assert_eq!(
        world.store.get("debug.atrace.tags.enableflags").as_deref(),
        Some("0x2")
    );
    drop(session);
}

#[test]
fn everything_is_put_back() {
    let world = World::new();
    world.tree.put("trace_clock", "local [global] boot mono");
    world.tree.put("options/overwrite", "0");
    world.tree.put("buffer_size_kb", "512");
    world.tree.switch("timer", Some("timer_start"), true);
    world.tree.switch("sched", Some("sched_waking"), true);
    world.store.set("debug.atrace.app_0", "somebody").unwrap();
    let (before, values) = (world.tree.settings(), world.store.values.borrow().clone());

    let mut config = world.config(&["irq", "view"]);
    config.apps = vec!["a".into(), "b*".into()];
    config.overwrite = true;
    let mut session = world.start(&config).unwrap();
    assert_eq!(
        world.tree.get("set_event"),
        "irq:irq_handler_entry\ntimer:timer_start\n"
    );
    assert_eq!(world.store.get("debug.atrace.app_1").as_deref(), Some("b*"));
    session.stop().unwrap();
    assert_eq!(session.restore(), []);
    assert_eq!(world.tree.settings(), before);
    assert_eq!(*world.store.values.borrow(), values);
    assert_eq!(*world.store.announced.borrow(), 2);
}

#[test]
fn whatever_step_fails_everything_is_put_back() {
    let steps = [
        "options/overwrite",
        "buffer_size_kb",
        "trace_clock",
        "options/print-tgid",
        "events/sched/sched_switch/enable",
        "events/irq/enable",
        "tracing_on",
        "trace_marker",
    ];
    for step in steps {
        let world = World::new();
        let config = world.config(&["sched", "irq", "gfx"]);
        let mut before = world.tree.settings();
        *world.tree.refused.borrow_mut() = Some(step);
        let error = world.start(&config).err().unwrap();
        assert!(matches!(error, Error::File { .. }), "{step}: {error}");
        assert!(
            error.to_string().ends_with("Invalid argument (22)"),
            "{error}"
        );
        // A buffer that was never used has no size that could be written.
        let mut after = world.tree.settings();
        let never_used = before.insert("buffer_size_kb".into(), String::new());
        let after_size = after.insert("buffer_size_kb".into(), String::new());
        assert!(after_size == never_used || after_size.as_deref() == Some("1408"));
        assert_eq!(after, before, "{step}");
        assert!(world.store.values.borrow().is_empty(), "{step}");
    }
}

#[test]
fn an_event_that_a_category_can_do_without_is_a_warning() {
    let world = World::new();
    *world.tree.refused.borrow_mut() = Some("events/sched/sched_waking/enable");
    let mut session = world.start(&world.config(&["sched"])).unwrap();
    let warnings = session.take_warnings();
    assert!(matches!(&warnings[..], [Warning::Event(text)] if text.contains("sched_waking")));
    assert_eq!(session.take_warnings(), []);
}

#[test]
fn a_recording_left_running_is_ended_by_another_process() {
    let world = World::new();
    world.tree.put("buffer_size_kb", "512");
    let before = world.tree.settings();
    let config = world.config(&["sched", "gfx"]);
    world.start(&config).unwrap().leave_running().unwrap();
    assert_eq!(world.tree.get("tracing_on"), "1");

    let other = World {
        tree: world.tree,
        store: world.store,
        state: world.state,
        catalog: world.catalog,
    };
    let mut session = Session::adopt(&other.tree, &other.store, &config).unwrap();
    assert!(session.has_changes());
    session.stop().unwrap();
    assert_eq!(session.restore(), []);
    assert_eq!(other.tree.settings(), before);
    assert!(other.store.values.borrow().is_empty());
    assert_eq!(fs::read_dir(other.state.path()).unwrap().count(), 0);
}

#[test]
fn user_space_ends_alone_and_the_kernel_later() {
    let world = World::new();
    world.tree.put("buffer_size_kb", "512");
    let before = world.tree.settings();
    let config = world.config(&["sched", "gfx"]);
    world.start(&config).unwrap().leave_running().unwrap();
    let recording = world.tree.settings();
    let session = Session::adopt(&world.tree, &world.store, &config).unwrap();
    assert_eq!(session.restore_user_space().unwrap(), []);
    assert!(world.store.values.borrow().is_empty());
    assert_eq!(world.tree.settings(), recording);
    let mut session = Session::adopt(&world.tree, &world.store, &config).unwrap();
    session.stop().unwrap();
    session.restore();
    assert_eq!(world.tree.settings(), before);
}

#[test]
fn what_cannot_be_put_back_is_told_and_the_rest_is_put_back() {
    let world = World::new();
    let mut session = world.start(&world.config(&["sched"])).unwrap();
    session.stop().unwrap();
    *world.tree.refused.borrow_mut() = Some("trace_clock");
    let warnings = session.restore();
    assert!(matches!(&warnings[..], [Warning::NotRestored { what, .. }] if what == "trace_clock"));
    assert_eq!(world.tree.get("options/overwrite"), "1");
    assert_eq!(world.tree.get("set_event"), "");
}

#[test]
fn cpus_with_buffers_of_their_own_sizes_get_them_back() {
    let world = World::new();
    world.tree.put("buffer_size_kb", "X");
    world.tree.put("per_cpu/cpu0/buffer_size_kb", "100");
    world.tree.put("per_cpu/cpu1/buffer_size_kb", "200");
    let mut session = world.start(&world.config(&[])).unwrap();
    session.stop().unwrap();
    world.tree.written.borrow_mut().clear();
    assert_eq!(session.restore(), []);
    let written = world.tree.written.borrow();
    for size in [
        "per_cpu/cpu0/buffer_size_kb 100",
        "per_cpu/cpu1/buffer_size_kb 200",
    ] {
        assert!(written.iter().any(|step| step == size), "{written:?}");
    }
}

#[test]
fn functions_are_filtered_before_they_are_traced() {
    let world = World::new();
    world
        .tree
        .put("set_ftrace_filter", "#### all functions enabled ####\n");
    world.tree.put("options/funcgraph-abstime", "0");
    let mut config = world.config(&[]);
    config.functions = vec!["do_sys_open".into(), "vfs_*".into()];
    // The fake appends without a line's end, as the kernel takes one function a write.
    let error = world.start(&config).err().unwrap();
    assert!(matches!(error, Error::UnknownFunction(name) if name == "do_sys_open"));
    assert_eq!(world.tree.get("current_tracer"), "nop");
    assert_eq!(world.tree.get("set_ftrace_filter"), "");

    config.functions = vec!["vfs_*".into()];
    let mut session = world.start(&config).unwrap();
    assert_eq!(world.tree.get("current_tracer"), "function_graph");
    assert_eq!(world.tree.get("options/funcgraph-abstime"), "1");
    session.stop().unwrap();
    session.restore();
    assert_eq!(world.tree.get("current_tracer"), "nop");
    assert_eq!(world.tree.get("options/funcgraph-abstime"), "0");
}

#[test]
fn categories_that_cannot_be_had_say_why() {
    let world = World::new();
    let names = ["sched", "nonsense", "mmc", "thermal", "core_services"].map(str::to_owned);
    let (chosen, errors) = world.catalog.choose(&names, &world.tree, &world.store);
    assert_eq!(chosen.len(), 1);
    let expected = [
        CategoryError::Unknown("nonsense".into()),
        CategoryError::Unsupported("mmc".into()),
        // It has a tag, but not the event it cannot do without.
        CategoryError::Unsupported("thermal".into()),
        CategoryError::Unsupported("core_services".into()),
    ];
    assert_eq!(errors, expected);
}

#[test]
fn core_services_are_apps() {
    let world = World::new();
    world
        .store
        .set(
            "ro.atrace.core.services",
            "com.android.phone,com.android.settings",
        )
        .unwrap();
    let mut config = world.config(&["core_services"]);
    config.apps = vec!["mine".into()];
    let session = world.start(&config).unwrap();
    let app = |number| world.store.get(&format!("debug.atrace.app_{number}"));
    let apps = [app("0"), app("1"), app("2"), app("number")].map(Option::unwrap);
    assert_eq!(
        apps,
        ["mine", "com.android.phone", "com.android.settings", "3"]
    );
    drop(session);
    assert_eq!(app("number"), None);
}

/// Somebody else may be recording the kernel meanwhile.
#[test]
fn user_space_alone_leaves_the_kernel_alone() {
    let world = World::new();
    world.tree.put("tracing_on", "1");
    let before = world.tree.settings();
    let mut config = world.config(&["sched", "gfx"]);
    config.only_user_space = true;
    let session = world.start(&config).unwrap();
    assert_eq!(
        world.store.get("debug.atrace.tags.enableflags").as_deref(),
        Some("0x2")
    );
    drop(session);
    assert!(world.store.values.borrow().is_empty());
    assert_eq!(world.tree.settings(), before);
    assert_eq!(*world.tree.written.borrow(), [""; 0]);
}
