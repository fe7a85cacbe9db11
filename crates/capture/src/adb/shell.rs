//! A command that runs on a device.

use std::time::Duration;

use super::error::Result;
use super::legacy::{self, Tail};
use super::stream::{Closer, Stream};

/// The largest packet that is taken in at once, bytes. adbd sends 64 KB at most.
const LARGEST: usize = 1 << 20;

/// The kinds of packets, in `shell_protocol.h`.
mod id {
    pub const STDIN: u8 = 0;
    pub const STDOUT: u8 = 1;
    pub const STDERR: u8 = 2;
    pub const EXIT: u8 = 3;
    pub const CLOSE_STDIN: u8 = 4;
}

/// A command that runs on a device.
///
/// ```text
/// packet:  id u8 | length u32 le | bytes      id: 0 stdin, 1 stdout, 2 stderr, 3 exit, 4 close stdin
/// ```
#[derive(Debug)]
pub struct Shell {
    stream: Stream,
    packet: Vec<u8>,
    /// Of a device without packets: what may still turn out to be the exit status.
    tail: Option<Tail>,
}

/// What a running command has to tell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ShellEvent<'a> {
    /// It printed this.
    Stdout(&'a [u8]),
    /// It complained.
    Stderr(&'a [u8]),
    /// It ended, with this status. Nothing follows.
    Exit(u8),
}

impl Shell {
    pub(super) fn v2(stream: Stream) -> Self {
        Self {
            stream,
            packet: Vec::new(),
            tail: None,
        }
    }

    /// On a device before Android 7: output and errors come together, through a terminal.
    pub(super) fn legacy(stream: Stream) -> Self {
        Self {
            tail: Some(Tail::default()),
            ..Self::v2(stream)
        }
    }

    /// The line that has such a device tell the exit status.
    pub(super) fn legacy_line(command: &str) -> String {
        legacy::line(command)
    }

    /// Everything from here on has to be done within `limit`; `None` waits for ever.
    pub fn limit(&mut self, limit: Option<Duration>) {
        self.stream.limit(limit);
    }

    /// What ends the command from another thread: its terminal hangs up.
    ///
    /// # Errors
    /// Where the system has no more descriptors.
    pub fn closer(&self) -> Result<Closer> {
        self.stream.closer()
    }

    /// Waits for what comes next.
    ///
    /// # Errors
    /// [`Timeout`](super::AdbError::Timeout); [`Lost`](super::AdbError::Lost) where the connection
    /// ends before the command did.
    pub fn next_event(&mut self) -> Result<ShellEvent<'_>> {
        match self.tail {
            Some(_) => self.next_of_terminal(),
            None => self.next_packet(),
        }
    }

    /// Gives the command something to read. Devices before Android 7 take it as typed.
    ///
    /// # Errors
    /// [`Lost`](super::AdbError::Lost) where it is gone.
    pub fn send_stdin(&mut self, bytes: &[u8]) -> Result<()> {
        if self.tail.is_some() {
            return self.stream.send(bytes);
        }
        for piece in bytes.chunks(LARGEST) {
            self.send_packet(id::STDIN, piece)?;
        }
        Ok(())
    }

    /// Tells the command that nothing more comes.
    ///
    /// # Errors
    /// As for [`Shell::send_stdin`].
    pub fn close_stdin(&mut self) -> Result<()> {
        match self.tail {
            // What a person would type.
            Some(_) => self.stream.send(b"\x04"),
            None => self.send_packet(id::CLOSE_STDIN, &[]),
        }
    }

    fn send_packet(&mut self, id: u8, bytes: &[u8]) -> Result<()> {
        let mut packet = Vec::with_capacity(5 + bytes.len());
        packet.push(id);
        packet.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
        packet.extend_from_slice(bytes);
        self.stream.send(&packet)
    }

    fn next_packet(&mut self) -> Result<ShellEvent<'_>> {
        loop {
            let mut head = [0; 5];
            self.stream.receive_all(&mut head)?;
            let length = u32::from_le_bytes([head[1], head[2], head[3], head[4]]) as usize;
            if length > LARGEST {
                return Err(self.stream.protocol("a packet of at most 1 MB", &head));
            }
            self.packet.resize(length, 0);
            self.stream.receive_all(&mut self.packet)?;
            match head[0] {
                id::STDOUT if length > 0 => return Ok(ShellEvent::Stdout(&self.packet)),
                id::STDERR if length > 0 => return Ok(ShellEvent::Stderr(&self.packet)),
                id::EXIT => {
                    let status = self.packet.first().copied();
                    return Ok(ShellEvent::Exit(status.unwrap_or_default()));
                }
                // Packets of later versions are passed over.
                _ => {}
            }
        }
    }

    fn next_of_terminal(&mut self) -> Result<ShellEvent<'_>> {
        let tail = self.tail.get_or_insert_default();
        loop {
            if let Some(status) = tail.status() {
                return Ok(ShellEvent::Exit(status));
            }
            self.packet.resize(1 << 16, 0);
            let length = self.stream.receive(&mut self.packet)?;
            if length > 0 {
                self.packet.truncate(length);
                tail.push(&mut self.packet);
            } else if !tail.finish(&mut self.packet) {
                return Err(super::AdbError::Lost {
                    request: self.stream.request().to_owned(),
                });
            }
            if !self.packet.is_empty() {
                return Ok(ShellEvent::Stdout(&self.packet));
            }
        }
    }
}
