//! Hand-made method traces, and running the program on them.
#![allow(dead_code)]

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Actions, as in the low two bits of a record's method id.
pub const ENTER: u32 = 0;
pub const EXIT: u32 = 1;
pub const UNWIND: u32 = 2;

/// A method trace of version 1 to 3: text, binary header, records.
pub struct Made {
    version: u16,
    clock: &'static str,
    text: String,
    records: Vec<u8>,
}

impl Made {
    pub fn new(version: u16, clock: &'static str) -> Self {
        Self {
            version,
            clock,
            text: format!("*version\n{version}\nclock={clock}\nvm=art\n"),
            records: Vec::new(),
        }
    }

    pub fn threads(mut self, threads: &[(u32, &str)]) -> Self {
        self.text += "*threads\n";
        for (id, name) in threads {
            self.text += &format!("{id}\t{name}\n");
        }
        self
    }

    /// Methods with ids 4, 8, 12 … as `class`, `name`, `signature`.
    pub fn methods(mut self, methods: &[(&str, &str, &str)]) -> Self {
        self.text += "*methods\n";
        for (number, (class, name, signature)) in methods.iter().enumerate() {
            let id = (number + 1) * 4;
            self.text += &format!("0x{id:x}\t{class}\t{name}\t{signature}\tFile.java\n");
        }
        self
    }

    /// A record: `method` counts from 1; `times` are one or two clocks, µs.
    pub fn record(&mut self, thread: u16, method: u32, action: u32, times: &[u32]) {
        match self.version {
            1 => self.records.push(thread as u8),
            _ => self.records.extend(thread.to_le_bytes()),
        }
        self.records.extend(((method * 4) | action).to_le_bytes());
        times
            .iter()
            .for_each(|us| self.records.extend(us.to_le_bytes()));
    }

    /// The text part and the binary part.
    pub fn parts(&self) -> (Vec<u8>, Vec<u8>) {
        let text = format!("{}*end\n", self.text).into_bytes();
        let mut data = b"SLOW".to_vec();
        data.extend(self.version.to_le_bytes());
        data.extend(32u16.to_le_bytes()); // offset to the records
        data.extend(1_000_000u64.to_le_bytes()); // start, µs
        let record_bytes: u16 = if self.clock == "dual" { 14 } else { 10 };
        if self.version == 3 {
            data.extend(record_bytes.to_le_bytes());
        }
        data.resize(32, 0);
        data.extend(&self.records);
        (text, data)
    }

    pub fn bytes(&self) -> Vec<u8> {
        let (text, data) = self.parts();
        [text, data].concat()
    }

    /// Writes the trace into a folder of the build, and returns its path.
    pub fn file(&self, name: &str) -> PathBuf {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
        let path = folder.join(name);
        // Tests run at the same time and make the same file, so each must find a complete one.
        let mut whole = tempfile::NamedTempFile::new_in(&folder).unwrap();
        std::io::Write::write_all(&mut whole, &self.bytes()).unwrap();
        whole.persist(&path).unwrap();
        path
    }
}

/// Runs the program.
pub fn run<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Output {
    run_in(Path::new("."), args)
}

/// Runs the program in a folder.
pub fn run_in<S: AsRef<OsStr>>(folder: &Path, args: impl IntoIterator<Item = S>) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_traceloom"));
    command.args(args).current_dir(folder).env_remove("COLUMNS");
    command.output().expect("traceloom runs")
}

/// Standard error of a run that ends with exit code 2 and prints nothing.
pub fn refused_in(folder: &Path, args: &[&str]) -> String {
    let output = run_in(folder, args);
    assert_eq!(output.status.code(), Some(2), "{args:?}: {output:?}");
    assert!(output.stdout.is_empty(), "{args:?}");
    stderr(&output)
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Runs the program on each real trace, with the arguments that `args` returns for it. Its output
/// is passed to `check`; a trace without calls must be refused.
pub fn on_real_traces(args: impl Fn(&str) -> Vec<String>, check: impl Fn(&str, String)) {
    const FOLDERS: [&str; 4] = [
        "traceview-v1",
        "traceview-v2",
        "traceview-v3",
        "systrace-html",
    ];
    let Some(corpus) = corpus() else {
        eprintln!("skipped: no corpus");
        return;
    };
    let mut checked = 0;
    let folders = FOLDERS.iter().map(|folder| corpus.join(folder));
    for entry in folders.flat_map(|folder| std::fs::read_dir(folder).unwrap()) {
        let path = entry.unwrap().path();
        let path = path.to_str().unwrap();
        let output = run(args(path));
        match output.status.code() {
            Some(0) => {
                check(path, stdout(&output));
                checked += 1;
            }
            code => assert!(code == Some(2) && output.stdout.is_empty(), "{path}"),
        }
    }
    assert!(checked > 25, "{checked}");
    eprintln!("{checked} real traces checked");
}

/// The folder of real traces, if present.
pub fn corpus() -> Option<PathBuf> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/testdata");
    let folder = std::env::var_os("TRACELOOM_TESTDATA").unwrap_or_else(|| beside.into());
    let folder = PathBuf::from(folder);
    folder.is_dir().then_some(folder)
}
