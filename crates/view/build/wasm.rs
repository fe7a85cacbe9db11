//! Reads WebAssembly: numbers, sections, and where an operation's operands end.

use std::ops::Range;

type Result<T> = std::result::Result<T, String>;

/// Reads from a place on.
pub struct Reader<'a> {
    bytes: &'a [u8],
    pub at: usize,
}

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at }
    }

    pub fn byte(&mut self) -> Result<u8> {
        let byte = self.bytes.get(self.at).ok_or("the module ends too soon")?;
        self.at += 1;
        Ok(*byte)
    }

    pub fn unsigned(&mut self) -> Result<u32> {
        let (mut value, mut shift) = (0, 0);
        loop {
            let byte = self.byte()?;
            value |= u32::from(byte & 127) << (shift & 31);
            shift += 7;
            if byte < 128 {
                return Ok(value);
            }
        }
    }

    pub fn signed(&mut self) -> Result<i64> {
        let (mut value, mut shift) = (0_i64, 0);
        loop {
            let byte = self.byte()?;
            value |= i64::from(byte & 127) << (shift & 63);
            shift += 7;
            if byte < 128 {
                let unused = 64_u32.saturating_sub(shift);
                return Ok(value << unused >> unused);
            }
        }
    }

    fn skip(&mut self, numbers: u32) -> Result<()> {
        for _ in 0..numbers {
            self.unsigned()?;
        }
        Ok(())
    }

    fn name(&mut self) -> Result<()> {
        let size = self.unsigned()? as usize;
        self.at += size;
        Ok(())
    }

    /// The content of an import section: how many functions it has.
    pub fn imports(&mut self) -> Result<u32> {
        let count = self.unsigned()?;
        for _ in 0..count {
            self.name()?;
            self.name()?;
            match self.byte()? {
                0 => self.skip(1)?,
                other => return Err(format!("an import of kind {other} is not known here")),
            }
        }
        Ok(count)
    }

    /// The content of an export section: its functions.
    pub fn exports(&mut self) -> Result<Vec<u32>> {
        let mut functions = Vec::new();
        for _ in 0..self.unsigned()? {
            self.name()?;
            let kind = self.byte()?;
            let index = self.unsigned()?;
            if kind == 0 {
                functions.push(index);
            }
        }
        Ok(functions)
    }

    /// The content of an element section: the functions in the table.
    pub fn elements(&mut self) -> Result<Vec<u32>> {
        let mut functions = Vec::new();
        for _ in 0..self.unsigned()? {
            self.offset()?;
            for _ in 0..self.unsigned()? {
                functions.push(self.unsigned()?);
            }
        }
        Ok(functions)
    }

    /// Where a segment of the table or the data begins: a constant.
    pub fn offset(&mut self) -> Result<u32> {
        if (self.unsigned()?, self.byte()?) != (0, 0x41) {
            return Err("a segment of a kind that is not known here".to_owned());
        }
        let offset = self.signed()? as u32;
        match self.byte()? {
            0x0b => Ok(offset),
            other => Err(format!("an offset ends with {other:#x}")),
        }
    }

    /// Passes over the operands of an operation. Gives the last one, or a branch's farthest block.
    pub fn operands(&mut self, code: u8) -> Result<u32> {
        match code {
            // unreachable, nop, else, end, return, drop, select, and all arithmetic
            0x00 | 0x01 | 0x05 | 0x0b | 0x0f | 0x1a | 0x1b | 0x45..=0xc4 => return Ok(0),
            0x0e => {
                let labels = self.unsigned()? + 1;
                let mut farthest = 0;
                for _ in 0..labels {
                    farthest = farthest.max(self.unsigned()?);
                }
                return Ok(farthest);
            }
            0x41 | 0x42 => return Ok(self.signed()? as u32),
            0x43 => self.at += 4,
            0x44 => self.at += 8,
            0x02..=0x04 | 0x0c | 0x0d | 0x10 | 0x20..=0x24 | 0x3f | 0x40 => return self.unsigned(),
            0x11 | 0x28..=0x3e => self.skip(2)?,
            0xfc => match self.unsigned()? {
                0..=7 => {}
                8 | 10 => self.skip(2)?,
                11 => self.skip(1)?,
                other => return Err(format!("operation 0xfc {other} is not known here")),
            },
            _ => return Err(format!("operation {code:#x} is not known here")),
        }
        Ok(0)
    }
}

/// The sections of a module: id, where they start, their content.
pub fn sections(wasm: &[u8]) -> Result<Vec<(u8, usize, Range<usize>)>> {
    let mut reader = Reader::new(wasm, 8);
    let mut sections = Vec::new();
    while reader.at < wasm.len() {
        let start = reader.at;
        let id = reader.byte()?;
        let size = reader.unsigned()? as usize;
        let content = reader.at..reader.at + size;
        reader.at = content.end;
        sections.push((id, start, content));
    }
    Ok(sections)
}

/// A number in LEB128.
pub fn number(mut value: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value > 127 {
        bytes.push(value as u8 | 128);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}
