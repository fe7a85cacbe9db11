//! `--live`: the answers that the page gets during a recording, and how it ends. The page itself is
//! tested by `crates/view/tests/page/live.test.js`.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;
use testkit::KernelTurn;

use crate::android::{on, wait_until_events_are_on, with_device};
use crate::work::{Running, naps, open, said, traceloom};

const LIVE: [&str; 3] = ["capture", "--live", "--no-open"];
const LINUX: [&str; 4] = ["--target", "linux", "--event", "sched/sched_process_exec"];

/// Longer than anything in these tests.
const PATIENCE: Duration = Duration::from_secs(60);

/// A recording, and the requests of its page.
struct Page {
    running: Running,
    address: String,
    token: String,
}

impl Page {
    fn open(command: Command) -> Self {
        let running = Running::start(command);
        let (address, token) = running.page();
        Self {
            running,
            address,
            token,
        }
    }

    /// The body of an answer.
    fn request(&self, method: &str, path: &str, body: &str) -> Vec<u8> {
        let Self { address, token, .. } = self;
        let mut stream = TcpStream::connect(address).unwrap();
        let length = body.len();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nhost: {address}\r\nx-traceloom-token: {token}\r\n\
             content-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
        )
        .unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let head = answer.windows(4).position(|four| four == b"\r\n\r\n");
        answer.split_off(head.unwrap() + 4)
    }

    fn news(&self, path: &str) -> Value {
        serde_json::from_slice(&self.request("GET", path, "")).unwrap()
    }

    /// The number of slices with this name in the newest snapshot, or in the whole trace.
    fn count(&self, name: &str) -> u64 {
        let question = format!(r#"{{"op":"find","mode":"exact","text":"{name}"}}"#);
        let frame = self.request("POST", "/api", &question);
        let length = u32::from_le_bytes(frame[..4].try_into().unwrap()) as usize;
        let answer: Value = serde_json::from_slice(&frame[4..4 + length]).unwrap();
        answer["total"].as_u64().unwrap()
    }

    /// Works and checks until the page shows a slice with this name.
    fn sees(&self, name: &str) {
        let end = Instant::now() + PATIENCE;
        loop {
            naps(3);
            let newest = self.news("/live")["snapshot"].as_u64().unwrap();
            self.news(&format!("/live?want_after={newest}"));
            if newest > 0 && self.count(name) > 0 {
                return;
            }
            assert!(Instant::now() < end, "{name} never came");
        }
    }

    /// Waits for the end of the recording, and ends the server. Returns the page's message about
    /// the end.
    fn ended(mut self) -> (String, String) {
        self.running
            .wait_for("The page shows all of it until Ctrl-C");
        let end = Instant::now() + PATIENCE;
        let status = loop {
            let status = self.news("/status");
            if status["state"] == "ready" {
                break status;
            }
            assert!(Instant::now() < end, "{status}");
        };
        assert!(self.count("nap 0") > 0);
        let output = self.running.interrupt();
        let (_, stderr) = said(&output);
        assert_eq!(output.status.code(), Some(0), "{stderr}");
        (status["said"].as_str().unwrap().to_owned(), stderr)
    }
}

fn record(folder: &Path, more: &[&str]) -> Page {
    let args = [&LIVE[..], &LINUX, &["-o", "trace.txt"], more].concat();
    Page::open(traceloom(folder, &args))
}

fn written(folder: &Path) -> String {
    let path = folder.join("trace.txt");
    let trace = open(&path);
    assert!(trace.strings.lookup("nap 0").is_some());
    format!("Written to {}.", path.display())
}

#[test]
fn it_is_seen_while_it_goes_on_and_each_end_is_named() {
    let Some(_turn) = KernelTurn::claim() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let stop = |page: &mut Page| _ = page.request("POST", "/stop", "");
    type End = fn(&mut Page);
    let ends: [(&[&str], End, &str); 5] = [
        (&[], stop, "Ended in the page."),
        (
            &[],
            |page| page.running.press_enter(),
            "Ended in the terminal.",
        ),
        (
            &[],
            |page| page.running.signal(),
            "Ended by Ctrl-C in the terminal.",
        ),
        (&["-t", "5"], |_| naps(2), "The time is up."),
        (
            &["--ring", "20s", "--until", "slice:nap 5"],
            |_| naps(6),
            "The trigger occurred: nap 5 took",
        ),
    ];
    for (more, end, why) in ends {
        let mut page = record(folder, more);
        // Time does not wait until the page has seen something.
        if !more.contains(&"-t") {
            page.sees("nap 1");
        }
        end(&mut page);
        let (told, _) = page.ended();
        assert!(told.starts_with(why), "{told}");
        assert!(told.ends_with(&written(folder)), "{told}");
    }
}

#[test]
fn a_device_is_seen_and_what_came_is_kept_when_it_goes() {
    with_device(|device, folder| {
        let args = [&LIVE[..], &["-o", "trace.txt", "sched"]].concat();
        let page = Page::open(on(device, folder, &args));
        wait_until_events_are_on();
        page.sees("nap 1");
        device.unplug();
        let (told, stderr) = page.ended();
        assert!(told.starts_with("The recording broke off: "), "{told}");
        assert!(told.ends_with(&written(folder)), "{told}");
        assert!(
            stderr.contains("Warning: the data stream ended: "),
            "{stderr}"
        );
    });
}

#[test]
fn what_cannot_be_shown_live_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |args: &[&str]| {
        let output = traceloom(folder.path(), &[&LIVE[..], args].concat())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2));
        said(&output).1
    };
    insta::assert_snapshot!(refused(&["--from-file", "x"]), @"traceloom: --live shows a recording while it runs; use traceloom view to show a file");
    insta::assert_snapshot!(refused(&["--method", "com.example"]), @"traceloom: a method trace arrives only when it has ended; add categories to show live beside --method");
    insta::assert_snapshot!(refused(&["-o", "x.dat", "sched"]), @"traceloom: --live, --ring and --until read text from a device and cannot be combined with raw pages");
}
