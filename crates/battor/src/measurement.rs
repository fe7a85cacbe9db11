//! A finished measurement and its text form.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;

use crate::convert::{Converter, RawSample};

/// The samples of a finished measurement.
#[derive(Clone, PartialEq, Debug)]
pub struct Measurement {
    pub(crate) converter: Converter,
    /// Samples per second.
    pub(crate) sample_rate: u32,
    pub(crate) gain: f32,
    /// Number of calibration samples, which the BattOr counts too.
    pub(crate) calibration_samples: usize,
    pub(crate) samples: Vec<RawSample>,
    /// Names of clock markers, by sample number.
    pub(crate) markers: BTreeMap<u32, String>,
}

impl Measurement {
    /// Number of samples.
    pub fn len(&self) -> usize {
        self.samples.len()
    }

    /// Whether there are no samples.
    pub fn is_empty(&self) -> bool {
        self.samples.is_empty()
    }

    /// Writes the measurement as text, in chunks of about 64 KB, in the format of Chromium's agent:
    /// a header, then a line per sample with the time since the start in milliseconds, milliamperes,
    /// millivolts, and the name of a clock marker if there is one.
    ///
    /// # Errors
    /// The errors of `out`.
    pub fn write(&self, out: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        const CHUNK: usize = 1 << 16;
        let mut text = self.header();
        for (number, raw) in self.samples.iter().enumerate() {
            self.write_sample(number, *raw, &mut text);
            if text.len() >= CHUNK {
                out(text.as_bytes())?;
                text.clear();
            }
        }
        out(text.as_bytes())
    }

    fn header(&self) -> String {
        let (lowest, highest) = self.converter.range();
        format!(
            "# BattOr\n# voltage_range [{:.1}, {:.1}] mV\n# current_range [{:.1}, {:.1}] mA\n\
             # sample_rate {} Hz, gain {:.1}x\n",
            lowest.voltage_mv,
            highest.voltage_mv,
            lowest.current_ma,
            highest.current_ma,
            self.sample_rate,
            self.gain
        )
    }

    fn write_sample(&self, number: usize, raw: RawSample, text: &mut String) {
        let sample = self.converter.convert(raw);
        let ms = number as f64 / f64::from(self.sample_rate) * 1e3;
        // Writing to a string cannot fail.
        _ = write!(
            text,
            "{ms:.2} {:.1} {:.1}",
            sample.current_ma, sample.voltage_mv
        );
        let counted = u32::try_from(self.calibration_samples + number).unwrap_or(u32::MAX);
        if let Some(name) = self.markers.get(&counted) {
            _ = write!(text, " <{name}>");
        }
        text.push('\n');
    }
}
