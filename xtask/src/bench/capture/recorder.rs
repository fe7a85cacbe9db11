//! The programs that record.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::kernel::TRACING;
use crate::bench::child::cost_of;
use crate::bench::figures::traceloom;
use crate::run::{have, target_folder};

/// The size of the buffer of each CPU, KB.
const BUFFER: &str = "4096";

/// The events of the category `sched` that the load causes. The group has more.
const EVENTS: &str = "-e sched:sched_switch -e sched:sched_waking -e sched:sched_wakeup";

/// A way to record.
pub struct Way {
    pub name: &'static str,
    /// The ending of the file that it writes.
    pub ending: &'static str,
    pub is_ours: bool,
    /// Whether it reads pages, and not text.
    pub is_pages: bool,
    command: fn(&Path) -> Result<Command>,
}

/// The ways that are compared.
pub const WAYS: &[Way] = &[
    Way {
        name: "trace-cmd record",
        ending: "dat",
        is_ours: false,
        is_pages: true,
        command: trace_cmd,
    },
    Way {
        name: "pages, `traceloom capture -o FILE.dat`",
        ending: "dat",
        is_ours: true,
        is_pages: true,
        command: |out| Ok(host(out, &[])),
    },
    Way {
        name: "ring, `capture --ring 600s`",
        ending: "dat",
        is_ours: true,
        is_pages: true,
        command: |out| Ok(host(out, &["--ring", "600s"])),
    },
    Way {
        name: "live, `capture --live` with a page that asks for snapshots",
        ending: "dat",
        is_ours: true,
        is_pages: true,
        command: |out| Ok(host(out, &["--live", "--no-open"])),
    },
    Way {
        name: "pages, `atrace --raw`",
        ending: "dat",
        is_ours: true,
        is_pages: true,
        command: |out| atrace(out, &["--raw"]),
    },
    Way {
        name: "text, `atrace --stream`",
        ending: "txt",
        is_ours: true,
        is_pages: false,
        command: |out| atrace(out, &[]),
    },
];

impl Way {
    /// Whether this machine has the program.
    pub fn is_here(&self) -> bool {
        self.is_ours || have("trace-cmd")
    }

    fn is_live(&self) -> bool {
        self.name.starts_with("live")
    }
}

/// Settings of the function tracer. trace-cmd writes them even if it records events only.
const FUNCTION_TRACER: [&str; 6] = [
    "/proc/sys/kernel/ftrace_enabled",
    "/sys/kernel/tracing/set_ftrace_filter",
    "/sys/kernel/tracing/set_ftrace_notrace",
    "/sys/kernel/tracing/set_ftrace_pid",
    "/sys/kernel/tracing/set_graph_function",
    "/sys/kernel/tracing/set_graph_notrace",
];

fn trace_cmd(out: &Path) -> Result<Command> {
    // Some machines refuse changes to the function tracer, and trace-cmd then does not start. On such a machine, a file
    // is mounted over each setting.
    let file = out.with_extension("setting");
    fs::write(&file, "1\n")?;
    let hide = if fs::write(FUNCTION_TRACER[0], "1").is_ok() {
        ""
    } else {
        "for setting; do test -e $setting && mount --bind $FILE $setting; done; "
    };
    let script = format!("{hide}exec trace-cmd record {EVENTS} -b {BUFFER} -o $OUT");
    let mut command = Command::new("unshare");
    command
        .args(["--mount", "sh", "-c", &script, "sh"])
        .args(FUNCTION_TRACER);
    command
        .env("FILE", file)
        .env("OUT", out)
        .stdout(Stdio::null());
    Ok(command)
}

fn atrace(out: &Path, how: &[&str]) -> Result<Command> {
    let mut command = Command::new(target_folder().join("release/atrace"));
    command.args(how).args(["--stream", "-b", BUFFER, "sched"]);
    command.stdout(File::create(out)?);
    Ok(command)
}

fn host(out: &Path, how: &[&str]) -> Command {
    let mut command = traceloom(&["capture", "--target", "linux", "-b", BUFFER, "-t", "600"]);
    command
        .args(how)
        .arg("-o")
        .arg(out)
        .arg("sched")
        .stdout(Stdio::piped());
    command
}

/// A running recorder.
pub struct Recorder {
    child: Child,
    is_live: bool,
    out: PathBuf,
}

impl Recorder {
    /// Starts it, and waits until it records.
    ///
    /// # Errors
    /// If it does not.
    pub fn start(way: &Way, out: &Path) -> Result<Self> {
        if out.exists() {
            fs::remove_file(out)?;
        }
        let mut command = (way.command)(out)?;
        command.stdin(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().context("cannot start the recorder")?;
        wait_until_recording(&child)?;
        if let (true, Some(stdout)) = (way.is_live(), child.stdout.take()) {
            let mut url = String::new();
            BufReader::new(stdout).read_line(&mut url)?;
            thread::spawn(move || watch(url.trim()));
        }
        Ok(Self {
            child,
            is_live: way.is_live(),
            out: out.to_owned(),
        })
    }

    /// Ends it, and returns its cost.
    ///
    /// # Errors
    /// If it fails.
    pub fn end(self) -> Result<Duration> {
        self.interrupt();
        if self.is_live {
            // The page continues after the file is written.
            while !self.out.exists() {
                thread::sleep(Duration::from_millis(10));
            }
            thread::sleep(Duration::from_millis(500));
            self.interrupt();
        }
        cost_of(self.child.id())
    }

    fn interrupt(&self) {
        // SAFETY: the child has not been waited for, so its ID is still its own.
        unsafe { libc::kill(self.child.id() as libc::pid_t, libc::SIGINT) };
    }
}

fn wait_until_recording(recorder: &Child) -> Result<()> {
    for _ in 0..500 {
        let events = fs::read_to_string(format!("{TRACING}/set_event"))?;
        let on = fs::read_to_string(format!("{TRACING}/tracing_on"))?;
        if events.contains("sched:sched_switch") && on.trim() == "1" {
            thread::sleep(Duration::from_millis(500));
            return Ok(());
        }
        thread::sleep(Duration::from_millis(10));
    }
    bail!("process {} does not record", recorder.id())
}

/// Requests one snapshot after another, as the page does, until the server ends.
fn watch(url: &str) {
    let Some((address, token)) = url
        .strip_prefix("http://")
        .and_then(|rest| rest.split_once("/?token="))
    else {
        return;
    };
    let mut newest = 0;
    while let Ok(answer) = get(address, token, newest) {
        let number = answer
            .split_once("\"snapshot\":")
            .map_or("", |(_, rest)| rest);
        let digits = number.bytes().take_while(u8::is_ascii_digit).count();
        newest = number[..digits].parse().unwrap_or(newest);
        thread::sleep(Duration::from_millis(100));
    }
}

fn get(address: &str, token: &str, newest: u64) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(address)?;
    write!(
        stream,
        "GET /live?want_after={newest} HTTP/1.1\r\nhost: {address}\r\nx-traceloom-token: {token}\r\n\
         connection: close\r\n\r\n"
    )?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}
