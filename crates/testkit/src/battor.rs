//! A BattOr on a pseudo-terminal: what its firmware answers, written down from the firmware.
//!
//! It measures the time: while the test says that it is busy, it draws more.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

/// Samples of nothing at the start.
const CALIBRATION: u64 = 32;

/// Samples in a frame.
const FRAME: usize = 500;

/// What else it does than it should.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct BattorFaults {
    /// It was running: the first INIT resets it, and is not answered.
    pub was_running: bool,
    /// The first time that it hands samples over, a frame is lost on the way.
    pub loses_a_frame: bool,
    /// The card has no recording.
    pub is_empty: bool,
    /// It never answers.
    pub is_silent: bool,
}

/// A BattOr that takes 5000 samples a second.
pub struct FakeBattor {
    path: PathBuf,
    busy_us: Arc<Mutex<Vec<(u64, u64)>>>,
    asked: Arc<Mutex<Vec<u8>>>,
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl FakeBattor {
    /// How many samples a second.
    pub const RATE: u32 = 5000;
    /// What it draws while it is busy, and else, mA.
    pub const BUSY_MA: f64 = 600.0;
    /// See [`BUSY_MA`](Self::BUSY_MA).
    pub const IDLE_MA: f64 = 60.0;
    /// The battery's voltage, mV.
    pub const VOLTAGE_MV: f64 = 2000.0;

    /// One that is attached. Its line is there until it is dropped.
    ///
    /// # Errors
    /// What the system says.
    pub fn attach(faults: BattorFaults) -> std::io::Result<Self> {
        let (line, path) = pseudo_terminal()?;
        // While nobody has it open, the line would be hung up.
        let kept = File::options().read(true).write(true).open(&path)?;
        let (busy_us, asked) = (Arc::<Mutex<Vec<_>>>::default(), Arc::default());
        let over = Arc::new(AtomicBool::new(false));
        let mut firmware = Firmware {
            line,
            faults,
            busy_us: Arc::clone(&busy_us),
            asked: Arc::clone(&asked),
            start_us: 0,
            over: Arc::clone(&over),
        };
        let thread = thread::spawn(move || {
            firmware.run();
            drop(kept);
        });
        Ok(Self {
            path,
            busy_us,
            asked,
            over,
            thread: Some(thread),
        })
    }

    /// Its line.
    pub fn path(&self) -> &std::path::Path {
        &self.path
    }

    /// When it draws more: begins and ends by CLOCK_MONOTONIC, µs.
    pub fn set_busy(&self, times_us: Vec<(u64, u64)>) {
        *self.busy_us.lock().unwrap() = times_us;
    }

    /// What it was told so far: types of control messages.
    pub fn asked(&self) -> Vec<u8> {
        self.asked.lock().unwrap().clone()
    }
}

impl Drop for FakeBattor {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            _ = thread.join();
        }
    }
}

struct Firmware {
    line: File,
    faults: BattorFaults,
    busy_us: Arc<Mutex<Vec<(u64, u64)>>>,
    asked: Arc<Mutex<Vec<u8>>>,
    start_us: u64,
    over: Arc<AtomicBool>,
}

impl Firmware {
    fn run(&mut self) {
        let (mut message, mut escaped) = (Vec::new(), false);
        while let Some(byte) = self.byte() {
            match (byte, std::mem::take(&mut escaped)) {
                (2, false) => escaped = true,
                (0, false) => message.clear(),
                (1, false) => {
                    // The type of the message, the type of control, two parameters.
                    if let [3, control, a, b, _, _] = message[..] {
                        self.control(control, u16::from_le_bytes([a, b]));
                    }
                    message.clear();
                }
                (byte, _) => message.push(byte),
            }
        }
    }

    /// The next byte; `None` when the test is over.
    fn byte(&mut self) -> Option<u8> {
        let mut poll = libc::pollfd {
            fd: self.line.as_raw_fd(),
            events: libc::POLLIN,
            revents: 0,
        };
        while !self.over.load(Ordering::Relaxed) {
            // SAFETY: one entry, which lives through the call.
            let ready = unsafe { libc::poll(&raw mut poll, 1, 10) };
            let mut byte = [0];
            if ready > 0 && self.line.read_exact(&mut byte).is_ok() {
                return Some(byte[0]);
            }
        }
        None
    }

    fn control(&mut self, control: u8, parameter: u16) {
        self.asked.lock().unwrap().push(control);
        if self.faults.is_silent {
            return;
        }
        match control {
            0 if std::mem::take(&mut self.faults.was_running) => {}
            3 => {
                let eeprom = eeprom();
                self.send(4, &eeprom[..usize::from(parameter).min(eeprom.len())]);
            }
            6 => {
                self.start_us = now_us();
                self.send(4, &[control, 0]);
            }
            7 => {
                self.hand_over();
                self.send(4, &[control, 0]);
            }
            8 => {
                let count = self.count() as u32;
                self.send(4, &count.to_le_bytes());
            }
            _ => self.send(4, &[control, 0]),
        }
    }

    fn count(&self) -> u64 {
        (now_us() - self.start_us) * u64::from(FakeBattor::RATE) / 1_000_000
    }

    fn hand_over(&mut self) {
        let all = if self.faults.is_empty {
            0
        } else {
            self.count()
        };
        let busy = self.busy_us.lock().unwrap().clone();
        let step_us = 1_000_000 / u64::from(FakeBattor::RATE);
        let sample = |number: u64| {
            let at_us = self.start_us + number * step_us;
            let is_busy = busy.iter().any(|(from, to)| (*from..*to).contains(&at_us));
            match (number < CALIBRATION, is_busy) {
                (true, _) => (NOISE_V, NOISE_I),
                (false, true) => (NOISE_V + raw(1000.0), NOISE_I + raw(FakeBattor::BUSY_MA)),
                (false, false) => (NOISE_V + raw(1000.0), NOISE_I + raw(FakeBattor::IDLE_MA)),
            }
        };
        let samples: Vec<_> = (0..all).map(sample).collect();
        let (noise, rest) = samples.split_at(samples.len().min(CALIBRATION as usize));
        let mut frames: Vec<_> = vec![noise];
        frames.extend(rest.chunks(FRAME));
        if !noise.is_empty() {
            frames.push(&[]);
        }
        for (number, frame) in frames.into_iter().enumerate() {
            if number == 2 && std::mem::take(&mut self.faults.loses_a_frame) {
                continue;
            }
            let mut payload = (number as u32).to_le_bytes().to_vec();
            payload.extend((frame.len() as u16 * 4).to_le_bytes());
            for (voltage, current) in frame {
                payload.extend(voltage.to_le_bytes());
                payload.extend(current.to_le_bytes());
            }
            self.send(5, &payload);
        }
    }

    fn send(&mut self, kind: u8, payload: &[u8]) {
        let mut bytes = vec![0, kind];
        for &byte in payload {
            if byte <= 2 {
                bytes.push(2);
            }
            bytes.push(byte);
        }
        bytes.push(1);
        // Who has gone does not read.
        _ = self.line.write_all(&bytes);
    }
}

/// What the converter gives for nothing.
const NOISE_V: i16 = 12;
const NOISE_I: i16 = 7;

/// The converter's step for millivolts at it: of the current's resistor of one ohm, and of the half
/// of the voltage that its divider leaves.
fn raw(mv: f64) -> i16 {
    (mv / 1200.0 * 2047.0).round() as i16
}

/// Resistors of one ohm, no amplifier, no correction.
fn eeprom() -> Vec<u8> {
    let mut bytes = vec![0x31, 0x10, 0x31, 0x10, 2, 0];
    bytes.extend([b'7'; 20]); // serial number
    bytes.extend([0; 4]); // when it was written
    let floats = |bytes: &mut Vec<u8>, all: &[f32]| {
        all.iter()
            .for_each(|value| bytes.extend(value.to_le_bytes()));
    };
    floats(&mut bytes, &[1.0, 1.0, 1.0]); // r1, r2, r3
    floats(&mut bytes, &[1.0, 1.0, 0.0]); // low gain, its correction factor and offset
    bytes.extend([0; 2]);
    floats(&mut bytes, &[5.0, 1.0, 0.0]); // high gain
    bytes.extend([0; 2]);
    bytes.extend(FakeBattor::RATE.to_le_bytes());
    bytes.resize(94, 0);
    bytes
}

fn now_us() -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the call fills the struct that it is given.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    time.tv_sec as u64 * 1_000_000 + time.tv_nsec as u64 / 1000
}

/// The side of the hardware, and the path of the line.
fn pseudo_terminal() -> std::io::Result<(File, PathBuf)> {
    let check = |result: libc::c_int| match result {
        0.. => Ok(result),
        _ => Err(std::io::Error::last_os_error()),
    };
    // SAFETY: the descriptor is new and becomes the file's alone; the name is written into a buffer
    // of the length that is told, and ends with a NUL.
    unsafe {
        let line = check(libc::posix_openpt(libc::O_RDWR | libc::O_NOCTTY))?;
        let line = File::from_raw_fd(line);
        check(libc::grantpt(line.as_raw_fd()))?;
        check(libc::unlockpt(line.as_raw_fd()))?;
        let mut name = vec![0u8; 128];
        check(libc::ptsname_r(
            line.as_raw_fd(),
            name.as_mut_ptr().cast(),
            name.len(),
        ))?;
        name.truncate(name.iter().position(|&byte| byte == 0).unwrap_or(0));
        Ok((line, std::ffi::OsString::from_vec(name).into()))
    }
}
