//! Where tests of what came collect it.

use std::io;

use crate::agent::{PartKind, Sink};

/// Keeps one part, which must be of the kind that is expected.
pub(crate) struct Kept {
    kind: PartKind,
    /// What came of it.
    pub bytes: Vec<u8>,
}

impl Kept {
    pub fn of(kind: PartKind) -> Self {
        let bytes = Vec::new();
        Self { kind, bytes }
    }
}

impl Sink for Kept {
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
