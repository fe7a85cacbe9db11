//! The part of the debugger protocol JDWP that DDM needs.
//!
//! ```text
//! both sides first   "JDWP-Handshake"
//! command            length u32 | id u32 | 0    | set 199 | command 1 | chunk
//! reply              length u32 | id u32 | 0x80 | error u16           | chunk
//! chunk              type, 4 letters | length u32 | bytes               all big-endian
//! ```
//!
//! Sources: the JDWP specification and ART's `runtime/debugger.cc`.

use std::time::Duration;

use crate::adb::{AdbError, Stream};
use crate::error::{CaptureError, Result};

const HANDSHAKE: &[u8; 14] = b"JDWP-Handshake";
/// Bytes of a packet header: length, id, flags, and command or error.
const HEADER: usize = 11;
/// Command set and number of the command that carries chunks.
const DDM: [u8; 2] = [199, 1];
const REPLY: u8 = 0x80;
/// The type of a chunk with the reason why another one failed.
const FAIL: &[u8; 4] = b"FAIL";
/// The longest accepted packet, bytes. The VM chooses the size of a method trace.
const MAX_PACKET: usize = 1 << 30;

/// A connection to a process's debugger port.
#[derive(Debug)]
pub(super) struct Connection {
    stream: Stream,
    next_id: u32,
}

/// A packet of either kind.
struct Packet {
    id: u32,
    is_reply: bool,
    error: u16,
    data: Vec<u8>,
}

impl Connection {
    /// Connects to the debugger port behind `stream`.
    pub fn open(mut stream: Stream, limit: Duration) -> Result<Self> {
        stream.limit(Some(limit));
        stream.send(HANDSHAKE)?;
        let mut answer = [0; HANDSHAKE.len()];
        stream.receive_exact(&mut answer)?;
        if answer != *HANDSHAKE {
            return Err(protocol_error("JDWP-Handshake", &answer));
        }
        let mut this = Self { stream, next_id: 1 };
        // Enables DDM; the protocol version is 1.
        this.ask(b"HELO", &1u32.to_be_bytes(), limit)?;
        Ok(this)
    }

    /// Sends a chunk and waits for its answer. Skips other packets of the process.
    pub fn ask(&mut self, kind: &[u8; 4], data: &[u8], limit: Duration) -> Result<Vec<u8>> {
        let id = self.send(kind, data, limit)?;
        loop {
            let packet = self.receive()?;
            if packet.is_reply && packet.id == id {
                return reply(kind, &packet);
            }
        }
    }

    /// Sends a chunk without data and waits for a chunk of the same type, in a packet of either kind.
    pub fn ask_for_chunk(&mut self, kind: &[u8; 4], limit: Duration) -> Result<Vec<u8>> {
        let id = self.send(kind, &[], limit)?;
        loop {
            let packet = self.receive()?;
            if packet.is_reply && packet.id == id {
                reply(kind, &packet)?;
            }
            match chunk(&packet.data) {
                Some((found, data)) if found == kind && !data.is_empty() => {
                    return Ok(data.to_vec());
                }
                _ => {}
            }
        }
    }

    fn send(&mut self, kind: &[u8; 4], data: &[u8], limit: Duration) -> Result<u32> {
        let id = self.next_id;
        self.next_id += 1;
        let length = HEADER + 8 + data.len();
        let mut packet = Vec::with_capacity(length);
        packet.extend_from_slice(&(length as u32).to_be_bytes());
        packet.extend_from_slice(&id.to_be_bytes());
        packet.push(0);
        packet.extend_from_slice(&DDM);
        packet.extend_from_slice(kind);
        packet.extend_from_slice(&(data.len() as u32).to_be_bytes());
        packet.extend_from_slice(data);
        self.stream.limit(Some(limit));
        self.stream.send(&packet)?;
        Ok(id)
    }

    fn receive(&mut self) -> Result<Packet> {
        let mut header = [0; HEADER];
        self.stream.receive_exact(&mut header)?;
        let word = |at: usize| {
            u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]])
        };
        let length = word(0) as usize;
        if !(HEADER..=MAX_PACKET).contains(&length) {
            return Err(protocol_error("the length of a packet", &header));
        }
        let data = self.stream.receive_vec(length - HEADER)?;
        let is_reply = header[8] & REPLY != 0;
        Ok(Packet {
            id: word(4),
            is_reply,
            error: if is_reply {
                u16::from_be_bytes([header[9], header[10]])
            } else {
                0
            },
            data,
        })
    }
}

/// The data of the chunk in a reply; empty if there is no chunk.
fn reply(kind: &[u8; 4], packet: &Packet) -> Result<Vec<u8>> {
    let name = String::from_utf8_lossy(kind).into_owned();
    if packet.error != 0 {
        return Err(CaptureError::Debugger {
            chunk: name,
            reason: format!("debugger protocol error {}", packet.error),
        });
    }
    match chunk(&packet.data) {
        Some((FAIL, data)) => Err(CaptureError::Debugger {
            chunk: name,
            reason: failure(data),
        }),
        Some((_, data)) => Ok(data.to_vec()),
        None => Ok(Vec::new()),
    }
}

fn chunk(data: &[u8]) -> Option<(&[u8; 4], &[u8])> {
    let (kind, rest) = data.split_first_chunk::<4>()?;
    let (length, rest) = rest.split_first_chunk::<4>()?;
    rest.get(..u32::from_be_bytes(*length) as usize)
        .map(|data| (kind, data))
}

/// Parses the answer to `FEAT`: a count, then that many texts, each after its length in UTF-16 units.
/// Incomplete texts are left out.
pub(super) fn features(data: &[u8]) -> Vec<String> {
    let Some((count, mut rest)) = data.split_first_chunk::<4>() else {
        return Vec::new();
    };
    let mut next = || {
        let (length, after) = rest.split_first_chunk::<4>()?;
        let bytes = (u32::from_be_bytes(*length) as usize).checked_mul(2)?;
        let (text, after) = after.split_at_checked(bytes)?;
        rest = after;
        Some(utf16(text))
    };
    let count = u32::from_be_bytes(*count);
    (0..count).map_while(|_| next()).collect()
}

fn utf16(bytes: &[u8]) -> String {
    let units = bytes.chunks_exact(2);
    let units: Vec<u16> = units
        .map(|unit| u16::from_be_bytes([unit[0], unit[1]]))
        .collect();
    String::from_utf16_lossy(&units)
}

/// Parses the data of a `FAIL` chunk: an error code, a length, and that many UTF-16 units.
fn failure(data: &[u8]) -> String {
    utf16(data.get(8..).unwrap_or_default())
}

fn protocol_error(expected: &'static str, found: &[u8]) -> CaptureError {
    CaptureError::Adb(AdbError::Protocol {
        request: "jdwp".to_owned(),
        expected,
        found: found.escape_ascii().to_string(),
    })
}
