//! Measurements with a simulated BattOr on a pseudo-terminal.
#![cfg(target_os = "linux")]

use std::time::Duration;

use testkit::{BattorFaults, FakeBattor};
use traceloom_battor::{Battor, Error, Measurement, Timing};

/// Short pauses, since the simulated BattOr answers as soon as it runs.
const QUICK: Timing = Timing {
    answer: Duration::from_secs(60),
    before_retry: Duration::from_millis(1),
    attempts: 3,
    quiet: Duration::from_millis(5),
    after_marker: Duration::from_millis(20),
};

fn measure(faults: BattorFaults) -> (FakeBattor, Result<Measurement, Error>) {
    measure_with(faults, QUICK)
}

fn measure_with(faults: BattorFaults, timing: Timing) -> (FakeBattor, Result<Measurement, Error>) {
    let fake = FakeBattor::attach(faults).unwrap();
    let mut battor = Battor::new(fake.path().to_owned(), timing);
    let measure = |battor: &mut Battor| {
        battor.start()?;
        battor.mark("first")?;
        std::thread::sleep(Duration::from_millis(200));
        battor.mark("second")?;
        battor.stop()
    };
    let measured = measure(&mut battor);
    (fake, measured)
}

fn text(measured: &Measurement) -> String {
    let mut text = Vec::new();
    let mut out = |bytes: &[u8]| {
        text.extend_from_slice(bytes);
        Ok(())
    };
    measured.write(&mut out).unwrap();
    String::from_utf8(text).unwrap()
}

fn check(measured: &Measurement) {
    let text = text(measured);
    let (head, samples) = text.split_at(text.find("\n0.00 ").unwrap() + 1);
    let expected = "# BattOr\n# voltage_range [-2414.1, 2385.9] mV\n\
                    # current_range [-1204.1, 1195.9] mA\n# sample_rate 5000 Hz, gain 1.0x\n";
    assert_eq!(head, expected);
    let lines: Vec<_> = samples.lines().collect();
    assert_eq!(lines.len(), measured.len());
    // At least 200 ms at 5000 samples a second.
    assert!(lines.len() >= 1000, "{}", lines.len());
    assert_eq!(lines[5].split(' ').next(), Some("1.00"));
    for line in &lines {
        let words: Vec<_> = line.split(' ').collect();
        let number = |at: usize| words[at].parse::<f64>().unwrap();
        // A step of the A/D converter is 0.6 mV.
        assert!((number(1) - FakeBattor::IDLE_MA).abs() < 1.0, "{line}");
        assert!((number(2) - FakeBattor::VOLTAGE_MV).abs() < 2.0, "{line}");
    }
    let at = |marker: &str| lines.iter().position(|line| line.ends_with(marker));
    assert!(at(" <second>").unwrap() >= at(" <first>").unwrap_or(0) + 900);
}

#[test]
fn samples_arrive_complete_with_their_markers() {
    let (fake, measured) = measure(BattorFaults::default());
    check(&measured.unwrap());
    assert_eq!(fake.asked(), [0, 4, 6, 8, 8, 3, 7]);
}

#[test]
fn a_running_battor_resets_first() {
    let faults = BattorFaults {
        was_running: true,
        ..BattorFaults::default()
    };
    // The second attempt begins after this time. All other answers arrive earlier.
    let timing = Timing {
        answer: Duration::from_secs(3),
        ..QUICK
    };
    let (fake, measured) = measure_with(faults, timing);
    check(&measured.unwrap());
    assert_eq!(fake.asked(), [0, 0, 4, 6, 8, 8, 3, 7]);
}

#[test]
fn a_lost_frame_repeats_the_download() {
    let faults = BattorFaults {
        loses_a_frame: true,
        ..BattorFaults::default()
    };
    // The rest of the first download may come in pieces.
    let timing = Timing {
        quiet: Duration::from_millis(300),
        ..QUICK
    };
    let (fake, measured) = measure_with(faults, timing);
    check(&measured.unwrap());
    assert_eq!(fake.asked(), [0, 4, 6, 8, 8, 3, 7, 3, 7]);
}

#[test]
fn failures_are_reported() {
    let faults = BattorFaults {
        is_silent: true,
        ..BattorFaults::default()
    };
    let timing = Timing {
        answer: Duration::from_millis(400),
        ..QUICK
    };
    let (fake, measured) = measure_with(faults, timing);
    let said = measured.unwrap_err().to_string();
    assert_eq!(said, "the BattOr did not answer INIT within 400ms");
    assert_eq!(fake.asked(), [0, 0, 0]);

    let (_, measured) = measure(BattorFaults {
        is_empty: true,
        ..BattorFaults::default()
    });
    let said = measured.unwrap_err().to_string();
    assert_eq!(
        said,
        "the BattOr answered READ_SD_UART with nothing: its SD card has no recording"
    );

    let mut nowhere = Battor::new("/nowhere/ttyUSB0".into(), QUICK);
    let said = nowhere.start().unwrap_err().to_string();
    assert_eq!(
        said,
        "/nowhere/ttyUSB0: No such file or directory (os error 2)"
    );
    let file = tempfile::NamedTempFile::new().unwrap();
    let mut no_line = Battor::new(file.path().to_owned(), QUICK);
    let error = no_line.start().unwrap_err();
    assert!(matches!(error, Error::Port { .. }), "{error}");
}
