//! A simulated BattOr on a pseudo-terminal, which answers as the firmware does.
//!
//! It measures a high current at the times that the test sets as busy.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

/// Number of calibration samples at the start.
const CALIBRATION: u64 = 32;

/// Number of samples in a frame.
const FRAME: usize = 500;

/// Faults to simulate.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct BattorFaults {
    /// It was running: the first INIT resets it and is not answered.
    pub was_running: bool,
    /// The first download loses a frame.
    pub loses_a_frame: bool,
    /// Its SD card has no recording.
    pub is_empty: bool,
    /// It never answers.
    pub is_silent: bool,
}

/// A simulated BattOr with 5000 samples per second.
pub struct FakeBattor {
    path: PathBuf,
    busy_us: Arc<Mutex<Vec<(u64, u64)>>>,
    asked: Arc<Mutex<Vec<u8>>>,
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl FakeBattor {
    /// Samples per second.
    pub const RATE: u32 = 5000;
    /// Current in busy times, mA.
    pub const BUSY_MA: f64 = 600.0;
    /// Current at other times, mA.
    pub const IDLE_MA: f64 = 60.0;
    /// Voltage, mV.
    pub const VOLTAGE_MV: f64 = 2000.0;

    /// Attaches a BattOr. Its serial port exists until it is dropped.
    ///
    /// # Errors
    /// The system's error.
    pub fn attach(faults: BattorFaults) -> std::io::Result<Self> {
        let (line, path) = pseudo_terminal()?;
        // The port hangs up while no process has it open.
        let port = File::options().read(true).write(true).open(&path)?;
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
            drop(port);
        });
        Ok(Self {
            path,
            busy_us,
            asked,
            over,
            thread: Some(thread),
        })
    }

    /// The serial port.
    pub fn path(&self) -> &std::path::Path {
        &self.path
    }

    /// Sets the busy times: starts and ends on CLOCK_MONOTONIC, µs.
    pub fn set_busy(&self, times_us: Vec<(u64, u64)>) {
        *self.busy_us.lock().unwrap() = times_us;
    }

    /// The types of the control messages so far.
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
                    // Message type, control type, two parameters.
                    if let [3, control, a, b, _, _] = message[..] {
                        self.control(control, u16::from_le_bytes([a, b]));
                    }
                    message.clear();
                }
                (byte, _) => message.push(byte),
            }
        }
    }

    /// The next byte; `None` when the BattOr is dropped.
    fn byte(&mut self) -> Option<u8> {
        let mut poll = libc::pollfd {
            fd: self.line.as_raw_fd(),
            events: libc::POLLIN,
            revents: 0,
        };
        while !self.over.load(Ordering::Relaxed) {
            // SAFETY: the pointer is to one entry, which outlives the call.
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
        // Fails only if the reader is gone.
        _ = self.line.write_all(&bytes);
    }
}

/// Raw values of the calibration samples.
const NOISE_V: i16 = 12;
const NOISE_I: i16 = 7;

/// The raw value of a voltage at the A/D converter. That voltage is the current times one ohm, or half of the measured
/// voltage.
fn raw(mv: f64) -> i16 {
    (mv / 1200.0 * 2047.0).round() as i16
}

/// An EEPROM with resistors of one ohm, a gain of 1, and no correction.
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
    // SAFETY: the pointer is to a timespec that outlives the call.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    time.tv_sec as u64 * 1_000_000 + time.tv_nsec as u64 / 1000
}

/// The hardware's side of a pseudo-terminal, and the path of its port.
fn pseudo_terminal() -> std::io::Result<(File, PathBuf)> {
    let check = |result: libc::c_int| match result {
        0.. => Ok(result),
        _ => Err(std::io::Error::last_os_error()),
    };
    // SAFETY: the descriptor is new and only the file owns it. The name is written, with a NUL, into a
    // buffer of the given length.
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
