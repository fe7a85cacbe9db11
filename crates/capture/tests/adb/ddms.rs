//! Method traces over a debugger port, from a simulated process.

use std::time::Duration;

use traceloom_capture::agents::{DdmsAgent, DdmsOptions};
use traceloom_capture::{Agent, PartKind, Sink};

use crate::fake::{Connection, packet, server, sync};

const LIMIT: Duration = Duration::from_secs(20);

#[derive(Default)]
struct Kept(Vec<(PartKind, String, Vec<u8>)>);

impl Sink for Kept {
    fn begin(&mut self, kind: PartKind, name: &str) -> std::io::Result<()> {
        self.0.push((kind, name.to_owned(), Vec::new()));
        Ok(())
    }

    fn data(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.0.last_mut().unwrap().2.extend_from_slice(bytes);
        Ok(())
    }
}

/// A chunk: type, length, bytes.
fn chunk(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
    [&kind[..], &(data.len() as u32).to_be_bytes(), data].concat()
}

/// A packet of the process: a command of its own, or the reply to command `id`.
fn jdwp(id: u32, is_reply: bool, chunk: &[u8]) -> Vec<u8> {
    let length = (11 + chunk.len()) as u32;
    let kind: &[u8] = if is_reply {
        &[0x80, 0, 0]
    } else {
        &[0, 199, 1]
    };
    [&length.to_be_bytes()[..], &id.to_be_bytes(), kind, chunk].concat()
}

/// Receives the host's next command: its id, and the type and bytes of its chunk.
fn command(connection: &mut Connection) -> (u32, Vec<u8>, Vec<u8>) {
    let head = connection.take(11);
    let word = |at: usize| u32::from_be_bytes(head[at..at + 4].try_into().unwrap());
    assert_eq!(head[8..11], [0, 199, 1], "a chunk of DDM");
    let chunk = connection.take(word(0) as usize - 11);
    (word(4), chunk[..4].to_vec(), chunk[8..].to_vec())
}

/// A text in DDM's encoding: the number of UTF-16 units, then the units.
fn text(text: &str) -> Vec<u8> {
    let units: Vec<u16> = text.encode_utf16().collect();
    let bytes = units.iter().flat_map(|unit| unit.to_be_bytes());
    let length = (units.len() as u32).to_be_bytes();
    length.into_iter().chain(bytes).collect()
}

fn greet(connection: &mut Connection, features: &[&str]) {
    connection.okay();
    assert_eq!(connection.take(14), b"JDWP-Handshake");
    connection.send(b"JDWP-Handshake");
    let (id, kind, data) = command(connection);
    assert_eq!((&kind[..], &data[..]), (&b"HELO"[..], &[0, 0, 0, 1][..]));
    // The process sends its name before it answers.
    connection.send(&jdwp(77, false, &chunk(b"APNM", b"\0\0\0\0")));
    connection.send(&jdwp(id, true, &chunk(b"HELO", &[0; 16])));
    let (id, kind, data) = command(connection);
    assert_eq!((&kind[..], &data[..]), (&b"FEAT"[..], &b""[..]));
    let count = (features.len() as u32).to_be_bytes();
    let features = features.iter().flat_map(|feature| text(feature));
    let list: Vec<u8> = count.into_iter().chain(features).collect();
    connection.send(&jdwp(id, true, &chunk(b"FEAT", &list)));
}

const ART: [&str; 3] = [
    "method-trace-profiling",
    "method-trace-profiling-streaming",
    "method-sample-profiling",
];

/// Simulates a process that writes its trace to a file.
fn old(connection: &mut Connection) {
    greet(connection, &["method-trace-profiling"]);
    let (id, kind, data) = command(connection);
    assert_eq!(kind, b"MPRS");
    let file = text("/sdcard/traceloom-50.trace");
    assert_eq!(data, [&[0, 0x80, 0, 0, 0, 0, 0, 0][..], &file].concat());
    connection.send(&jdwp(id, true, &[]));
    let (id, kind, data) = command(connection);
    assert_eq!((&kind[..], &data[..]), (&b"MPRE"[..], &b""[..]));
    connection.send(&jdwp(id, true, &chunk(b"MPRE", &[0])));
    connection.wait();
}

fn file(connection: &mut Connection) {
    connection.okay();
    let path = b"/sdcard/traceloom-50.trace";
    assert_eq!(
        connection.take(8 + path.len()),
        sync(b"RECV", path.len() as u32, path)
    );
    connection.send(&sync(b"DATA", 11, b"*version\n1\n"));
    connection.send(&sync(b"DONE", 0, b""));
}

fn serve(connection: &mut Connection, service: &str) {
    match service {
        "jdwp:50" => return old(connection),
        "jdwp:51" => return greet(connection, &["method-trace-profiling"]),
        "sync:" => return file(connection),
        _ => {}
    }
    if let Some(command) = service.strip_prefix("shell,v2,raw:") {
        connection.okay();
        if command.starts_with("rm -f /sdcard/") {
            return connection.send(&packet(3, &[0]));
        }
        let found = command == "pidof com.example.app";
        if found {
            connection.send(&packet(1, b"4321\n"));
        }
        let answer: &[u8] = if command == "ps" {
            b"USER PID NAME\nu0_a1 99 com.example.old\n"
        } else {
            b""
        };
        if !answer.is_empty() {
            connection.send(&packet(1, answer));
        }
        return connection.send(&packet(3, &[u8::from(!found && answer.is_empty())]));
    }
    greet(connection, if service == "jdwp:99" { &[] } else { &ART });
    let (id, kind, data) = command(connection);
    match service {
        "jdwp:4321" => {
            assert_eq!(
                (&kind[..], &data[..]),
                (&b"MPSS"[..], &[0, 0x80, 0, 0, 0, 0, 0, 0][..])
            );
            connection.send(&jdwp(id, true, &[]));
            let (id, kind, _) = command(connection);
            assert_eq!(kind, b"MPSE");
            // ART sends the trace as a command, before the answer.
            connection.send(&jdwp(78, false, &chunk(b"MPSE", b"*version\n3\n")));
            connection.send(&jdwp(id, true, &[]));
        }
        "jdwp:99" => {
            assert_eq!(
                (&kind[..], &data[8..]),
                (&b"SPSS"[..], &[0, 0, 0x03, 0xe8][..])
            );
            let reason: Vec<u8> = "no".encode_utf16().flat_map(u16::to_be_bytes).collect();
            let fail = [&[0, 0, 0, 1, 0, 0, 0, 2][..], &reason].concat();
            connection.send(&jdwp(id, true, &chunk(b"FAIL", &fail)));
        }
        _ => connection.send(&[255, 255, 255, 255, 0, 0, 0, 0, 0x80, 0, 0]),
    }
}

fn agent(process: &str, sampling_us: Option<u32>) -> DdmsAgent {
    let options = DdmsOptions {
        process: process.to_owned(),
        sampling_us,
    };
    DdmsAgent::new(server("shell_v2", serve).device("x"), options)
}

#[test]
fn the_trace_arrives_on_the_connection() {
    let mut agent = agent("com.example.app", None);
    agent.start(LIMIT).unwrap();
    agent.stop(LIMIT).unwrap();
    let mut kept = Kept::default();
    agent.collect(LIMIT, &mut kept).unwrap();
    let expected = (
        PartKind::MethodTrace,
        "com.example.app.trace".to_owned(),
        b"*version\n3\n".to_vec(),
    );
    assert_eq!(kept.0, [expected]);
}

#[test]
fn a_process_that_cannot_send_its_trace_writes_a_file() {
    let mut agent = agent("50", None);
    agent.start(LIMIT).unwrap();
    agent.stop(LIMIT).unwrap();
    let mut kept = Kept::default();
    agent.collect(LIMIT, &mut kept).unwrap();
    assert_eq!(kept.0[0].1, "50.trace");
    assert_eq!(kept.0[0].2, b"*version\n1\n");
    let error = self::agent("51", Some(1000)).start(LIMIT).unwrap_err();
    assert!(error.to_string().contains("it cannot sample"), "{error}");
}

#[test]
fn refusals_are_reported() {
    let error = agent("com.example.old", Some(1000))
        .start(LIMIT)
        .unwrap_err();
    assert_eq!(error.to_string(), "the process refused SPSS: no");
    let error = agent("com.example.gone", None).start(LIMIT).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("no process named com.example.gone runs"),
        "{error}"
    );
    let error = agent("1", None).start(LIMIT).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("expected the length of a packet"),
        "{error}"
    );
}
