//! An Arrow file: consecutive batches of rows, and their positions.

use std::io::{self, Write};

use super::column::{Column, Kind};
use super::messages::{Block, batch_message, footer, padded, schema_message};

const MAGIC: &[u8] = b"ARROW1";
/// The marker before each message.
const CONTINUATION: [u8; 4] = [0xff; 4];

/// An Arrow file that is being written.
pub(super) struct File<'o> {
    out: &'o mut dyn Write,
    fields: Vec<(String, Kind)>,
    blocks: Vec<Block>,
    /// Bytes written.
    length: u64,
}

impl<'o> File<'o> {
    /// Writes the start. `fields` has the name and the kind of each column.
    pub fn new(out: &'o mut dyn Write, fields: Vec<(String, Kind)>) -> io::Result<Self> {
        let mut file = Self {
            out,
            fields,
            blocks: Vec::new(),
            length: 0,
        };
        file.write(MAGIC)?;
        file.pad(padded(MAGIC.len()) - MAGIC.len())?;
        file.message(&schema_message(&file.fields))?;
        Ok(file)
    }

    /// Writes rows. The columns have the kinds that [`new`](Self::new) was given.
    pub fn batch(&mut self, columns: &[Column]) -> io::Result<()> {
        let buffers: Vec<Vec<u8>> = columns.iter().flat_map(Column::buffers).collect();
        let lengths: Vec<usize> = buffers.iter().map(Vec::len).collect();
        let offset = self.length;
        self.message(&batch_message(columns, &lengths))?;
        let body = self.length;
        for buffer in &buffers {
            self.write(buffer)?;
            self.pad(padded(buffer.len()) - buffer.len())?;
        }
        self.blocks.push(Block {
            offset,
            metadata: body - offset,
            body: self.length - body,
        });
        Ok(())
    }

    /// Writes the end.
    pub fn finish(mut self) -> io::Result<()> {
        self.write(&CONTINUATION)?;
        self.write(&[0; 4])?;
        let footer = footer(&self.fields, &self.blocks);
        self.write(&footer)?;
        self.write(&length(&footer)?)?;
        self.write(MAGIC)
    }

    /// Writes a message, whose contents begin at a multiple of 8.
    fn message(&mut self, message: &[u8]) -> io::Result<()> {
        let padding = padded(message.len()) - message.len();
        self.write(&CONTINUATION)?;
        let with_padding = u32::try_from(message.len() + padding).map_err(io::Error::other)?;
        self.write(&with_padding.to_le_bytes())?;
        self.write(message)?;
        self.pad(padding)
    }

    fn pad(&mut self, bytes: usize) -> io::Result<()> {
        self.write(&[0; 8][..bytes])
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.length += bytes.len() as u64;
        self.out.write_all(bytes)
    }
}

fn length(bytes: &[u8]) -> io::Result<[u8; 4]> {
    let length = u32::try_from(bytes.len()).map_err(io::Error::other)?;
    Ok(length.to_le_bytes())
}
