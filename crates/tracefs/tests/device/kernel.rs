//! The kernel's tracefs, for one test at a time.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

const ROOT: &str = "/sys/kernel/tracing";
/// A test that uses the global buffer holds the lock of this file.
const LOCK: &str = "traceloom-tracefs-test.lock";

static TURN: Mutex<()> = Mutex::new(());

/// Settings that a recording may change.
const FILES: [&str; 6] = [
    "tracing_on",
    "buffer_size_kb",
    "trace_clock",
    "current_tracer",
    "options/overwrite",
    "options/record-tgid",
];

/// The settings at the start of each test: those of an Android device after boot.
const BASELINE: [(&str, &str); 6] = [
    ("tracing_on", "0"),
    ("current_tracer", "nop"),
    ("buffer_size_kb", "1024"),
    ("trace_clock", "local"),
    ("options/overwrite", "1"),
    ("options/record-tgid", "0"),
];

/// The right to use the kernel's global buffer.
pub struct Kernel {
    _turn: MutexGuard<'static, ()>,
    _lock: File,
    baseline: Settings,
}

/// The settings: values by file, and `events` with all enabled events.
pub type Settings = BTreeMap<String, String>;

impl Kernel {
    /// Waits until no other test uses the kernel, and sets everything to the baseline. Without root or tracefs, prints
    /// the reason and returns `None`.
    pub fn claim() -> Option<Self> {
        // SAFETY: geteuid has no preconditions.
        if unsafe { libc::geteuid() } != 0 {
            println!("skipped: recording needs root");
            return None;
        }
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let lock = File::create(std::env::temp_dir().join(LOCK)).unwrap();
        // SAFETY: the file is open. Closing it releases the lock.
        assert_eq!(unsafe { libc::flock(lock.as_raw_fd(), libc::LOCK_EX) }, 0);
        if !path("trace").exists() {
            let mounted = Command::new("mount")
                .args(["-t", "tracefs", "nodev", ROOT])
                .status();
            if !mounted.is_ok_and(|status| status.success()) {
                println!("skipped: this kernel has no tracefs");
                return None;
            }
        }
        let mut kernel = Self {
            _turn: turn,
            _lock: lock,
            baseline: Settings::new(),
        };
        kernel.reset();
        kernel.baseline = kernel.settings();
        Some(kernel)
    }

    /// The settings after [`Kernel::reset`].
    pub fn baseline(&self) -> &Settings {
        &self.baseline
    }

    /// Sets everything to the baseline.
    pub fn reset(&self) {
        for name in ["", "-instance-test-one"] {
            let _ = fs::remove_file(format!("/run/traceloom-atrace{name}"));
        }
        // Each write to the kernel takes milliseconds.
        if self.settings() == self.baseline {
            return;
        }
        write("events/enable", "0");
        for (file, value) in BASELINE {
            write(file, value);
        }
        File::options()
            .write(true)
            .truncate(true)
            .open(path("trace"))
            .unwrap();
        for instance in fs::read_dir(path("instances")).unwrap().flatten() {
            if instance.file_name().to_string_lossy().starts_with("test-") {
                fs::remove_dir(instance.path()).unwrap();
            }
        }
    }

    /// The current settings of the global buffer.
    pub fn settings(&self) -> Settings {
        settings_of("")
    }

    /// The current settings of an instance.
    pub fn settings_of_instance(&self, name: &str) -> Settings {
        settings_of(&format!("instances/{name}/"))
    }

    /// Writes a mark into the global buffer.
    pub fn mark(&self, text: &str) {
        fs::write(path("trace_marker"), text).unwrap();
    }

    /// Waits until another process has changed the settings to `expected`.
    pub fn wait_for(&self, expected: &Settings) {
        wait_until(|| self.settings() == *expected);
        assert_eq!(self.settings(), *expected);
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        self.reset();
        // Other users of the machine expect the kernel's own default.
        write("tracing_on", "1");
    }
}

/// Waits until something is true, at most a minute.
pub fn wait_until(is_true: impl Fn() -> bool) {
    let until = Instant::now() + Duration::from_secs(60);
    while !is_true() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A file of tracefs.
pub fn path(file: &str) -> PathBuf {
    Path::new(ROOT).join(file)
}

/// Writes a setting.
pub fn write(file: &str, value: &str) {
    fs::write(path(file), value).unwrap_or_else(|error| panic!("{file} = {value}: {error}"));
}

fn settings_of(folder: &str) -> Settings {
    let read = |file: &str| {
        let text = fs::read_to_string(path(&format!("{folder}{file}")));
        text.unwrap_or_default().trim().to_owned()
    };
    let mut settings: Settings = FILES
        .iter()
        .map(|&file| (file.to_owned(), read(file)))
        .collect();
    let text = read("set_event");
    let mut events: Vec<&str> = text.lines().collect();
    events.sort_unstable();
    settings.insert("events".to_owned(), events.join(" "));
    settings
}
