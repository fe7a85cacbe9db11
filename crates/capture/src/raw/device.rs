//! A device, as pages.
//!
//! ```text
//! shell A: echo pid; exec atrace --raw --stream …   "capturing trace..."            " done" trace.dat
//! shell B:                                                          kill -INT pid
//! ```
//! Pages wait on the device, in files without names, and come when the recording is over.

use std::time::Duration;

use crate::adb::{AdbError, Device, Shell, ShellEvent, Stream};
use crate::agent::{Agent, PartKind, Sink};
use crate::agents::{AtraceAgent, NOT_STARTED};
use crate::device::Ask;
use crate::error::{CaptureError, Result};
use crate::status::Status;

use super::{MAGIC, RawOptions};

/// Stands before the number of the process that is to be told to stop.
const PID: &str = "traceloom-pid ";

/// What our atrace says once it records.
const RECORDS: &str = "capturing trace...";

/// How much is kept of what atrace says, bytes.
const MOST_SAID: usize = 4096;

/// What is taken in at a time where there are no packets, bytes.
const PIECE: usize = 64 << 10;

/// Records a device with our own atrace, which is there or was pushed.
pub struct RawAtraceAgent {
    atrace: AtraceAgent,
    device: Device,
    options: RawOptions,
    running: Option<(Connection, Received)>,
}

impl RawAtraceAgent {
    /// What `atrace` records on the device.
    pub fn new(atrace: AtraceAgent, device: Device, options: RawOptions) -> Self {
        Self {
            atrace,
            device,
            options,
            running: None,
        }
    }

    /// Android's own atrace knows no pages.
    fn check(&self, limit: Duration) -> Result<()> {
        let help = format!("{} --help", self.atrace.program());
        let output = self.device.run(&help, limit)?;
        let said = [output.stdout, output.stderr].concat();
        if String::from_utf8_lossy(&said).contains("--raw ") {
            Ok(())
        } else {
            Err(CaptureError::NoPages)
        }
    }

    fn options(&self) -> String {
        let mut words = "--raw --stream".to_owned();
        let mut option = |name: &str, value: &Option<String>| {
            if let Some(value) = value {
                words += &format!(" --{name}={}", crate::adb::quote(value));
            }
        };
        option("raw_version", &self.options.version);
        option("raw_compression", &self.options.compression);
        words
    }

    fn connect(&self, line: &str) -> Result<Connection> {
        let line = format!("echo {PID}$$ >&2; exec {line}");
        Ok(if self.device.features()?.shell_v2() {
            Connection::Shell(self.device.shell(&line)?)
        } else {
            // Not a shell: its terminal would change the bytes.
            Connection::Exec(self.device.exec(&line)?, Vec::new())
        })
    }
}

impl Agent for RawAtraceAgent {
    fn name(&self) -> &str {
        self.atrace.name()
    }

    fn start(&mut self, limit: Duration) -> Result<Vec<String>> {
        self.check(limit)?;
        let (said, line) = self.atrace.line_of(&self.options(), limit)?;
        let mut connection = self.connect(&line)?;
        connection.limit(Some(limit));
        let mut received = Received::default();
        while !received.says(RECORDS) {
            match connection.next()? {
                Event::Bytes(bytes) => received.say(bytes),
                Event::Said(bytes) => received.say(bytes),
                Event::End(_) => {
                    return Err(CaptureError::DidNotStart {
                        said: received.complaint(),
                    });
                }
            }
        }
        connection.limit(None);
        self.running = Some((connection, received));
        Ok(said)
    }

    fn takes_marks(&self) -> bool {
        self.atrace.takes_marks()
    }

    fn mark(&mut self, name: &str, limit: Duration) -> Result<()> {
        self.atrace.mark(name, limit)
    }

    fn status(&mut self, limit: Duration) -> Option<Status> {
        self.atrace.status(limit)
    }

    fn status_disturbs(&self) -> bool {
        true
    }

    fn stop(&mut self, limit: Duration) -> Result<()> {
        let pid = self
            .running
            .as_ref()
            .and_then(|(_, received)| received.pid());
        if let Some(pid) = pid {
            self.device.ask(&format!("kill -INT {pid}"), limit)?;
        }
        Ok(())
    }

    fn collect(&mut self, limit: Duration, sink: &mut dyn Sink) -> Result<()> {
        let Some((mut connection, mut received)) = self.running.take() else {
            return Ok(());
        };
        connection.limit(Some(limit));
        loop {
            match connection.next()? {
                Event::Bytes(bytes) => received.pass(bytes, sink)?,
                Event::Said(bytes) => received.say(bytes),
                Event::End(status) => return received.finish(status),
            }
        }
    }
}

/// atrace while it runs.
enum Connection {
    Shell(Shell),
    /// Of a device before Android 7: what it says and what it records come together, without
    /// the status at the end.
    Exec(Stream, Vec<u8>),
}

enum Event<'a> {
    Bytes(&'a [u8]),
    Said(&'a [u8]),
    End(Option<u8>),
}

impl Connection {
    fn limit(&mut self, limit: Option<Duration>) {
        match self {
            Self::Shell(shell) => shell.limit(limit),
            Self::Exec(stream, _) => stream.limit(limit),
        }
    }

    fn next(&mut self) -> std::result::Result<Event<'_>, AdbError> {
        Ok(match self {
            Self::Shell(shell) => match shell.next_event()? {
                ShellEvent::Stdout(bytes) => Event::Bytes(bytes),
                ShellEvent::Stderr(bytes) => Event::Said(bytes),
                ShellEvent::Exit(status) => Event::End(Some(status)),
            },
            Self::Exec(stream, piece) => {
                piece.resize(PIECE, 0);
                match stream.receive(piece)? {
                    0 => Event::End(None),
                    length => Event::Bytes(&piece[..length]),
                }
            }
        })
    }
}

/// What atrace said, and the file that follows it.
#[derive(Default)]
struct Received {
    said: Vec<u8>,
    /// Whether the file has begun.
    has_begun: bool,
}

impl Received {
    fn say(&mut self, bytes: &[u8]) {
        let room = MOST_SAID.saturating_sub(self.said.len());
        self.said.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.said).into_owned()
    }

    fn says(&self, text: &str) -> bool {
        self.text().contains(text)
    }

    /// The process to be told to stop.
    fn pid(&self) -> Option<u32> {
        let text = self.text();
        let (_, rest) = text.split_once(PID)?;
        rest.lines().next()?.trim().parse().ok()
    }

    /// What is to be read by people.
    fn complaint(&self) -> String {
        let text = self.text().replace(RECORDS, "");
        let lines = text.lines().map(str::trim);
        let noise = ["", "done", NOT_STARTED];
        let is_word = |line: &&str| !noise.contains(line) && !line.starts_with(PID);
        let lines = lines.filter(is_word);
        lines.collect::<Vec<_>>().join("\n")
    }

    fn pass(&mut self, bytes: &[u8], sink: &mut dyn Sink) -> Result<()> {
        if self.has_begun {
            return sink.data(bytes).map_err(CaptureError::Sink);
        }
        self.said.extend_from_slice(bytes);
        let begins = |window: &[u8]| window == MAGIC;
        let Some(at) = self.said.windows(MAGIC.len()).position(begins) else {
            // Its beginning may be cut; long noise before it is let go.
            let spare = self.said.len().saturating_sub(MOST_SAID);
            self.said.drain(..spare);
            return Ok(());
        };
        self.has_begun = true;
        let begun = self.said.split_off(at);
        let begin = sink.begin(PartKind::RawTrace, "atrace");
        begin
            .and_then(|()| sink.data(&begun))
            .map_err(CaptureError::Sink)
    }

    fn finish(self, status: Option<u8>) -> Result<()> {
        match (self.has_begun, status) {
            (true, Some(0) | None) => match self.complaint() {
                said if said.is_empty() => Ok(()),
                // Lost events, settings that could not be put back.
                said => Err(CaptureError::Told(said)),
            },
            (true, status) => Err(CaptureError::Command {
                command: "atrace --raw".to_owned(),
                status: status.unwrap_or(1),
                said: self.complaint(),
            }),
            (false, _) => Err(CaptureError::NoTraceData {
                said: self.complaint(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{MAGIC, Received};
    use crate::agent::PartKind;
    use crate::kept::Kept;

    #[test]
    fn the_file_begins_wherever_packets_end() {
        let file = [MAGIC, b"6\0 and so on"].concat();
        let sent = [b"traceloom-pid 77\ncapturing trace... done\n", &file[..]].concat();
        for size in 1..sent.len() {
            let (mut received, mut kept) = (Received::default(), Kept::of(PartKind::RawTrace));
            for piece in sent.chunks(size) {
                received.pass(piece, &mut kept).unwrap();
            }
            assert_eq!(kept.bytes, file, "pieces of {size}");
            assert_eq!(received.pid(), Some(77));
            assert_eq!(received.complaint(), "");
            received.finish(None).unwrap();
        }
    }

    #[test]
    fn what_is_no_file_is_what_atrace_said() {
        let mut received = Received::default();
        received.say(b"traceloom-pid x; reboot\nerror opening trace\n");
        assert_eq!(received.pid(), None);
        let error = received.finish(Some(1)).unwrap_err();
        assert!(
            error
                .to_string()
                .ends_with("atrace said: error opening trace")
        );
    }
}
