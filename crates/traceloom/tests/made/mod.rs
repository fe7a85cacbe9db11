//! Method traces put together by hand, and running the program on them.
#![allow(dead_code)]

use std::io::Write;
use std::path::PathBuf;
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
        // Other tests may be reading a file of that name: it changes in one step.
        let mut whole = tempfile::NamedTempFile::new_in(folder).unwrap();
        whole.write_all(&self.bytes()).unwrap();
        whole.persist(&path).unwrap();
        path
    }
}

/// Runs the program.
pub fn run<S: AsRef<std::ffi::OsStr>>(args: impl IntoIterator<Item = S>) -> Output {
    let program = env!("CARGO_BIN_EXE_traceloom");
    let run = Command::new(program)
        .args(args)
        .env_remove("COLUMNS")
        .output();
    run.unwrap()
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The folder of real traces, if it is here.
pub fn corpus() -> Option<PathBuf> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/testdata");
    let folder = std::env::var_os("TRACELOOM_TESTDATA").unwrap_or_else(|| beside.into());
    let folder = PathBuf::from(folder);
    folder.is_dir().then_some(folder)
}
