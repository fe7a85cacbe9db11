//! The framing of messages on the serial line.
//!
//! ```text
//! 00 | type | payload, with 02 before each byte 00, 01 or 02 | 01
//! ```

const START: u8 = 0x00;
const END: u8 = 0x01;
const ESCAPE: u8 = 0x02;

/// Longer than any message, bytes. Limits the memory that a message without an end can take.
const MAX_BYTES: usize = 100_000;

/// A message: its type and its payload.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Message {
    pub kind: u8,
    pub payload: Vec<u8>,
}

/// Encodes a message.
pub(crate) fn encode(kind: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = vec![START, kind];
    for &byte in payload {
        if matches!(byte, START | END | ESCAPE) {
            bytes.push(ESCAPE);
        }
        bytes.push(byte);
    }
    bytes.push(END);
    bytes
}

/// Finds messages in a byte stream.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    message: Option<Vec<u8>>,
    is_escaped: bool,
}

impl Decoder {
    /// Takes the next byte and returns the message that it ends. Bytes between messages, and a
    /// message that another one interrupts, are discarded.
    pub fn push(&mut self, byte: u8) -> Option<Message> {
        if std::mem::take(&mut self.is_escaped) {
            self.add(byte);
            return None;
        }
        match byte {
            START => self.message = Some(Vec::new()),
            ESCAPE if self.message.is_some() => self.is_escaped = true,
            END => return self.message.take().and_then(whole),
            byte => self.add(byte),
        }
        None
    }

    fn add(&mut self, byte: u8) {
        match &mut self.message {
            Some(message) if message.len() < MAX_BYTES => message.push(byte),
            message => *message = None,
        }
    }
}

fn whole(mut message: Vec<u8>) -> Option<Message> {
    let kind = *message.first()?;
    message.remove(0);
    Some(Message {
        kind,
        payload: message,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(bytes: &[u8]) -> Vec<Message> {
        let mut decoder = Decoder::default();
        bytes
            .iter()
            .filter_map(|&byte| decoder.push(byte))
            .collect()
    }

    /// The bytes that Chromium's tests expect for the first message.
    #[test]
    fn control_bytes_are_escaped() {
        let init = [0, 3, 2, 0, 2, 0, 2, 0, 2, 0, 2, 0, 1];
        assert_eq!(encode(3, &[0; 5]), init);
        let expected = Message {
            kind: 3,
            payload: vec![0; 5],
        };
        assert_eq!(decode(&init), [expected]);
    }

    #[test]
    fn noise_and_incomplete_messages_are_skipped() {
        let message = |payload: &[u8]| Message {
            kind: 5,
            payload: payload.to_vec(),
        };
        let mut line = b"noise\x02\x01\x01".to_vec();
        line.extend([0, 5, 9, 9]); // cut off by the next one
        line.extend(encode(5, &[1, 2, 3]));
        line.extend([0, 1]); // without a type
        line.extend(encode(5, &[]));
        assert_eq!(decode(&line), [message(&[1, 2, 3]), message(&[])]);
        let mut endless = vec![0, 5];
        endless.resize(1_000_000, 7);
        endless.push(1);
        assert_eq!(decode(&endless), []);
    }

    #[test]
    fn every_byte_survives() {
        let all: Vec<u8> = (0..=255).collect();
        let decoded = decode(&encode(4, &all));
        assert_eq!(decoded[0].payload, all);
    }
}
