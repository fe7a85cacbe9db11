//! The conversation with a BattOr.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use super::convert::{Converter, RawSample};
use super::eeprom::{EEPROM_BYTES, Eeprom};
use super::frame::{Decoder, Message};
use super::message::{ACK, Control, SAMPLES, SampleFrame};
use super::serial::Serial;
use super::{BattorError, Result};

/// The range of currents that it measures: the wider one.
const LOW_GAIN: u16 = 0;

/// How long things take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BattorTiming {
    /// An answer, or the next frame.
    pub answer: Duration,
    /// Before it is asked again: one that resets itself needs a moment.
    pub before_retry: Duration,
    /// How often it is asked.
    pub attempts: u32,
    /// Silence on the line that shows that nothing is left of what came before.
    pub quiet: Duration,
    /// From a clock marker to the end: the samples around it have to be on the card.
    pub after_marker: Duration,
}

impl Default for BattorTiming {
    /// As Chromium's agent has them.
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

/// A BattOr that measures, or can.
#[derive(Debug)]
pub struct Battor {
    path: PathBuf,
    timing: BattorTiming,
    line: Option<(Serial, Decoder)>,
    /// The samples during which markers were noted.
    markers: BTreeMap<u32, String>,
    last_marker: Option<Instant>,
}

/// What was measured.
#[derive(Clone, PartialEq, Debug)]
pub struct Measured {
    converter: Converter,
    sample_rate: u32,
    gain: f32,
    noise: usize,
    samples: Vec<RawSample>,
    markers: BTreeMap<u32, String>,
}

impl Battor {
    /// On a serial line, which is opened when it is first needed.
    pub fn new(path: PathBuf, timing: BattorTiming) -> Self {
        Self {
            path,
            timing,
            line: None,
            markers: BTreeMap::new(),
            last_marker: None,
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Starts measuring.
    ///
    /// # Errors
    /// Where it does not answer as it should, asked as often as its timing says.
    pub fn start(&mut self) -> Result<()> {
        self.markers.clear();
        self.retry(|this| {
            this.control(Control::Init, 0)?;
            this.control(Control::SetGain, LOW_GAIN)?;
            this.control(Control::StartSamplingSd, 0)
        })
    }

    /// Notes a clock marker at the sample that is being taken.
    ///
    /// # Errors
    /// Where it does not tell which. It is not asked again: the moment would be another.
    pub fn mark(&mut self, name: &str) -> Result<()> {
        // Without waiting: that would be time between the question and the sample.
        self.clear_line(Duration::ZERO)?;
        self.send(Control::ReadSampleCount, 0)?;
        let answer = self.answer(Control::ReadSampleCount)?;
        let number = answer.payload.as_slice().try_into().map(u32::from_le_bytes);
        let number = number.map_err(|_| unexpected(Control::ReadSampleCount, &answer))?;
        self.markers.insert(number, name.to_owned());
        self.last_marker = Some(Instant::now());
        Ok(())
    }

    /// Stops measuring, and fetches all that was measured.
    ///
    /// # Errors
    /// Where it does not hand over everything, asked as often as its timing says.
    pub fn stop(&mut self) -> Result<Measured> {
        if let Some(marked) = self.last_marker {
            thread::sleep(self.timing.after_marker.saturating_sub(marked.elapsed()));
        }
        let (eeprom, noise, samples) = self.retry(|this| {
            let eeprom = this.eeprom()?;
            let (noise, samples) = this.samples()?;
            Ok((eeprom, noise, samples))
        })?;
        Ok(Measured {
            converter: Converter::new(eeprom, &noise),
            sample_rate: eeprom.sample_rate,
            gain: eeprom.gain,
            noise: noise.len(),
            samples,
            markers: std::mem::take(&mut self.markers),
        })
    }

    /// Tries again, with the line opened anew, as its timing says.
    fn retry<T>(&mut self, mut attempt: impl FnMut(&mut Self) -> Result<T>) -> Result<T> {
        let mut left = self.timing.attempts;
        loop {
            let clear = self.clear_line(self.timing.quiet);
            let result = clear.and_then(|()| attempt(self));
            left = left.saturating_sub(1);
            match result {
                // A line that cannot be opened will not open.
                Err(BattorError::Silent { .. } | BattorError::Answer { .. }) if left > 0 => {
                    self.line = None;
                    thread::sleep(self.timing.before_retry);
                }
                result => return result,
            }
        }
    }

    fn line(&mut self) -> Result<&mut (Serial, Decoder)> {
        if self.line.is_none() {
            let opened = Serial::open(&self.path);
            let serial = opened.map_err(|source| line_error(&self.path, source))?;
            self.line = Some((serial, Decoder::default()));
        }
        // It was just put there.
        self.line
            .as_mut()
            .ok_or_else(|| line_error(&self.path, io::ErrorKind::NotFound.into()))
    }

    /// Reads what is left on the line, until nothing comes for a while.
    fn clear_line(&mut self, quiet: Duration) -> Result<()> {
        let path = self.path.clone();
        let (serial, decoder) = self.line()?;
        let mut piece = [0; 4096];
        loop {
            match serial.receive(&mut piece, Instant::now() + quiet) {
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::TimedOut => break,
                Err(error) => return Err(line_error(&path, error)),
            }
        }
        *decoder = Decoder::default();
        Ok(())
    }

    fn send(&mut self, control: Control, parameter: u16) -> Result<()> {
        let (limit, path) = (self.timing.answer, self.path.clone());
        let (serial, _) = self.line()?;
        let sent = serial.send(&control.bytes(parameter), limit);
        sent.map_err(|error| silent_or_broken(&path, error, control, limit))
    }

    /// The next message of the kind that answers, passing over what it prints.
    fn next(&mut self, control: Control, pending: &mut Vec<u8>, kind: u8) -> Result<Message> {
        let (limit, path) = (self.timing.answer, self.path.clone());
        let until = Instant::now() + limit;
        let (serial, decoder) = self.line()?;
        let mut piece = [0; 16384];
        loop {
            let mut rest = std::mem::take(pending).into_iter();
            while let Some(byte) = rest.next() {
                if let Some(message) = decoder.push(byte).filter(|message| message.kind == kind) {
                    *pending = rest.collect();
                    return Ok(message);
                }
            }
            let received = serial.receive(&mut piece, until);
            let length =
                received.map_err(|error| silent_or_broken(&path, error, control, limit))?;
            pending.extend_from_slice(&piece[..length]);
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

    /// The frame that was taken of nothing, then all others to the empty one, none missing.
    fn samples(&mut self) -> Result<(Vec<RawSample>, Vec<RawSample>)> {
        let asked = Control::ReadSdUart;
        self.send(asked, 0)?;
        let (mut pending, mut noise, mut samples) = (Vec::new(), Vec::new(), Vec::new());
        for expected in 0.. {
            let message = self.next(asked, &mut pending, SAMPLES)?;
            let frame = SampleFrame::read(&message).filter(|frame| frame.number == expected);
            let frame = frame.ok_or_else(|| unexpected(asked, &message))?;
            match (expected, frame.samples.is_empty()) {
                (0, true) => return Err(nothing_stored(asked)),
                (0, false) => noise = frame.samples,
                (_, true) => break,
                (_, false) => samples.extend(frame.samples),
            }
        }
        Ok((noise, samples))
    }
}

impl Measured {
    /// How many samples there are.
    pub fn len(&self) -> usize {
        self.samples.len()
    }

    /// Whether nothing was measured.
    pub fn is_empty(&self) -> bool {
        self.samples.is_empty()
    }

    /// The text of the measurement, piece by piece, as Chromium's agent writes it: the time since
    /// the start in milliseconds, milliamperes, millivolts, and markers.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write(&self, out: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        const PIECE: usize = 1 << 16;
        let (least, most) = self.converter.range();
        let mut text = format!(
            "# BattOr\n# voltage_range [{:.1}, {:.1}] mV\n# current_range [{:.1}, {:.1}] mA\n\
             # sample_rate {} Hz, gain {:.1}x\n",
            least.voltage_mv,
            most.voltage_mv,
            least.current_ma,
            most.current_ma,
            self.sample_rate,
            self.gain
        );
        for (number, raw) in self.samples.iter().enumerate() {
            let sample = self.converter.convert(*raw);
            let ms = number as f64 / f64::from(self.sample_rate) * 1e3;
            // Writing to a string does not fail.
            _ = write!(
                text,
                "{ms:.2} {:.1} {:.1}",
                sample.current_ma, sample.voltage_mv
            );
            // The count has the samples of nothing too.
            let counted = u32::try_from(self.noise + number).unwrap_or(u32::MAX);
            if let Some(name) = self.markers.get(&counted) {
                _ = write!(text, " <{name}>");
            }
            text.push('\n');
            if text.len() >= PIECE {
                out(text.as_bytes())?;
                text.clear();
            }
        }
        out(text.as_bytes())
    }
}

fn line_error(path: &Path, source: io::Error) -> BattorError {
    BattorError::Line {
        path: path.display().to_string(),
        source,
    }
}

fn silent_or_broken(
    path: &Path,
    error: io::Error,
    control: Control,
    limit: Duration,
) -> BattorError {
    match error.kind() {
        io::ErrorKind::TimedOut => BattorError::Silent {
            request: control.name(),
            limit,
        },
        _ => line_error(path, error),
    }
}

fn unexpected(control: Control, message: &Message) -> BattorError {
    const SHOWN: usize = 16;
    let shown = &message.payload[..message.payload.len().min(SHOWN)];
    BattorError::Answer {
        request: control.name(),
        answer: format!(
            "{} bytes of type {}: {shown:02x?}",
            message.payload.len(),
            message.kind
        ),
    }
}

fn nothing_stored(control: Control) -> BattorError {
    BattorError::Answer {
        request: control.name(),
        answer: "nothing: it has no recording on its card".to_owned(),
    }
}
