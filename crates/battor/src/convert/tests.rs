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
