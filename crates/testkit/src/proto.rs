//! Protobuf messages, field by field.

/// A message. Fields are written in the order of the calls; a repeated field is written once for each value.
///
/// ```
/// use testkit::Proto;
///
/// let packet = Proto::new().int(8, 1_000).message(11, Proto::new().text(23, "draw"));
/// let trace = Proto::new().message(1, packet);
/// assert_eq!(trace.bytes()[..2], [0x0a, 12]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proto(Vec<u8>);

impl Proto {
    /// A message without fields.
    pub fn new() -> Self {
        Self::default()
    }

    /// The message as bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// A varint: `int32`, `int64`, `bool` or an enum.
    #[must_use]
    pub fn int(self, number: u32, value: i64) -> Self {
        self.uint(number, value as u64)
    }

    /// A varint: `uint32`, `uint64`.
    #[must_use]
    pub fn uint(mut self, number: u32, value: u64) -> Self {
        self.key(number, 0);
        self.varint(value);
        self
    }

    /// A `double`.
    #[must_use]
    pub fn double(self, number: u32, value: f64) -> Self {
        self.fixed(number, value.to_bits())
    }

    /// A `fixed64`.
    #[must_use]
    pub fn fixed(mut self, number: u32, value: u64) -> Self {
        self.key(number, 1);
        self.0.extend(value.to_le_bytes());
        self
    }

    /// A `fixed32`.
    #[must_use]
    pub fn fixed32(mut self, number: u32, value: u32) -> Self {
        self.key(number, 5);
        self.0.extend(value.to_le_bytes());
        self
    }

    /// A `string`.
    #[must_use]
    pub fn text(self, number: u32, text: &str) -> Self {
        self.raw(number, text.as_bytes())
    }

    /// `bytes`, or a message that is already encoded.
    #[must_use]
    pub fn raw(mut self, number: u32, bytes: &[u8]) -> Self {
        self.key(number, 2);
        self.varint(bytes.len() as u64);
        self.0.extend(bytes);
        self
    }

    /// A message inside of this one.
    #[must_use]
    pub fn message(self, number: u32, message: Self) -> Self {
        self.raw(number, &message.0)
    }

    /// Varints in one packed field.
    #[must_use]
    pub fn packed(self, number: u32, values: &[u64]) -> Self {
        let mut packed = Self::new();
        for value in values {
            packed.varint(*value);
        }
        self.raw(number, &packed.0)
    }

    fn key(&mut self, number: u32, wire_type: u64) {
        self.varint(u64::from(number) << 3 | wire_type);
    }

    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }
}
