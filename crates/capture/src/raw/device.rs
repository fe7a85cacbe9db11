//! Recordings of a device's ring buffer pages.
//!
//! ```text
//! shell A: echo pid; exec atrace --raw --stream …   "capturing trace..."            " done" trace.dat
//! shell B:                                                          kill -INT pid
//! ```
//! Pages are stored in unnamed files on the device and transferred when the recording ends.

use std::time::Duration;

use crate::adb::{AdbError, Device, Shell, ShellEvent, Stream};
use crate::agent::{Agent, PartKind, Sink};
use crate::agents::{AtraceAgent, NOT_STARTED};
use crate::device::DeviceExt;
use crate::error::{CaptureError, Result};
use crate::status::Status;

use super::{MAGIC, RawOptions};

/// Precedes the pid of atrace, which is needed to stop it.
const PID_PREFIX: &str = "traceloom-pid ";

/// The message of our atrace once it records.
const STARTED: &str = "capturing trace...";

/// How many bytes of atrace's messages are kept.
const MAX_MESSAGE: usize = 4096;

/// Size of a read, bytes.
const CHUNK: usize = 64 << 10;

/// Records a device with our own atrace, which must be on the device.
pub struct RawAtraceAgent {
    atrace: AtraceAgent,
    device: Device,
    options: RawOptions,
    running: Option<(Connection, DatOutput)>,
}

impl RawAtraceAgent {
    /// An agent that records what `atrace` would on the device.
    pub fn new(atrace: AtraceAgent, device: Device, options: RawOptions) -> Self {
        Self {
            atrace,
            device,
            options,
            running: None,
        }
    }

    /// Fails for Android's own atrace, which cannot record pages.
    fn check(&self, limit: Duration) -> Result<()> {
        let help = format!("{} --help", self.atrace.program());
        let output = self.device.run(&help, limit)?;
        let text = [output.stdout, output.stderr].concat();
        if String::from_utf8_lossy(&text).contains("--raw ") {
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

    fn connect(&self, command: &str) -> Result<Connection> {
        let line = format!("echo {PID_PREFIX}$$ >&2; exec {command}");
        Ok(if self.device.features()?.shell_v2() {
            Connection::Shell(self.device.shell(&line)?)
        } else {
            // The terminal of a shell would change the bytes.
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
        let options = self.options();
        let (messages, command) = self.atrace.uncompressed_command(&options, limit)?;
        let mut connection = self.connect(&command)?;
        connection.limit(Some(limit));
        let mut output = DatOutput::default();
        while !output.text().contains(STARTED) {
            match connection.next()? {
                Event::Stdout(bytes) | Event::Stderr(bytes) => output.push_message(bytes),
                Event::End(_) => {
                    // atrace did not start, so the watchdog must not end a recording. One that runs may be another
                    // program's.
                    self.atrace.dismiss_watchdog();
                    return Err(CaptureError::DidNotStart {
                        message: output.message(),
                    });
                }
            }
        }
        connection.limit(None);
        self.running = Some((connection, output));
        Ok(messages)
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
        let running = self.running.as_ref();
        if let Some(pid) = running.and_then(|(_, output)| output.pid()) {
            self.device.run_ok(&format!("kill -INT {pid}"), limit)?;
        }
        Ok(())
    }

    fn collect(&mut self, limit: Duration, sink: &mut dyn Sink) -> Result<()> {
        let Some((mut connection, mut output)) = self.running.take() else {
            return Ok(());
        };
        connection.limit(Some(limit));
        loop {
            match connection.next()? {
                Event::Stdout(bytes) => output.push(bytes, sink)?,
                Event::Stderr(bytes) => output.push_message(bytes),
                Event::End(status) => {
                    self.atrace.dismiss_watchdog();
                    return output.finish(status);
                }
            }
        }
    }
}

/// A connection to atrace on the device.
enum Connection {
    Shell(Shell),
    /// For devices before Android 7: messages and data are mixed, and there is no exit status.
    Exec(Stream, Vec<u8>),
}

enum Event<'a> {
    Stdout(&'a [u8]),
    Stderr(&'a [u8]),
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
                ShellEvent::Stdout(bytes) => Event::Stdout(bytes),
                ShellEvent::Stderr(bytes) => Event::Stderr(bytes),
                ShellEvent::Exit(status) => Event::End(Some(status)),
            },
            Self::Exec(stream, buffer) => {
                buffer.resize(CHUNK, 0);
                match stream.receive(buffer)? {
                    0 => Event::End(None),
                    length => Event::Stdout(&buffer[..length]),
                }
            }
        })
    }
}

/// Separates the `trace.dat` from the messages in the output of atrace.
#[derive(Default)]
struct DatOutput {
    messages: Vec<u8>,
    /// Whether the `trace.dat` has begun.
    has_begun: bool,
}

impl DatOutput {
    fn push_message(&mut self, bytes: &[u8]) {
        let room = MAX_MESSAGE.saturating_sub(self.messages.len());
        self.messages
            .extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.messages).into_owned()
    }

    /// The pid of atrace.
    fn pid(&self) -> Option<u32> {
        let text = self.text();
        let (_, rest) = text.split_once(PID_PREFIX)?;
        rest.lines().next()?.trim().parse().ok()
    }

    /// The messages for the user, without progress messages and the pid.
    fn message(&self) -> String {
        let text = self.text().replace(STARTED, "");
        let lines = text.lines().map(str::trim);
        let ignored = ["", "done", NOT_STARTED];
        let lines = lines.filter(|line| !ignored.contains(line) && !line.starts_with(PID_PREFIX));
        lines.collect::<Vec<_>>().join("\n")
    }

    /// Takes standard output and passes the `trace.dat` in it to `sink`.
    fn push(&mut self, bytes: &[u8], sink: &mut dyn Sink) -> Result<()> {
        if self.has_begun {
            return sink.data(bytes).map_err(CaptureError::Sink);
        }
        self.messages.extend_from_slice(bytes);
        let begins = |window: &[u8]| window == MAGIC;
        let Some(at) = self.messages.windows(MAGIC.len()).position(begins) else {
            // Keep the end: it may have the first bytes of the file.
            let excess = self.messages.len().saturating_sub(MAX_MESSAGE);
            self.messages.drain(..excess);
            return Ok(());
        };
        self.has_begun = true;
        let begun = self.messages.split_off(at);
        let begin = sink.begin(PartKind::RawTrace, "atrace");
        begin
            .and_then(|()| sink.data(&begun))
            .map_err(CaptureError::Sink)
    }

    /// Checks that there is a `trace.dat` and that atrace succeeded.
    fn finish(self, status: Option<u8>) -> Result<()> {
        match (self.has_begun, status) {
            (true, Some(0) | None) => match self.message() {
                message if message.is_empty() => Ok(()),
                // Such as lost events, or settings that could not be restored.
                message => Err(CaptureError::Warning(message)),
            },
            (true, status) => Err(CaptureError::Command {
                command: "atrace --raw".to_owned(),
                status: status.unwrap_or(1),
                message: self.message(),
            }),
            (false, _) => Err(CaptureError::NoTraceData {
                message: self.message(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{DatOutput, MAGIC};
    use crate::agent::PartKind;
    use crate::test_sink::TestSink;

    #[test]
    fn the_file_may_begin_anywhere_in_a_packet() {
        let file = [MAGIC, b"6\0 and so on"].concat();
        let sent = [b"traceloom-pid 77\ncapturing trace... done\n", &file[..]].concat();
        for size in 1..sent.len() {
            let mut output = DatOutput::default();
            let mut sink = TestSink::new(PartKind::RawTrace);
            for chunk in sent.chunks(size) {
                output.push(chunk, &mut sink).unwrap();
            }
            assert_eq!(sink.bytes, file, "chunks of {size}");
            assert_eq!(output.pid(), Some(77));
            assert_eq!(output.message(), "");
            output.finish(None).unwrap();
        }
    }

    #[test]
    fn without_a_file_the_message_is_the_error() {
        let mut output = DatOutput::default();
        output.push_message(b"traceloom-pid x; reboot\nerror opening trace\n");
        assert_eq!(output.pid(), None);
        let error = output.finish(Some(1)).unwrap_err();
        assert!(
            error
                .to_string()
                .ends_with("atrace said: error opening trace")
        );
    }
}
