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
mod tests {
    use super::*;

    fn raw(voltage: i16, current: i16) -> RawSample {
        RawSample { voltage, current }
    }

    /// The expected values are those in the tests of Chromium's converter.
    #[test]
    fn converts_as_chromium_does() {
        let plain = Eeprom {
            r1: 1.0,
            r2: 1.0,
            r3: 1.0,
            gain: 1.0,
            correction_factor: 1.0,
            correction_offset: 0.0,
            sample_rate: 1000,
        };
        let real = Eeprom {
            r1: 10.0,
            r2: 14.0,
            r3: 17.0,
            gain: 1.5,
            correction_factor: 4.0,
            correction_offset: 0.03,
            ..plain
        };
        let cases = [
            (
                plain,
                vec![raw(0, 0)],
                raw(2048, 2048),
                2401.172447484123,
                1200.5862237420615,
            ),
            (
                plain,
                vec![raw(1024, 1024)],
                raw(2048, 2048),
                1200.586223742061,
                600.293111871031,
            ),
            (
                plain,
                vec![raw(1000, 1000), raw(1048, 1048)],
                raw(2048, 2048),
                1200.5862237420615,
                600.293111871031,
            ),
            (
                real,
                vec![raw(800, 900), raw(1000, 1100)],
                raw(1900, 2000),
                1068.99620928754,
                9.762895701193528,
            ),
            (
                real,
                vec![raw(800, 900)],
                raw(-1900, -2000),
                -2885.2980205462577,
                -28.332106130755665,
            ),
        ];
        for (eeprom, noise, sample, voltage_mv, current_ma) in cases {
            let found = Converter::new(eeprom, &noise).convert(sample);
            let near = |a: f64, b: f64| (a - b).abs() < 1e-9 * b.abs();
            assert!(near(found.voltage_mv, voltage_mv), "{found:?} {voltage_mv}");
            assert!(near(found.current_ma, current_ma), "{found:?} {current_ma}");
        }
    }
}
