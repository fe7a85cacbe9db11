//! A command on a device.

use std::time::Duration;

use super::error::Result;
use super::legacy_shell::{self, Tail};
use super::stream::{Closer, Stream};

/// The largest accepted packet, bytes. adbd sends at most 64 KB.
const MAX_PACKET: usize = 1 << 20;

/// Packet types of `shell_protocol.h`.
mod id {
    pub const STDIN: u8 = 0;
    pub const STDOUT: u8 = 1;
    pub const STDERR: u8 = 2;
    pub const EXIT: u8 = 3;
    pub const CLOSE_STDIN: u8 = 4;
}

/// A running command on a device.
///
/// ```text
/// packet:  id u8 | length u32 le | bytes      id: 0 stdin, 1 stdout, 2 stderr, 3 exit, 4 close stdin
/// ```
#[derive(Debug)]
pub struct Shell {
    stream: Stream,
    packet: Vec<u8>,
    /// Finds the exit status on devices without packets.
    tail: Option<Tail>,
}

/// An event of a running command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ShellEvent<'a> {
    /// Standard output.
    Stdout(&'a [u8]),
    /// Standard error.
    Stderr(&'a [u8]),
    /// The command ended with this exit status. No event follows.
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

    /// For devices before Android 7: output and errors are mixed and pass a terminal.
    pub(super) fn legacy(stream: Stream) -> Self {
        Self {
            tail: Some(Tail::default()),
            ..Self::v2(stream)
        }
    }

    /// The command line that makes such a device print the exit status.
    pub(super) fn legacy_line(command: &str) -> String {
        legacy_shell::line(command)
    }

    /// Sets the time limit for everything that follows. `None` waits indefinitely.
    pub fn limit(&mut self, limit: Option<Duration>) {
        self.stream.limit(limit);
    }

    /// Returns a handle that ends the command from another thread by closing its connection.
    ///
    /// # Errors
    /// If the process has too many open files.
    pub fn closer(&self) -> Result<Closer> {
        self.stream.closer()
    }

    /// Waits for the next event.
    ///
    /// # Errors
    /// [`Timeout`](super::AdbError::Timeout); [`Lost`](super::AdbError::Lost) if the connection
    /// ends before the command.
    pub fn next_event(&mut self) -> Result<ShellEvent<'_>> {
        match self.tail {
            Some(_) => self.next_from_terminal(),
            None => self.next_packet(),
        }
    }

    /// Writes to the command's standard input. On devices before Android 7 that is a terminal.
    ///
    /// # Errors
    /// [`Lost`](super::AdbError::Lost) if the command has ended.
    pub fn send_stdin(&mut self, bytes: &[u8]) -> Result<()> {
        if self.tail.is_some() {
            return self.stream.send(bytes);
        }
        for chunk in bytes.chunks(MAX_PACKET) {
            self.send_packet(id::STDIN, chunk)?;
        }
        Ok(())
    }

    /// Closes the command's standard input.
    ///
    /// # Errors
    /// As for [`Shell::send_stdin`].
    pub fn close_stdin(&mut self) -> Result<()> {
        match self.tail {
            // End of transmission (Ctrl-D).
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
            self.stream.receive_exact(&mut head)?;
            let length = u32::from_le_bytes([head[1], head[2], head[3], head[4]]) as usize;
            if length > MAX_PACKET {
                return Err(self.stream.protocol("a packet of at most 1 MB", &head));
            }
            self.packet.resize(length, 0);
            self.stream.receive_exact(&mut self.packet)?;
            match head[0] {
                id::STDOUT if length > 0 => return Ok(ShellEvent::Stdout(&self.packet)),
                id::STDERR if length > 0 => return Ok(ShellEvent::Stderr(&self.packet)),
                id::EXIT => {
                    let status = self.packet.first().copied();
                    return Ok(ShellEvent::Exit(status.unwrap_or_default()));
                }
                // Skip packet types of later versions.
                _ => {}
            }
        }
    }

    fn next_from_terminal(&mut self) -> Result<ShellEvent<'_>> {
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
