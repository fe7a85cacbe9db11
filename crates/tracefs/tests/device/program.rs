//! Runs Android's atrace and ours as processes on a fake device. Only the kernel is real.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use flate2::read::ZlibDecoder;
use tempfile::TempDir;

/// The program to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    /// Android's atrace, built for this machine.
    Original,
    /// Our atrace.
    Ours,
    /// Our atrace with `--compat`.
    Compat,
}

/// A fake device: a folder with one file per property, and programs that read and write them.
pub struct Device {
    folder: TempDir,
}

/// The output of a run.
#[derive(Debug, PartialEq, Eq)]
pub struct Said {
    pub code: Option<i32>,
    /// The text before the trace.
    pub stdout: String,
    pub stderr: String,
    /// The first line of the trace, and whether events follow.
    pub trace: Option<String>,
}

impl Device {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let device = Self { folder };
        for name in ["properties", "bin"] {
            fs::create_dir(device.path(name)).unwrap();
        }
        fs::write(device.path("empty"), "").unwrap();
        let properties = device.path("properties");
        let properties = properties.display();
        device.script(
            "getprop",
            &format!("cat '{properties}'/\"$1\" 2>/dev/null; echo"),
        );
        device.script_setprop("");
        let calls = device.path("calls");
        let list =
            "Found 2 services:\\n0\\tactivity: [android.app.IActivityManager]\\n1\\twindow: [x]\\n";
        let call = format!("echo \"$2 $3\" >> '{}'", calls.display());
        device.script(
            "service",
            &format!("[ $1 = list ] && printf '{list}' || {call}"),
        );
        device
    }

    fn script_setprop(&self, first: &str) {
        let properties = self.path("properties");
        let set = format!("printf %s \"$2\" > '{}'/\"$1\"", properties.display());
        self.script("setprop", &format!("{first}{set}"));
    }

    /// From now on, clearing a property takes 200 ms.
    pub fn slow_down_restoring(&self) {
        self.script_setprop("[ -n \"$2\" ] || sleep 0.2; ");
    }

    /// The path of a file of the device.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn script(&self, name: &str, text: &str) {
        let path = self.path("bin").join(name);
        fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Sets a property.
    pub fn set(&self, name: &str, value: &str) {
        fs::write(self.path("properties").join(name), value).unwrap();
    }

    /// Properties that are not empty.
    pub fn properties(&self) -> BTreeMap<String, String> {
        let entries = fs::read_dir(self.path("properties")).unwrap().flatten();
        let property = |entry: fs::DirEntry| {
            let name = entry.file_name().into_string().unwrap();
            (name, fs::read_to_string(entry.path()).unwrap())
        };
        let all = entries.map(property);
        all.filter(|(_, value)| !value.is_empty()).collect()
    }

    /// The services that were asked to read their properties again, each with the code of the call.
    pub fn calls(&self) -> Vec<String> {
        let text = fs::read_to_string(self.path("calls")).unwrap_or_default();
        let mut calls: Vec<String> = text.lines().map(str::to_owned).collect();
        calls.sort();
        calls
    }

    /// Removes all properties and calls.
    pub fn reset(&self) {
        for entry in fs::read_dir(self.path("properties")).unwrap().flatten() {
            fs::remove_file(entry.path()).unwrap();
        }
        let _ = fs::remove_file(self.path("calls"));
    }

    /// The command that runs a program with these arguments.
    pub fn command(&self, program: Program, args: &[&str]) -> Command {
        let mut command = match program {
            Program::Original => self.original(),
            Program::Ours | Program::Compat => Command::new(env!("CARGO_BIN_EXE_atrace")),
        };
        if program == Program::Compat {
            command.arg("--compat");
        }
        command.args(args);
        let path = std::env::var("PATH").unwrap();
        let path = format!("{}:{path}", self.path("bin").display());
        command
            .env("PATH", path)
            .env("ATRACE_PROPERTIES", self.path("properties"));
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// The command of the original. It does not start if the kernel refuses function tracing, so it sees an empty file
    /// instead of the list of functions.
    fn original(&self) -> Command {
        let mut command = Command::new("unshare");
        let hidden = "/sys/kernel/tracing/set_ftrace_filter";
        let hide = format!(
            "mount --bind '{}' {hidden} && exec \"$0\" \"$@\"",
            self.path("empty").display()
        );
        command
            .args(["-m", "sh", "-c", &hide])
            .arg(original().unwrap());
        command
    }

    /// Runs a program until it ends.
    pub fn run(&self, program: Program, args: &[&str]) -> Said {
        said(self.start(program, args))
    }

    /// Starts a program.
    pub fn start(&self, program: Program, args: &[&str]) -> Child {
        self.command(program, args).spawn().unwrap()
    }
}

/// The path of Android's atrace, if `cargo xtask device atrace` has built it.
pub fn original() -> Option<PathBuf> {
    let path = testkit::device_part("atrace");
    if !path.is_file() {
        println!("skipped: Android's atrace is not built: cargo xtask device atrace");
        return None;
    }
    Some(path)
}

/// Waits until a program prints that it records.
pub fn wait_until_recording(child: &mut Child) {
    let mut progress = [0; b"capturing trace...".len()];
    let stdout = child.stdout.as_mut().unwrap();
    stdout.read_exact(&mut progress).unwrap();
    assert_eq!(&progress, b"capturing trace...");
}

/// Waits until a program ends, and returns its output.
pub fn said(child: Child) -> Said {
    let output = child.wait_with_output().unwrap();
    let (stdout, trace) = split(&output.stdout);
    Said {
        code: output.status.code(),
        stdout,
        stderr: plain(&String::from_utf8_lossy(&output.stderr)),
        trace: trace.map(|bytes| first_line(&bytes)),
    }
}

/// The trace in the output of a program or in its file, decompressed.
pub fn trace_of(bytes: &[u8]) -> Vec<u8> {
    split(bytes)
        .1
        .unwrap_or_else(|| panic!("no trace in {}", String::from_utf8_lossy(bytes)))
}

fn split(bytes: &[u8]) -> (String, Option<Vec<u8>>) {
    const MARK: &[u8] = b"TRACE:\n";
    let at = bytes.windows(MARK.len()).position(|window| window == MARK);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let Some(at) = at else {
        return (text(bytes), None);
    };
    let end = at + MARK.len();
    let trace = if bytes[end..].starts_with(b"\x78\x9c") {
        let mut inflated = Vec::new();
        ZlibDecoder::new(&bytes[end..])
            .read_to_end(&mut inflated)
            .unwrap();
        inflated
    } else {
        bytes[end..].to_vec()
    };
    (text(&bytes[..end]), Some(trace))
}

fn first_line(trace: &[u8]) -> String {
    let text = String::from_utf8_lossy(trace);
    let events = text.lines().filter(|line| !line.starts_with('#')).count();
    let first = text.lines().next().unwrap_or_default();
    format!(
        "{first} and {} events",
        if events > 0 { "some" } else { "no" }
    )
}

/// Stderr without messages of Android's log library and without the folders of the programs. Of the usage text, only the
/// first line is kept.
fn plain(stderr: &str) -> String {
    let log = |line: &&str| !line.starts_with("atrace I ");
    let mut lines = Vec::new();
    for line in stderr.lines().filter(log) {
        let words =
            line.split(' ').map(
                |word| match Path::new(word.trim_end_matches(':')).file_name() {
                    Some(name) if name == "atrace" => word
                        [word.len() - "atrace".len() - usize::from(word.ends_with(':'))..]
                        .to_owned(),
                    _ => word.to_owned(),
                },
            );
        let words: Vec<String> = words.collect();
        lines.push(words.join(" "));
        if line.starts_with("usage: ") {
            break;
        }
    }
    lines.join("\n")
}
