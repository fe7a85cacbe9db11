//! A device: its features, its shell, its files.

use std::cell::OnceCell;
use std::time::Duration;

use super::error::{AdbError, Result};
use super::features::Features;
use super::server::Adb;
use super::shell::{Shell, ShellEvent};
use super::stream::Stream;
use super::sync::Sync;

/// A device behind the server. Each request has a connection of its own, so that one that hangs
/// holds up no other.
#[derive(Clone, Debug)]
pub struct Device {
    adb: Adb,
    serial: String,
    features: OnceCell<Features>,
}

/// What a command printed, and how it ended.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Output {
    /// Its standard output.
    pub stdout: Vec<u8>,
    /// Its standard error; empty where the device is too old to tell it apart.
    pub stderr: Vec<u8>,
    /// Its exit status.
    pub status: u8,
}

impl Output {
    /// Whether it ended with 0.
    pub fn is_success(&self) -> bool {
        self.status == 0
    }

    /// What it printed, as text, without the blanks around it.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).trim().to_owned()
    }

    /// What it said of its own failure: its standard error, or its output where that is empty.
    pub fn complaint(&self) -> String {
        let said = String::from_utf8_lossy(&self.stderr).trim().to_owned();
        if said.is_empty() { self.text() } else { said }
    }
}

impl Device {
    pub(super) fn new(adb: Adb, serial: &str) -> Self {
        Self {
            adb,
            serial: serial.to_owned(),
            features: OnceCell::new(),
        }
    }

    /// What names it.
    pub fn serial(&self) -> &str {
        &self.serial
    }

    /// What its adbd knows. Asked once.
    ///
    /// # Errors
    /// Where the device is not connected.
    pub fn features(&self) -> Result<&Features> {
        if self.features.get().is_none() {
            let request = format!("host-serial:{}:features", self.serial);
            let list = self.adb.ask(&request)?.text()?;
            _ = self.features.set(Features::parse(&list));
        }
        Ok(self.features.get().unwrap_or(&NONE))
    }

    /// Starts a command; its output comes while it runs. `command` is a line for the device's
    /// shell: words from elsewhere have to go through [`quote`](super::quote) first.
    ///
    /// # Errors
    /// Where the device is not connected.
    pub fn shell(&self, command: &str) -> Result<Shell> {
        if self.features()?.shell_v2() {
            Ok(Shell::v2(self.open(&format!("shell,v2,raw:{command}"))?))
        } else {
            Ok(Shell::legacy(
                self.open(&format!("shell:{}", Shell::legacy_line(command)))?,
            ))
        }
    }

    /// Runs a command to its end, within `limit`.
    ///
    /// # Errors
    /// [`AdbError::Timeout`], [`AdbError::Lost`]; a command that fails is no error.
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

    /// Starts a command whose output comes byte for byte, without a terminal in between that would
    /// put carriage returns into it; errors and output come together, and no exit status. Devices
    /// before Android 5 do not know it.
    ///
    /// # Errors
    /// [`AdbError::Refused`] on those.
    pub fn exec(&self, command: &str) -> Result<Stream> {
        self.open(&format!("exec:{command}"))
    }

    /// Opens the device's files.
    ///
    /// # Errors
    /// Where the device is not connected.
    pub fn sync(&self) -> Result<Sync> {
        let features = self.features()?.clone();
        Ok(Sync::new(self.open("sync:")?, features))
    }

    /// A connection to a service of the device, which waits without a limit from then on.
    ///
    /// # Errors
    /// Where the device is not connected, or does not know the service.
    pub fn open(&self, service: &str) -> Result<Stream> {
        let mut stream = self.adb.ask(&format!("host:transport:{}", self.serial))?;
        stream.ask(service)?;
        stream.limit(None);
        Ok(stream)
    }

    /// The processes that take debuggers.
    ///
    /// # Errors
    /// Where the device is not connected. Its list is open-ended: it is read for `limit`.
    pub fn jdwp_pids(&self, limit: Duration) -> Result<Vec<u32>> {
        let mut stream = self.open("jdwp")?;
        stream.limit(Some(limit));
        let (mut text, mut piece) = (Vec::new(), [0; 4096]);
        loop {
            match stream.receive(&mut piece) {
                Ok(0) | Err(AdbError::Timeout { .. }) => break,
                Ok(length) => text.extend_from_slice(&piece[..length]),
                Err(error) => return Err(error),
            }
        }
        let text = String::from_utf8_lossy(&text).into_owned();
        Ok(text
            .lines()
            .filter_map(|line| line.trim().parse().ok())
            .collect())
    }
}

static NONE: Features = Features::none();
