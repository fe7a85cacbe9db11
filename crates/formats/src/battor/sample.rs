//! One line with a sample.

/// The values measured at one time.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Sample<'a> {
    /// Time since the start of the recording.
    pub ts_ns: i64,
    /// Current through the battery; negative while it is charging.
    pub current_ma: f64,
    /// Voltage of the battery.
    pub voltage_mv: f64,
    /// The clock marker that was noted at this sample.
    pub marker: Option<&'a [u8]>,
}

impl<'a> Sample<'a> {
    /// Parses `0.10 15.1 4313.7 <id>`; `None` for any other line.
    pub fn read(line: &'a [u8]) -> Option<Self> {
        let mut words = line
            .split(u8::is_ascii_whitespace)
            .filter(|word| !word.is_empty());
        let mut next = || number(words.next()?);
        let (ms, current_ma, voltage_mv) = (next()?, next()?, next()?);
        let marker = match words.next() {
            Some(word) => Some(word.strip_prefix(b"<")?.strip_suffix(b">")?),
            None => None,
        };
        words.next().is_none().then_some(Self {
            // The conversion saturates.
            ts_ns: (ms * 1e6).round() as i64,
            current_ma,
            voltage_mv,
            marker,
        })
    }
}

/// Parses a number with a decimal point and digits on both sides. BattOr writes all numbers this
/// way.
fn number(word: &[u8]) -> Option<f64> {
    let digits = word.strip_prefix(b"-").unwrap_or(word);
    let point = digits.iter().position(|&byte| byte == b'.')?;
    let (whole, fraction) = (&digits[..point], &digits[point + 1..]);
    let is_number = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_digit);
    (is_number(whole) && is_number(fraction)).then_some(())?;
    std::str::from_utf8(word).ok()?.parse().ok()
}
