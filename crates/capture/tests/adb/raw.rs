//! Ring buffer pages from a device before Android 7. The terminal of its shell would change bytes, so
//! they arrive through `exec:`, together with the messages of atrace.

use std::io;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use traceloom_capture::agents::{AtraceAgent, AtraceOptions};
use traceloom_capture::raw::{RawAtraceAgent, RawOptions};
use traceloom_capture::{Agent, CaptureError, PartKind, Sink};

use crate::fake::{Connection, server};

const LONG: Duration = Duration::from_secs(20);

/// The recorded file: every byte value, and line ends that a terminal would change.
fn file() -> Vec<u8> {
    let all = (0..=255).cycle().take(100_000);
    b"\x17\x08\x44tracing6\0\r\n\n\r"
        .iter()
        .copied()
        .chain(all)
        .collect()
}

/// The channel through which the `kill` command ends the recording.
type Killed = (Sender<()>, Option<Receiver<()>>);

static KILLED: Mutex<Option<Killed>> = Mutex::new(None);

fn device(connection: &mut Connection, service: &str) {
    connection.okay();
    if service.starts_with("exec:") {
        return record(connection, service);
    }
    if is_watchdog(service) {
        return connection.wait();
    }
    let answer = if is_question(service) {
        ""
    } else if service.contains("getprop ro.build.version.sdk") {
        "23"
    } else if service.contains("--help") {
        "  --raw           write trace.dat"
    } else if service.contains("--list_categories") {
        "  sched - CPU Scheduling"
    } else if service.contains("kill -INT 4242") {
        let killed = KILLED.lock().unwrap();
        killed.as_ref().unwrap().0.send(()).unwrap();
        ""
    } else {
        panic!("{service}")
    };
    connection.send(format!("{answer}\r\ntraceloom-exit:0\r\n").as_bytes());
}

/// The shell that ends the recording if the connection is lost.
fn is_watchdog(service: &str) -> bool {
    service.contains("trap ''")
}

/// Whether it asks for an abandoned recording, or limits of other programs. There are none.
fn is_question(service: &str) -> bool {
    service.contains("cat /data/local/tmp/traceloom-abandoned") || service.contains("set_event_pid")
}

fn record(connection: &mut Connection, service: &str) {
    let expected = "exec:echo traceloom-pid $$ >&2; exec atrace -b 4096 sched \
                    --raw --stream --raw_version='7;reboot'";
    assert_eq!(service, expected);
    connection.send(b"traceloom-pid 4242\ncapturing trace...");
    let killed = KILLED.lock().unwrap().as_mut().unwrap().1.take();
    killed.unwrap().recv_timeout(LONG).unwrap();
    connection.send(b" done\n");
    for piece in file().chunks(977) {
        connection.send(piece);
    }
}

#[derive(Default)]
struct Kept(Vec<u8>);

impl Sink for Kept {
    fn begin(&mut self, kind: PartKind, _: &str) -> io::Result<()> {
        assert_eq!(kind, PartKind::RawTrace);
        Ok(())
    }

    fn data(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.extend_from_slice(bytes);
        Ok(())
    }
}

#[test]
fn pages_without_packets_arrive_unchanged() {
    let (sender, receiver) = channel();
    *KILLED.lock().unwrap() = Some((sender, Some(receiver)));
    let device = server("", device).device("x");
    let options = AtraceOptions {
        categories: vec!["sched".to_owned()],
        ..AtraceOptions::default()
    };
    let atrace = AtraceAgent::new(device.clone(), options).unwrap();
    let raw = RawOptions {
        // It must be quoted.
        version: Some("7;reboot".to_owned()),
        ..RawOptions::default()
    };
    let mut agent = RawAtraceAgent::new(atrace, device, raw);
    assert_eq!(agent.start(LONG).unwrap(), [""; 0]);
    agent.stop(LONG).unwrap();
    let mut kept = Kept::default();
    agent.collect(LONG, &mut kept).unwrap();
    assert!(kept.0 == file(), "{} bytes", kept.0.len());
}

/// Whether the shell that ends the recording was told that there is none.
static IS_DISMISSED: AtomicBool = AtomicBool::new(false);

#[test]
fn an_atrace_that_does_not_start_is_reported_and_ends_no_recording() {
    let device = server("", |connection, service| {
        connection.okay();
        let answer = match service {
            _ if service.starts_with("exec:") => {
                return connection.send(b"traceloom-pid 7\nerror opening trace_pipe_raw\n");
            }
            _ if is_watchdog(service) => {
                let is_done = connection.take(5) == b"done\n";
                return IS_DISMISSED.store(is_done, Ordering::SeqCst);
            }
            _ if is_question(service) => "",
            _ if service.contains("getprop") => "23",
            _ if service.contains("--help") => "  --raw           write trace.dat",
            _ => "  sched - CPU Scheduling",
        };
        connection.send(format!("{answer}\r\ntraceloom-exit:0\r\n").as_bytes());
    });
    let device = device.device("x");
    let atrace = AtraceAgent::new(device.clone(), AtraceOptions::default()).unwrap();
    let error = RawAtraceAgent::new(atrace, device, RawOptions::default()).start(LONG);
    let CaptureError::DidNotStart { message } = error.unwrap_err() else {
        panic!("another error");
    };
    assert_eq!(message, "error opening trace_pipe_raw");
    assert!(IS_DISMISSED.load(Ordering::SeqCst));
}
