//! Lists the files of an archive for SQL, as Perfetto's table of trace files does.

use traceloom_trace::{ArgValue, FILES_TABLE, NO_TIME, Trace, TraceBuilder};

/// The format that is listed for the manifest.
const MANIFEST: &str = "perfetto_manifest";

/// A file in the archive.
struct File {
    name: String,
    /// Its size, bytes; for a compressed file, the size of its content.
    bytes: u64,
    format: String,
}

/// The files that were read, in this order.
#[derive(Default)]
pub(super) struct Listing {
    files: Vec<File>,
}

impl Listing {
    /// Adds the manifest, which is read before the traces.
    pub fn manifest(&mut self, name: &str, bytes: u64) {
        self.files.push(File {
            name: name.to_owned(),
            bytes,
            format: MANIFEST.to_owned(),
        });
    }

    /// Adds a file of the archive. Its sources are those of `trace` from number `first` on; the first one determines
    /// its format.
    pub fn trace(&mut self, name: &str, trace: &Trace, first: usize) {
        let Some(format) = trace.sources.format.iter().nth(first) else {
            return;
        };
        self.files.push(File {
            name: name.to_owned(),
            bytes: trace.sources.bytes.iter().skip(first).sum(),
            format: trace.strings.get(format).to_owned(),
        });
    }

    /// Writes rows for the archive, with its format, and for each of its files.
    pub fn write(&self, archive: &str, out: &mut TraceBuilder) {
        let bytes = self.files.iter().map(|file| file.bytes).sum();
        write((None, bytes, archive), 0, out);
        for (file, order) in self.files.iter().zip(1..) {
            write((Some(&file.name), file.bytes, &file.format), order, out);
        }
    }
}

/// Adds a row: the name, size in bytes and format of a file, and its place in the order of reading. The archive has no
/// name, and the place 0.
fn write((name, bytes, format): (Option<&str>, u64, &str), order: i64, out: &mut TraceBuilder) {
    let mut text = |text: &str| ArgValue::Text(out.intern(text.as_bytes()));
    let mut cells = vec![
        ("size", ArgValue::Int(bytes as i64)),
        ("format", text(format)),
        ("processing_order", ArgValue::Int(order)),
    ];
    cells.extend(name.map(|name| ("name", text(name))));
    out.record(NO_TIME, FILES_TABLE, &cells);
}
