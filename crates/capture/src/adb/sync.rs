//! Files on a device: adb's sync service.

use std::io::{Read, Write};
use std::time::Duration;

use super::error::{AdbError, Result};
use super::features::Features;
use super::stream::Stream;

/// The most data in one packet, bytes. adbd accepts no more.
const MAX_DATA: usize = 64 << 10;

/// Time limit for a packet or an answer.
const LIMIT: Duration = Duration::from_secs(60);

/// A connection to a device's file service. The device closes it after a failure; open another
/// [`Sync`] then.
///
/// ```text
/// request:  id, 4 letters | length u32 le | path
/// file:     DATA length bytes … DATA length bytes, DONE mtime   (FAIL length text ends it)
/// ```
#[derive(Debug)]
pub struct Sync {
    stream: Stream,
    features: Features,
}

/// The metadata of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FileStat {
    /// File type and permissions, as in `st_mode`.
    pub mode: u32,
    /// Size in bytes; modulo 4 GB before Android 8.
    pub size: u64,
    /// Modification time, seconds since 1970.
    pub mtime: i64,
}

impl FileStat {
    /// Whether it is a regular file.
    pub fn is_file(&self) -> bool {
        self.mode & 0o170_000 == 0o100_000
    }
}

impl Sync {
    pub(super) fn new(stream: Stream, features: Features) -> Self {
        Self { stream, features }
    }

    /// Returns the metadata of a file, or `None` if it does not exist. Does not follow links.
    ///
    /// # Errors
    /// [`AdbError::Refused`], [`AdbError::Lost`].
    pub fn stat(&mut self, path: &str) -> Result<Option<FileStat>> {
        self.begin("stat", path);
        if self.features.stat_v2() {
            self.stat_v2(path)
        } else {
            self.stat_v1(path)
        }
    }

    fn stat_v1(&mut self, path: &str) -> Result<Option<FileStat>> {
        self.request(b"STAT", path.as_bytes())?;
        let mut answer = [0; 16];
        self.stream.receive_exact(&mut answer)?;
        self.expect(b"STAT", &answer, "STAT")?;
        let stat = FileStat {
            mode: u32_at(&answer, 4),
            size: u32_at(&answer, 8).into(),
            mtime: u32_at(&answer, 12).into(),
        };
        // Other errors cannot be distinguished from a missing file.
        Ok(Some(stat).filter(|stat| stat.mode != 0))
    }

    /// The answer: id, error u32, dev u64, ino u64, mode u32, nlink u32, uid u32, gid u32, size u64,
    /// then three timestamps.
    fn stat_v2(&mut self, path: &str) -> Result<Option<FileStat>> {
        const ENOENT: u32 = 2;
        self.request(b"LST2", path.as_bytes())?;
        let mut answer = [0; 72];
        self.stream.receive_exact(&mut answer)?;
        self.expect(b"LST2", &answer, "LST2")?;
        match u32_at(&answer, 4) {
            0 => Ok(Some(FileStat {
                mode: u32_at(&answer, 24),
                size: u64_at(&answer, 40),
                mtime: u64_at(&answer, 56) as i64,
            })),
            ENOENT => Ok(None),
            errno => Err(AdbError::Refused {
                request: self.stream.request().to_owned(),
                reason: std::io::Error::from_raw_os_error(errno as i32).to_string(),
            }),
        }
    }

    /// Copies a file from the device and returns its size in bytes. On a failure, `to` has received
    /// the data up to there.
    ///
    /// # Errors
    /// [`AdbError::Refused`] with the device's reason, [`AdbError::Lost`], [`AdbError::Local`].
    pub fn pull(&mut self, path: &str, to: &mut dyn Write) -> Result<u64> {
        self.begin("pull", path);
        if self.features.sendrecv_v2() {
            self.request(b"RCV2", path.as_bytes())?;
            // Flags: not compressed.
            self.packet(b"RCV2", 0, &[])?;
        } else {
            self.request(b"RECV", path.as_bytes())?
        }
        let (mut buffer, mut size) = (vec![0; MAX_DATA], 0);
        loop {
            self.stream.limit(Some(LIMIT));
            let (id, length) = self.head()?;
            match &id {
                b"DATA" if length as usize <= MAX_DATA => {
                    let data = &mut buffer[..length as usize];
                    self.stream.receive_exact(data)?;
                    to.write_all(data).map_err(|error| local(path, error))?;
                    size += u64::from(length);
                }
                b"DONE" => return Ok(size),
                _ => return Err(self.failure(id, length)),
            }
        }
    }

    /// Copies a file to the device with permissions `mode` (such as `0o755`) and modification time
    /// `mtime` (seconds since 1970).
    ///
    /// # Errors
    /// As for [`Sync::pull`].
    pub fn push(&mut self, from: &mut dyn Read, path: &str, mode: u32, mtime: u32) -> Result<u64> {
        self.begin("push", path);
        self.announce(path, 0o100_000 | mode)?;
        let (mut buffer, mut size) = (vec![0; MAX_DATA], 0);
        loop {
            self.stream.limit(Some(LIMIT));
            let length = from.read(&mut buffer).map_err(|error| local(path, error))?;
            if length == 0 {
                break;
            }
            size += length as u64;
            if let Err(error) = self.packet(b"DATA", length as u32, &buffer[..length]) {
                // If the device closed the connection, its reason may still be readable.
                return Err(self.read_result().err().unwrap_or(error));
            }
        }
        self.packet(b"DONE", mtime, &[])?;
        self.read_result()?;
        Ok(size)
    }

    fn announce(&mut self, path: &str, mode: u32) -> Result<()> {
        if !self.features.sendrecv_v2() {
            return self.request(b"SEND", format!("{path},{mode}").as_bytes());
        }
        self.request(b"SND2", path.as_bytes())?;
        // Flags: not compressed.
        self.packet(b"SND2", mode, &0u32.to_le_bytes())
    }

    /// Reads whether the device accepted the file.
    fn read_result(&mut self) -> Result<()> {
        match self.head()? {
            (id, _) if &id == b"OKAY" => Ok(()),
            (id, length) => Err(self.failure(id, length)),
        }
    }

    fn begin(&mut self, what: &str, path: &str) {
        self.stream.set_request(&format!("{what} {path}"));
        self.stream.limit(Some(LIMIT));
    }

    fn request(&mut self, id: &[u8; 4], path: &[u8]) -> Result<()> {
        self.packet(id, path.len() as u32, path)
    }

    fn packet(&mut self, id: &[u8; 4], number: u32, bytes: &[u8]) -> Result<()> {
        let mut packet = Vec::with_capacity(8 + bytes.len());
        packet.extend_from_slice(id);
        packet.extend_from_slice(&number.to_le_bytes());
        packet.extend_from_slice(bytes);
        self.stream.send(&packet)
    }

    fn head(&mut self) -> Result<([u8; 4], u32)> {
        let mut head = [0; 8];
        self.stream.receive_exact(&mut head)?;
        Ok(([head[0], head[1], head[2], head[3]], u32_at(&head, 4)))
    }

    /// The error of a `FAIL` answer or an unexpected one.
    fn failure(&mut self, id: [u8; 4], length: u32) -> AdbError {
        if &id != b"FAIL" || length as usize > MAX_DATA {
            return self.stream.protocol("DATA, DONE, OKAY or FAIL", &id);
        }
        let mut reason = vec![0; length as usize];
        match self.stream.receive_exact(&mut reason) {
            Err(error) => error,
            Ok(()) => AdbError::Refused {
                request: self.stream.request().to_owned(),
                reason: String::from_utf8_lossy(&reason).into_owned(),
            },
        }
    }

    fn expect(&self, id: &[u8; 4], answer: &[u8], expected: &'static str) -> Result<()> {
        if answer.starts_with(id) {
            Ok(())
        } else {
            Err(self.stream.protocol(expected, &answer[..8]))
        }
    }
}

fn local(path: &str, source: std::io::Error) -> AdbError {
    AdbError::Local {
        path: path.to_owned(),
        source,
    }
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}
