//! A sink for tests.

use std::io;

use crate::agent::{PartKind, Sink};

/// Stores one part, which must be of the expected kind.
pub(crate) struct TestSink {
    kind: PartKind,
    pub bytes: Vec<u8>,
}

impl TestSink {
    pub fn new(kind: PartKind) -> Self {
        let bytes = Vec::new();
        Self { kind, bytes }
    }
}

impl Sink for TestSink {
    fn begin(&mut self, kind: PartKind, _: &str) -> io::Result<()> {
        assert_eq!(kind, self.kind);
        assert!(self.bytes.is_empty());
        Ok(())
    }

    fn data(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }
}
