//! Takes a module apart: leaves out what `code` puts back.

use crate::code::{ADDRESS, FIRST_ADDRESS, ODD, usual};
use crate::pack::PackError;

/// A module without what follows from the rest.
pub struct Stripped {
    pub bytes: Vec<u8>,
    /// Bytes before the code.
    pub head: u32,
    pub functions: u32,
}

/// The module, stripped. An error names what this does not know.
pub fn stripped(module: &[u8]) -> Result<Stripped, PackError> {
    let (start, code, end) = code_section(module)?;
    let mut stripper = Stripper {
        module: module.get(..end).ok_or(PackError::Cut(end))?,
        at: code,
        address: FIRST_ADDRESS,
        out: module[..start].to_vec(),
    };
    let functions = stripper.unsigned()?;
    for _ in 0..functions {
        stripper.function()?;
    }
    if stripper.at != end {
        return Err(PackError::Length(stripper.at, end));
    }
    let mut bytes = stripper.out;
    bytes.extend(&module[end..]);
    Ok(Stripped {
        bytes,
        head: start as u32,
        functions: functions as u32,
    })
}

/// Where the code section's head, its content and what follows it begin.
fn code_section(module: &[u8]) -> Result<(usize, usize, usize), PackError> {
    let mut at = 8;
    while let Some(id) = module.get(at) {
        let start = at;
        at += 1;
        let size = unsigned(module, &mut at)? as usize;
        if *id == 10 {
            return Ok((start, at, at + size));
        }
        at += size;
    }
    Err(PackError::NoCode)
}

struct Stripper<'a> {
    module: &'a [u8],
    at: usize,
    /// The last constant that was an address.
    address: i32,
    out: Vec<u8>,
}

impl Stripper<'_> {
    fn byte(&mut self) -> Result<u8, PackError> {
        let byte = self.module.get(self.at).ok_or(PackError::Cut(self.at))?;
        self.at += 1;
        Ok(*byte)
    }

    fn unsigned(&mut self) -> Result<u64, PackError> {
        unsigned(self.module, &mut self.at)
    }

    fn put_unsigned(&mut self, mut value: u64) {
        while value > 127 {
            self.out.push(value as u8 | 128);
            value >>= 7;
        }
        self.out.push(value as u8);
    }

    fn put_signed(&mut self, mut value: i64) {
        while !(-64..64).contains(&value) {
            self.out.push(value as u8 & 127 | 128);
            value >>= 7;
        }
        self.out.push(value as u8 & 127);
    }

    /// Copies a number, in as few bytes as it takes; tells it too.
    fn number(&mut self) -> Result<u64, PackError> {
        let value = self.unsigned()?;
        self.put_unsigned(value);
        Ok(value)
    }

    fn signed(&mut self) -> Result<i64, PackError> {
        let (mut value, mut shift) = (0, 0);
        loop {
            let byte = self.byte()?;
            value |= i64::from(byte & 127) << shift;
            shift += 7;
            if byte < 128 || shift > 63 {
                let unused = 64_u32.saturating_sub(shift);
                return Ok(value << unused >> unused);
            }
        }
    }

    fn function(&mut self) -> Result<(), PackError> {
        let size = self.unsigned()? as usize;
        let end = self.at + size;
        for _ in 0..self.number()? {
            self.number()?;
            self.copy(1)?;
        }
        let mut depth = 1;
        while depth > 0 {
            match self.operation()? {
                0x02..=0x04 => depth += 1,
                0x0b => depth -= 1,
                _ => {}
            }
        }
        if self.at == end {
            Ok(())
        } else {
            Err(PackError::Length(self.at, end))
        }
    }

    fn copy(&mut self, bytes: usize) -> Result<(), PackError> {
        for _ in 0..bytes {
            let byte = self.byte()?;
            self.out.push(byte);
        }
        Ok(())
    }

    /// Strips an operation with its operands; gives its code.
    fn operation(&mut self) -> Result<u8, PackError> {
        let at = self.at;
        let code = self.byte()?;
        if code == 0x41 {
            self.constant()?;
            return Ok(code);
        }
        if let Some(usual) = usual(code) {
            let operand = self.unsigned()?;
            if operand == u64::from(usual) {
                self.out.push(code);
            } else {
                self.out.extend([ODD, code]);
                self.put_unsigned(operand);
            }
        } else {
            self.out.push(code);
        }
        self.operands(code, at)?;
        Ok(code)
    }

    fn constant(&mut self) -> Result<(), PackError> {
        let value = self.signed()? as i32;
        if value < FIRST_ADDRESS {
            self.out.push(0x41);
            self.put_signed(value.into());
        } else {
            self.out.push(ADDRESS);
            self.put_signed((value - self.address).into());
            self.address = value;
        }
        Ok(())
    }

    /// The operands of the operation at `at`, but for [`usual`] ones.
    fn operands(&mut self, code: u8, at: usize) -> Result<(), PackError> {
        match code {
            // unreachable, nop, blocks, return, drop, select, globals, and all arithmetic
            0x00..=0x05 | 0x0b | 0x0f | 0x1a | 0x1b | 0x23 | 0x24 | 0x45..=0xc4 => {}
            0x0c | 0x0d | 0x10 | 0x20..=0x22 | 0x28..=0x40 => drop(self.number()?),
            0x0e => {
                for _ in 0..=self.number()? {
                    self.number()?;
                }
            }
            0x11 => {
                self.number()?;
                self.number()?;
            }
            0x42 => {
                let value = self.signed()?;
                self.put_signed(value);
            }
            0x43 => self.copy(4)?,
            0x44 => self.copy(8)?,
            0xfc => {
                // Conversions have no operand; filling of memory has one, copying two.
                let operands = match self.number()? {
                    0..=7 => 0,
                    11 => 1,
                    8 | 10 => 2,
                    _ => return Err(PackError::Operation(code, at)),
                };
                for _ in 0..operands {
                    self.number()?;
                }
            }
            _ => return Err(PackError::Operation(code, at)),
        }
        Ok(())
    }
}

fn unsigned(bytes: &[u8], at: &mut usize) -> Result<u64, PackError> {
    let (mut value, mut shift) = (0, 0);
    loop {
        let byte = *bytes.get(*at).ok_or(PackError::Cut(*at))?;
        *at += 1;
        value |= u64::from(byte & 127) << shift;
        shift += 7;
        if byte < 128 || shift > 63 {
            return Ok(value);
        }
    }
}
