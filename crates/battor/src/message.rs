//! The messages of the protocol.

use crate::convert::RawSample;
use crate::frame::{Message, encode};

/// Message types.
pub(crate) const CONTROL: u8 = 3;
pub(crate) const ACK: u8 = 4;
pub(crate) const SAMPLES: u8 = 5;

/// The requests that are used here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Control {
    Init = 0,
    ReadEeprom = 3,
    SetGain = 4,
    StartSamplingSd = 6,
    ReadSdUart = 7,
    ReadSampleCount = 8,
}

impl Control {
    /// The name in the firmware, for error messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Init => "INIT",
            Self::ReadEeprom => "READ_EEPROM",
            Self::SetGain => "SET_GAIN",
            Self::StartSamplingSd => "START_SAMPLING_SD",
            Self::ReadSdUart => "READ_SD_UART",
            Self::ReadSampleCount => "READ_SAMPLE_COUNT",
        }
    }

    /// The encoded request: `u8 type, u16 parameter, u16 0`.
    pub fn bytes(self, parameter: u16) -> Vec<u8> {
        let mut payload = vec![self as u8];
        payload.extend(parameter.to_le_bytes());
        payload.extend(0u16.to_le_bytes());
        encode(CONTROL, &payload)
    }

    /// Whether a message acknowledges this request: `u8 type, u8 result`.
    pub fn is_ack(self, message: &Message) -> bool {
        message.kind == ACK && message.payload.len() == 2 && message.payload[0] == self as u8
    }
}

/// A frame of samples: `u32 number, u16 length`, then for each `i16 voltage, i16 current`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct SampleFrame {
    pub number: u32,
    pub samples: Vec<RawSample>,
}

impl SampleFrame {
    /// Reads a frame. `None` if the message is not a frame or its length is wrong.
    pub fn read(message: &Message) -> Option<Self> {
        const SAMPLE: usize = 4;
        let (head, body) = message.payload.split_first_chunk::<6>()?;
        let length = u16::from_le_bytes([head[4], head[5]]);
        let is_whole = body.len() == usize::from(length) && body.len().is_multiple_of(SAMPLE);
        (message.kind == SAMPLES && is_whole).then(|| Self {
            number: u32::from_le_bytes([head[0], head[1], head[2], head[3]]),
            samples: body
                .chunks_exact(SAMPLE)
                .map(|bytes| RawSample {
                    voltage: i16::from_le_bytes([bytes[0], bytes[1]]),
                    current: i16::from_le_bytes([bytes[2], bytes[3]]),
                })
                .collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_with_a_wrong_length_are_rejected() {
        let frame = |payload: &[u8]| {
            SampleFrame::read(&Message {
                kind: SAMPLES,
                payload: payload.to_vec(),
            })
        };
        let read = frame(&[7, 1, 0, 0, 4, 0, 0xff, 0xff, 2, 1]).unwrap();
        assert_eq!(read.number, 0x107);
        let sample = RawSample {
            voltage: -1,
            current: 0x102,
        };
        assert_eq!(read.samples, [sample]);
        assert_eq!(frame(&[1, 0, 0, 0, 0, 0]).unwrap().samples, []);
        for wrong in [&[][..], &[1, 0, 0, 0, 4, 0], &[1, 0, 0, 0, 3, 0, 1, 2, 3]] {
            assert_eq!(frame(wrong), None);
        }
        let ack = Message {
            kind: ACK,
            payload: vec![0, 0, 0, 0, 0, 0],
        };
        assert_eq!(SampleFrame::read(&ack), None);
    }
}
