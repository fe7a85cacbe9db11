//! A fake tracefs of plain files, properties in memory, and recordings with both.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::PathBuf;

use tempfile::TempDir;
use traceloom_tracefs::{Catalog, Config, Error, Properties, Session, Tracefs};

/// A tracefs of files in a folder. Imitates the kernel when some of them are written.
pub struct Fake {
    pub folder: TempDir,
    pub written: RefCell<Vec<String>>,
    /// Writes to this file are refused.
    pub refused: RefCell<Option<&'static str>>,
}

pub const EVENTS: [&str; 5] = [
    "sched/sched_switch",
    "sched/sched_wakeup",
    "sched/sched_waking",
    "irq/irq_handler_entry",
    "timer/timer_start",
];

/// Other files of a new buffer.
const FILES: [(&str, &str); 11] = [
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

impl Fake {
    pub fn new() -> Self {
        let fake = Self {
            folder: tempfile::tempdir().unwrap(),
            written: RefCell::default(),
            refused: RefCell::default(),
        };
        fake.furnish("");
        fake
    }

    /// The files of a buffer, in a folder whose name ends with `/`, or in the top-level one.
    fn furnish(&self, folder: &str) {
        for (file, text) in FILES {
            self.put(&format!("{folder}{file}"), text);
        }
        for event in EVENTS {
            self.put(&format!("{folder}events/{event}/enable"), "0");
        }
    }

    pub fn put(&self, file: &str, text: &str) {
        let path = self.path(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub fn get(&self, file: &str) -> String {
        fs::read_to_string(self.path(file)).unwrap()
    }

    /// All files except those with recorded events.
    pub fn settings(&self) -> BTreeMap<String, String> {
        let mut settings = BTreeMap::new();
        let mut folders = vec![self.folder.path().to_path_buf()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap().flatten() {
                if entry.path().is_dir() {
                    folders.push(entry.path())
                } else {
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
        settings.remove("trace");
        settings.remove("trace_marker");
        settings
    }

    /// Enables or disables events, and updates the list of enabled events.
    pub fn switch(&self, system: &str, event: Option<&str>, on: bool) {
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
            ["events", system, event, "enable"]
                if !EVENTS.contains(&format!("{system}/{event}").as_str()) =>
            {
                self.put(file, text);
            }
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

    fn make_folder(&self, folder: &str) -> io::Result<()> {
        self.furnish(&format!("{folder}/"));
        Ok(())
    }

    fn remove_folder(&self, folder: &str) -> io::Result<()> {
        fs::remove_dir_all(self.path(folder))
    }

    fn append(&self, file: &str, text: &str) -> io::Result<()> {
        if *self.refused.borrow() == Some(file) {
            return Err(io::Error::from_raw_os_error(libc::EINVAL));
        }
        if file.ends_with("probe_events") {
            return self.probe(file, text.trim_end());
        }
        self.put(file, &(self.get(file) + text));
        Ok(())
    }
}

impl Fake {
    /// Adds or removes a probe, as the kernel does: the list shows it, and it has a folder of files. A
    /// probe that is enabled cannot be removed.
    fn probe(&self, file: &str, line: &str) -> io::Result<()> {
        self.written.borrow_mut().push(format!("{file} {line}"));
        let (kind, rest) = line.split_once(':').unwrap();
        let event = rest.split(' ').next().unwrap();
        let folder = format!("events/{event}");
        let list = self.get(file);
        if kind != "-" {
            for name in ["enable", "filter", "trigger"] {
                self.put(&format!("{folder}/{name}"), "0");
            }
            self.put(file, &format!("{list}{line}\n"));
            return Ok(());
        }
        if self.get(&format!("{folder}/enable")) == "1" {
            return Err(io::Error::from_raw_os_error(libc::EBUSY));
        }
        fs::remove_dir_all(self.path(&folder))?;
        let others = list
            .lines()
            .filter(|other| !other.contains(&format!(":{event} ")));
        self.put(
            file,
            &others.map(|line| format!("{line}\n")).collect::<String>(),
        );
        Ok(())
    }
}

/// Properties in memory.
#[derive(Default)]
pub struct Store {
    pub values: RefCell<BTreeMap<String, String>>,
    pub announced: RefCell<usize>,
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

pub struct World {
    pub tree: Fake,
    pub store: Store,
    pub state: TempDir,
    pub catalog: Catalog,
}

impl World {
    pub fn new() -> Self {
        Self {
            tree: Fake::new(),
            store: Store::default(),
            state: tempfile::tempdir().unwrap(),
            catalog: Catalog::built_in(),
        }
    }

    pub fn config(&self, categories: &[&str]) -> Config {
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

    pub fn start(&self, config: &Config) -> Result<Session<'_>, Error> {
        Session::start(&self.tree, &self.store, &self.catalog, config)
    }
}
