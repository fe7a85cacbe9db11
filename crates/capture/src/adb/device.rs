//! A device behind the adb server.

use std::cell::OnceCell;
use std::time::Duration;

use super::error::Result;
use super::features::Features;
use super::server::Adb;
use super::shell::{Shell, ShellEvent};
use super::stream::Stream;
use super::sync::Sync;

/// A device behind the adb server. Each request uses its own connection, so a request that hangs
/// does not block others.
#[derive(Clone, Debug)]
pub struct Device {
    adb: Adb,
    serial: String,
    features: OnceCell<Features>,
}

/// The output and exit status of a command.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Output {
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error. Empty on devices before Android 7, which mix it into `stdout`.
    pub stderr: Vec<u8>,
    /// Exit status.
    pub status: u8,
}

impl Output {
    /// Whether the exit status is 0.
    pub fn is_success(&self) -> bool {
        self.status == 0
    }

    /// Standard output as text, trimmed.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).trim().to_owned()
    }

    /// The error message of a failed command: standard error, or standard output if that is empty.
    pub fn error_text(&self) -> String {
        let text = String::from_utf8_lossy(&self.stderr).trim().to_owned();
        if text.is_empty() { self.text() } else { text }
    }
}

impl Adb {
    /// The device with a serial number. Does not contact the server.
    pub fn device(&self, serial: &str) -> Device {
        Device {
            adb: self.clone(),
            serial: serial.to_owned(),
            features: OnceCell::new(),
        }
    }
}

impl Device {
    /// The serial number.
    pub fn serial(&self) -> &str {
        &self.serial
    }

    /// The features of its adbd. They are requested once and cached.
    ///
    /// # Errors
    /// If the device is not connected.
    pub fn features(&self) -> Result<&Features> {
        if self.features.get().is_none() {
            let request = format!("host-serial:{}:features", self.serial);
            let list = self.adb.request(&request)?.text()?;
            _ = self.features.set(Features::parse(&list));
        }
        Ok(self.features.get().unwrap_or(&NONE))
    }

    /// Starts a command and streams its output. `command` is a line for the device's shell: quote
    /// untrusted words with [`quote`](super::quote).
    ///
    /// # Errors
    /// If the device is not connected.
    pub fn shell(&self, command: &str) -> Result<Shell> {
        if self.features()?.shell_v2() {
            Ok(Shell::v2(self.open(&format!("shell,v2,raw:{command}"))?))
        } else {
            Ok(Shell::legacy(
                self.open(&format!("shell:{}", Shell::legacy_line(command)))?,
            ))
        }
    }

    /// Runs a command until it ends, at most for `limit`. A non-zero exit status is not an error.
    ///
    /// # Errors
    /// [`AdbError::Timeout`](super::AdbError::Timeout), [`AdbError::Lost`](super::AdbError::Lost).
    pub fn run(&self, command: &str, limit: Duration) -> Result<Output> {
        let mut shell = self.shell(command)?;
        shell.limit(Some(limit));
        let mut output = Output::default();
        loop {
            match shell.next_event()? {
                ShellEvent::Stdout(bytes) => output.stdout.extend_from_slice(bytes),
                ShellEvent::Stderr(bytes) => output.stderr.extend_from_slice(bytes),
                ShellEvent::Exit(status) => {
                    output.status = status;
                    return Ok(output);
                }
            }
        }
    }

    /// Starts a command without a terminal, so its output arrives unchanged. Standard output and
    /// standard error are mixed, and there is no exit status. Needs Android 5.
    ///
    /// # Errors
    /// [`AdbError::Refused`](super::AdbError::Refused) on older devices.
    pub fn exec(&self, command: &str) -> Result<Stream> {
        self.open(&format!("exec:{command}"))
    }

    /// Connects to the file service.
    ///
    /// # Errors
    /// If the device is not connected.
    pub fn sync(&self) -> Result<Sync> {
        let features = self.features()?.clone();
        Ok(Sync::new(self.open("sync:")?, features))
    }

    /// Connects to a service of the device. The connection has no time limit.
    ///
    /// # Errors
    /// If the device is not connected or does not have the service.
    pub fn open(&self, service: &str) -> Result<Stream> {
        let mut stream = self
            .adb
            .request(&format!("host:transport:{}", self.serial))?;
        stream.send_request(service)?;
        stream.limit(None);
        Ok(stream)
    }
}

static NONE: Features = Features::none();
