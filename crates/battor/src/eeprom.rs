//! The component values in a BattOr's EEPROM: packed, little endian.

/// Size of the EEPROM structure, bytes.
pub(crate) const EEPROM_BYTES: u16 = 94;

const MAGIC: [u8; 4] = [0x31, 0x10, 0x31, 0x10];

/// The component values that the conversion of samples needs.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Eeprom {
    /// The shunt resistor, ohms.
    pub r1: f32,
    /// The two resistors of the voltage divider, ohms.
    pub r2: f32,
    pub r3: f32,
    /// The gain of the current amplifier.
    pub gain: f32,
    /// Factory calibration of the current.
    pub correction_factor: f32,
    pub correction_offset: f32,
    /// Samples per second on the SD card.
    pub sample_rate: u32,
}

impl Eeprom {
    /// Reads the structure. `None` if it has another size or magic, or impossible values.
    ///
    /// ```text
    /// 0 magic | 4 u16 version | 6 serial number, 20 bytes | 26 u32 time
    /// 30 r1 | 34 r2 | 38 r3 | 42 low gain | 46 its correction factor | 50 offset | 54 u16
    /// 56 high gain, the same 14 bytes | 70 u32 SD card sample rate | … 90 crc32
    /// ```
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let is_one = bytes.len() == usize::from(EEPROM_BYTES) && bytes.starts_with(&MAGIC);
        let word = |at: usize| bytes.get(at..at + 4).and_then(|word| word.try_into().ok());
        let float = |at: usize| word(at).map(f32::from_le_bytes);
        let read = Self {
            r1: float(30)?,
            r2: float(34)?,
            r3: float(38)?,
            gain: float(42)?,
            correction_factor: float(46)?,
            correction_offset: float(50)?,
            sample_rate: u32::from_le_bytes(word(70)?),
        };
        let divisors = [
            read.r1,
            read.r3,
            read.r2 + read.r3,
            read.gain,
            read.correction_factor,
        ];
        let is_sound = divisors.iter().all(|value| value.is_normal())
            && read.correction_offset.is_finite()
            && read.sample_rate > 0;
        (is_one && is_sound).then_some(read)
    }
}
