//! The attributes of a file, from the members before it.

use super::header::text;

/// The attributes of the next file.
#[derive(Default)]
pub(super) struct Attributes {
    pub path: Option<String>,
    /// The target of a link.
    pub link: Option<String>,
    /// The size of the content in the archive, bytes.
    pub size: Option<u64>,
    /// Whether the content consists only of the nonzero parts of a file.
    pub is_sparse: bool,
}

impl Attributes {
    /// Adds the records of pax: `27 path=…\n`, where 27 is the length of the record.
    pub fn add(&mut self, mut records: &[u8]) {
        let mut real_name = None;
        while let Some((key, value, rest)) = record(records) {
            match key {
                b"path" => self.path = Some(text(value)),
                b"linkpath" => self.link = Some(text(value)),
                b"size" => self.size = text(value).parse().ok(),
                b"GNU.sparse.name" => real_name = Some(text(value)),
                _ => {}
            }
            self.is_sparse |= key.starts_with(b"GNU.sparse.");
            records = rest;
        }
        // The path of a sparse file is meant for programs that do not support sparse files.
        self.path = real_name.or(self.path.take());
    }
}

/// The key and the value of the first record, and the rest.
fn record(records: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let space = records.iter().position(|byte| *byte == b' ')?;
    let length: usize = std::str::from_utf8(&records[..space]).ok()?.parse().ok()?;
    let record = records.get(space + 1..length)?;
    let record = record.strip_suffix(b"\n").unwrap_or(record);
    let equals = record.iter().position(|byte| *byte == b'=');
    let (key, value) = record.split_at(equals.unwrap_or(record.len()));
    let value = value.strip_prefix(b"=").unwrap_or_default();
    Some((key, value, &records[length..]))
}
