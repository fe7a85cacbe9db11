//! A live recording whose last text is still on its way when recording stops.

use std::io;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use traceloom_capture::agents::{AtraceAgent, AtraceOptions};
use traceloom_capture::live::{LiveAtraceAgent, Tape};
use traceloom_capture::{Agent, PartKind, Sink};

use crate::fake::{Connection, packet, server};

const LONG: Duration = Duration::from_secs(20);

/// What the kernel counts when recording has stopped: 2 of the 9 overwritten events come after the last event.
const STATS: &str = "entries: 0\noverrun: 9\ncommit overrun: 0\ndropped events: 0\n4096\n";

fn event(microseconds: u32, text: &str) -> String {
    format!("  app-7 ( 7) [000] .... 1.{microseconds:06}: tracing_mark_write: {text}\n")
}

/// The channel through which the command that stops recording passes its mark to atrace.
type Stopped = (Sender<String>, Option<Receiver<String>>);

static STOPPED: Mutex<Option<Stopped>> = Mutex::new(None);

fn device(connection: &mut Connection, service: &str) {
    connection.okay();
    if service.contains("--stream") {
        return stream(connection);
    }
    if service.contains("trap ''") {
        connection.take(5 + b"done\n".len());
        return connection.send(&packet(3, &[0]));
    }
    let answer = if service.contains("version.sdk") {
        "34"
    } else if service.contains("--list_categories") {
        "  sched - CPU Scheduling"
    } else if service.contains("echo $d") {
        "/sys/kernel/tracing"
    } else if let Some((_, mark)) = service.split_once("echo 'traceloom ends ") {
        let mark = format!("traceloom ends {}", mark.split('\'').next().unwrap());
        STOPPED
            .lock()
            .unwrap()
            .as_ref()
            .unwrap()
            .0
            .send(mark)
            .unwrap();
        STATS
    } else {
        ""
    };
    connection.send(&packet(1, answer.as_bytes()));
    connection.send(&packet(3, &[0]));
}

/// Prints until the connection is closed, as our atrace does.
fn stream(connection: &mut Connection) {
    connection.send(&packet(1, event(1, "B|7|first").as_bytes()));
    let stopped = STOPPED.lock().unwrap().as_mut().unwrap().1.take();
    let mark = stopped.unwrap().recv_timeout(LONG).unwrap();
    let rest = [
        "CPU:0 [LOST 7 EVENTS]\n",
        &event(2, "E|7"),
        &event(3, &mark),
    ];
    connection.send(&packet(1, rest.concat().as_bytes()));
    connection.wait();
}

#[derive(Default)]
struct Kept(Vec<u8>);

impl Sink for Kept {
    fn begin(&mut self, kind: PartKind, _: &str) -> io::Result<()> {
        assert_eq!(kind, PartKind::SystemTrace);
        Ok(())
    }

    fn data(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.extend_from_slice(bytes);
        Ok(())
    }
}

#[test]
fn the_end_is_waited_for() {
    let (sender, receiver) = channel();
    *STOPPED.lock().unwrap() = Some((sender, Some(receiver)));
    let device = server("shell_v2", device).device("x");
    let options = AtraceOptions {
        categories: vec!["sched".to_owned()],
        ..AtraceOptions::default()
    };
    let atrace = AtraceAgent::new(device, options).unwrap();
    let mut agent = LiveAtraceAgent::new(atrace, Tape::new(None, None, |_| ()));
    agent.start(LONG).unwrap();
    agent.stop(LONG).unwrap();
    let mut kept = Kept::default();
    agent.collect(LONG, &mut kept).unwrap();
    let expected = [
        "# tracer: nop\n#\n",
        &event(1, "B|7|first"),
        "CPU:0 [LOST 7 EVENTS]\n",
        &event(2, "E|7"),
        "CPU:0 [LOST 2 EVENTS]\n",
    ];
    assert_eq!(String::from_utf8(kept.0).unwrap(), expected.concat());
}
