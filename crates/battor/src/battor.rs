//! A connection to a BattOr: starts and stops a measurement, and marks samples.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use crate::convert::{Converter, RawSample};
use crate::eeprom::{EEPROM_BYTES, Eeprom};
use crate::error::{Error, Result};
use crate::frame::{Decoder, Message};
use crate::measurement::Measurement;
use crate::message::{ACK, Control, SAMPLES, SampleFrame};
use crate::serial::Serial;

/// The parameter of SET_GAIN for low gain, which has the wider range of currents.
const LOW_GAIN: u16 = 0;

/// Time limits and pauses of the protocol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Timing {
    /// The time limit for an answer or the next frame.
    pub answer: Duration,
    /// Pause before a request is repeated. A BattOr that resets needs a moment.
    pub before_retry: Duration,
    /// The maximum number of times that a request is sent.
    pub attempts: u32,
    /// The silence after which the line counts as free of earlier data.
    pub quiet: Duration,
    /// Minimum time from the last clock marker to the end of the measurement. The samples around a
    /// marker must have reached the SD card.
    pub after_marker: Duration,
}

impl Default for Timing {
    /// The values of Chromium's agent.
    fn default() -> Self {
        Self {
            answer: Duration::from_secs(2),
            before_retry: Duration::from_secs(2),
            attempts: 10,
            quiet: Duration::from_millis(50),
            after_marker: Duration::from_millis(100),
        }
    }
}

/// A BattOr on a serial port.
#[derive(Debug)]
pub struct Battor {
    path: PathBuf,
    timing: Timing,
    line: Option<Line>,
    /// Names of clock markers, by sample number.
    markers: BTreeMap<u32, String>,
    last_marker: Option<Instant>,
}

/// An open serial port and its decoder.
#[derive(Debug)]
struct Line {
    serial: Serial,
    decoder: Decoder,
}

impl Battor {
    /// A BattOr on the serial port `path`, which is opened when it is first used.
    pub fn new(path: PathBuf, timing: Timing) -> Self {
        Self {
            path,
            timing,
            line: None,
            markers: BTreeMap::new(),
            last_marker: None,
        }
    }

    /// The serial port.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Starts a measurement.
    ///
    /// # Errors
    /// [`Error::Port`]; [`Error::Timeout`] and [`Error::UnexpectedAnswer`] after all attempts.
    pub fn start(&mut self) -> Result<()> {
        self.markers.clear();
        self.retry(|this| {
            this.control(Control::Init, 0)?;
            this.control(Control::SetGain, LOW_GAIN)?;
            this.control(Control::StartSamplingSd, 0)
        })
    }

    /// Adds a clock marker to the current sample.
    ///
    /// # Errors
    /// If the BattOr does not answer with a sample number. The request is not repeated, because the
    /// repetition would mark a later sample.
    pub fn mark(&mut self, name: &str) -> Result<()> {
        // Waiting for a quiet line would delay the request.
        self.clear_line(Duration::ZERO)?;
        self.send(Control::ReadSampleCount, 0)?;
        let answer = self.answer(Control::ReadSampleCount)?;
        let number = answer.payload.as_slice().try_into().map(u32::from_le_bytes);
        let number = number.map_err(|_| unexpected(Control::ReadSampleCount, &answer))?;
        self.markers.insert(number, name.to_owned());
        self.last_marker = Some(Instant::now());
        Ok(())
    }

    /// Stops the measurement and downloads all samples.
    ///
    /// # Errors
    /// As for [`Battor::start`], if the download is incomplete in all attempts.
    pub fn stop(&mut self) -> Result<Measurement> {
        if let Some(marked) = self.last_marker {
            thread::sleep(self.timing.after_marker.saturating_sub(marked.elapsed()));
        }
        let (eeprom, calibration, samples) = self.retry(|this| {
            let eeprom = this.eeprom()?;
            let (calibration, samples) = this.samples()?;
            Ok((eeprom, calibration, samples))
        })?;
        Ok(Measurement {
            converter: Converter::new(eeprom, &calibration),
            sample_rate: eeprom.sample_rate,
            gain: eeprom.gain,
            calibration_samples: calibration.len(),
            samples,
            markers: std::mem::take(&mut self.markers),
        })
    }

    /// Repeats `attempt` on a newly opened port until it succeeds or no attempts are left.
    fn retry<T>(&mut self, mut attempt: impl FnMut(&mut Self) -> Result<T>) -> Result<T> {
        let mut left = self.timing.attempts;
        loop {
            let clear = self.clear_line(self.timing.quiet);
            let result = clear.and_then(|()| attempt(self));
            left = left.saturating_sub(1);
            match result {
                // Does not retry if the port cannot be opened or used.
                Err(Error::Timeout { .. } | Error::UnexpectedAnswer { .. }) if left > 0 => {
                    self.line = None;
                    thread::sleep(self.timing.before_retry);
                }
                result => return result,
            }
        }
    }

    fn line(&mut self) -> Result<&mut Line> {
        let line = match self.line.take() {
            Some(line) => line,
            None => Line {
                serial: Serial::open(&self.path).map_err(|error| port_error(&self.path, error))?,
                decoder: Decoder::default(),
            },
        };
        Ok(self.line.insert(line))
    }

    /// Discards what arrives until the line has been silent for `quiet`.
    fn clear_line(&mut self, quiet: Duration) -> Result<()> {
        let path = self.path.clone();
        let line = self.line()?;
        let mut chunk = [0; 4096];
        loop {
            match line.serial.receive(&mut chunk, Instant::now() + quiet) {
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::TimedOut => break,
                Err(error) => return Err(port_error(&path, error)),
            }
        }
        line.decoder = Decoder::default();
        Ok(())
    }

    fn send(&mut self, control: Control, parameter: u16) -> Result<()> {
        let (limit, path) = (self.timing.answer, self.path.clone());
        let sent = self.line()?.serial.send(&control.bytes(parameter), limit);
        sent.map_err(|error| timeout_or_port_error(&path, error, control, limit))
    }

    /// Waits for the next message of type `kind` and skips messages of other types. Bytes that
    /// follow the message stay in `pending`.
    fn next(&mut self, control: Control, pending: &mut Vec<u8>, kind: u8) -> Result<Message> {
        let (limit, path) = (self.timing.answer, self.path.clone());
        let deadline = Instant::now() + limit;
        let line = self.line()?;
        let mut chunk = [0; 16384];
        loop {
            let mut rest = std::mem::take(pending).into_iter();
            while let Some(byte) = rest.next() {
                let message = line.decoder.push(byte);
                if let Some(message) = message.filter(|message| message.kind == kind) {
                    *pending = rest.collect();
                    return Ok(message);
                }
            }
            let received = line.serial.receive(&mut chunk, deadline);
            let length =
                received.map_err(|error| timeout_or_port_error(&path, error, control, limit))?;
            pending.extend_from_slice(&chunk[..length]);
        }
    }

    fn answer(&mut self, control: Control) -> Result<Message> {
        self.next(control, &mut Vec::new(), ACK)
    }

    fn control(&mut self, control: Control, parameter: u16) -> Result<()> {
        self.send(control, parameter)?;
        let answer = self.answer(control)?;
        if control.is_ack(&answer) {
            Ok(())
        } else {
            Err(unexpected(control, &answer))
        }
    }

    fn eeprom(&mut self) -> Result<Eeprom> {
        self.send(Control::ReadEeprom, EEPROM_BYTES)?;
        let answer = self.answer(Control::ReadEeprom)?;
        let eeprom = Eeprom::read(&answer.payload);
        eeprom.ok_or_else(|| unexpected(Control::ReadEeprom, &answer))
    }

    /// The samples of the calibration frame, and the samples of all frames before the empty frame.
    fn samples(&mut self) -> Result<(Vec<RawSample>, Vec<RawSample>)> {
        let request = Control::ReadSdUart;
        self.send(request, 0)?;
        let (mut pending, mut calibration, mut samples) = (Vec::new(), Vec::new(), Vec::new());
        for expected in 0.. {
            let message = self.next(request, &mut pending, SAMPLES)?;
            let frame = SampleFrame::read(&message).filter(|frame| frame.number == expected);
            let frame = frame.ok_or_else(|| unexpected(request, &message))?;
            match (expected, frame.samples.is_empty()) {
                (0, true) => return Err(nothing_stored(request)),
                (0, false) => calibration = frame.samples,
                (_, true) => break,
                (_, false) => samples.extend(frame.samples),
            }
        }
        Ok((calibration, samples))
    }
}

fn port_error(path: &Path, source: io::Error) -> Error {
    Error::Port {
        path: path.display().to_string(),
        source,
    }
}

fn timeout_or_port_error(
    path: &Path,
    error: io::Error,
    control: Control,
    limit: Duration,
) -> Error {
    match error.kind() {
        io::ErrorKind::TimedOut => Error::Timeout {
            request: control.name(),
            limit,
        },
        _ => port_error(path, error),
    }
}

fn unexpected(control: Control, message: &Message) -> Error {
    const SHOWN: usize = 16;
    let shown = &message.payload[..message.payload.len().min(SHOWN)];
    Error::UnexpectedAnswer {
        request: control.name(),
        answer: format!(
            "{} bytes of type {}: {shown:02x?}",
            message.payload.len(),
            message.kind
        ),
    }
}

fn nothing_stored(control: Control) -> Error {
    Error::UnexpectedAnswer {
        request: control.name(),
        answer: "nothing: its SD card has no recording".to_owned(),
    }
}
