//! Conversion of raw samples to millivolts and milliamperes.

use crate::eeprom::Eeprom;

/// The A/D converter maps -1.2 V to 1.2 V to -2048 to 2047, so negative steps are slightly smaller.
const LOWEST: i16 = -2048;
const HIGHEST: i16 = 2047;
const REFERENCE_V: f64 = 1.2;

/// A sample as the A/D converter stored it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RawSample {
    pub voltage: i16,
    pub current: i16,
}

/// A sample in physical units.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Sample {
    pub voltage_mv: f64,
    pub current_ma: f64,
}

/// Converts the samples of one measurement.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Converter {
    eeprom: Eeprom,
    /// The mean of the calibration samples, volts.
    noise_voltage: f64,
    noise_current: f64,
}

impl Converter {
    /// A converter for a BattOr with these components and calibration samples (at least one).
    pub fn new(eeprom: Eeprom, calibration: &[RawSample]) -> Self {
        let mean = |value: fn(&RawSample) -> i16| {
            let sum: f64 = calibration.iter().map(|sample| volts(value(sample))).sum();
            sum / calibration.len().max(1) as f64
        };
        Self {
            eeprom,
            noise_voltage: mean(|sample| sample.voltage),
            noise_current: mean(|sample| sample.current),
        }
    }

    /// Converts a sample: reverses the voltage divider, and the amplifier and shunt of the current.
    pub fn convert(&self, raw: RawSample) -> Sample {
        let eeprom = &self.eeprom;
        let divider = f64::from(eeprom.r3 / (eeprom.r2 + eeprom.r3));
        let voltage = (volts(raw.voltage) - self.noise_voltage) / divider;
        let current = volts(raw.current) - self.noise_current;
        let current = current / f64::from(eeprom.gain) / f64::from(eeprom.r1) * 1e3;
        let corrected = current - f64::from(eeprom.correction_offset);
        Sample {
            voltage_mv: voltage * 1e3,
            current_ma: corrected / f64::from(eeprom.correction_factor),
        }
    }

    /// The lowest and the highest sample that can be measured.
    pub fn range(&self) -> (Sample, Sample) {
        let all = |value| {
            self.convert(RawSample {
                voltage: value,
                current: value,
            })
        };
        (all(LOWEST), all(HIGHEST))
    }
}

fn volts(raw: i16) -> f64 {
    let extreme = if raw >= 0 { HIGHEST } else { LOWEST };
    f64::from(raw) / f64::from(extreme).abs() * REFERENCE_V
}

#[cfg(test)]
mod tests;
