//! The token in the URL. Only requests that carry it are answered.

/// 128 random bits as hexadecimal text.
#[derive(Debug)]
pub(crate) struct Token(String);

impl Token {
    /// A new token; an error if the system has no random numbers.
    pub fn random() -> Result<Self, String> {
        let mut bytes = [0u8; 16];
        getrandom::fill(&mut bytes).map_err(|error| error.to_string())?;
        Ok(Self(
            bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        ))
    }

    pub fn text(&self) -> &str {
        &self.0
    }

    /// Whether `offered` is the token. The time does not depend on the position of the first
    /// difference, so it reveals nothing about the token.
    pub fn is(&self, offered: &str) -> bool {
        let (ours, theirs) = (self.0.as_bytes(), offered.as_bytes());
        let differences = ours.iter().zip(theirs).fold(0, |sum, (a, b)| sum | (a ^ b));
        std::hint::black_box(differences) == 0 && ours.len() == theirs.len()
    }
}
