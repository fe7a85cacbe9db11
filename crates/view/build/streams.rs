//! Sorts the bytes of a WebAssembly module by what they are, so that they pack better: operations
//! beside operations, locals beside locals. `web/source/streams.js` puts them together again.
//!
//! ```text
//! counts, u32 LE:  bytes before the code section, functions, bytes of each stream
//! bytes before the code section
//! the streams, in the order of `Stream`
//! what follows the code section
//! ```
//! Numbers stay LEB128, in as few bytes as they take. Sizes of functions are left out: a function
//! ends with its outermost block. An operation's usual operands are left out too (the natural
//! alignment, global 0, a block without a value); [`ODD`] stands before one with others.

/// Stands before an operation whose operand is in [`Stream::Rare`].
const ODD: u8 = 0xff;
/// Stands for a constant that is an address, given as the distance from the one before.
const ADDRESS: u8 = 0xfe;
/// Where the linker puts the first byte of data, above the stack: constants from here on up are
/// mostly addresses.
const FIRST_ADDRESS: i64 = 1 << 20;
/// The natural alignments of the operations from 0x28 to 0x3e (powers of two).
const NATURAL: &[u8; 23] = b"23230011001122232301012";

/// What a stream holds.
#[derive(Clone, Copy)]
enum Stream {
    /// Operations.
    Operation,
    /// Indices of local variables.
    Local,
    /// Functions that are called.
    Call,
    /// Blocks that are left.
    Label,
    /// Constants, 32 bits.
    Constant,
    /// Distances of fields from their pointers.
    Offset,
    /// See [`ADDRESS`].
    Address,
    /// Constants, 64 bits.
    Long,
    /// Kinds and numbers of each function's local variables.
    Head,
    /// All else.
    Rare,
}

const STREAMS: usize = Stream::Rare as usize + 1;

/// The module, sorted. An error names what this does not know.
pub fn sorted(wasm: &[u8]) -> Result<Vec<u8>, String> {
    let (start, code, end) = code_section(wasm)?;
    let mut sorter = Sorter {
        wasm: &wasm[..end],
        at: code,
        address: FIRST_ADDRESS,
        streams: Default::default(),
    };
    let functions = sorter.unsigned()?;
    for _ in 0..functions {
        sorter.function()?;
    }
    if sorter.at != end {
        return Err(format!("the code section ends at {}, not {end}", sorter.at));
    }
    let count = |number: usize| (number as u32).to_le_bytes();
    let mut out = Vec::with_capacity(wasm.len());
    out.extend(count(start));
    out.extend(count(functions as usize));
    out.extend(sorter.streams.iter().flat_map(|stream| count(stream.len())));
    out.extend(&wasm[..start]);
    out.extend(sorter.streams.concat());
    out.extend(&wasm[end..]);
    Ok(out)
}

/// Where the code section's head, its content and what follows it begin.
fn code_section(wasm: &[u8]) -> Result<(usize, usize, usize), String> {
    let mut at = 8;
    while at < wasm.len() {
        let start = at;
        let id = wasm[at];
        at += 1;
        let size = unsigned(wasm, &mut at)? as usize;
        if id == 10 {
            return Ok((start, at, at + size));
        }
        at += size;
    }
    Err("a module without code".to_owned())
}

struct Sorter<'a> {
    wasm: &'a [u8],
    at: usize,
    /// The last constant that was an address.
    address: i64,
    streams: [Vec<u8>; STREAMS],
}

impl Sorter<'_> {
    fn byte(&mut self) -> Result<u8, String> {
        let byte = self.wasm.get(self.at).ok_or("the code ends too soon")?;
        self.at += 1;
        Ok(*byte)
    }

    fn unsigned(&mut self) -> Result<u64, String> {
        unsigned(self.wasm, &mut self.at)
    }

    fn signed(&mut self) -> Result<i64, String> {
        let (mut value, mut shift) = (0, 0);
        loop {
            let byte = self.byte()?;
            value |= i64::from(byte & 127) << shift;
            shift += 7;
            if byte < 128 {
                let unused = 64_u32.saturating_sub(shift);
                return Ok(value << unused >> unused);
            }
        }
    }

    fn put(&mut self, stream: Stream, byte: u8) {
        self.streams[stream as usize].push(byte);
    }

    fn put_signed(&mut self, stream: Stream, mut value: i64) {
        while !(-64..64).contains(&value) {
            self.put(stream, value as u8 & 127 | 128);
            value >>= 7;
        }
        self.put(stream, value as u8 & 127);
    }

    fn put_unsigned(&mut self, stream: Stream, mut value: u64) {
        while value > 127 {
            self.put(stream, value as u8 | 128);
            value >>= 7;
        }
        self.put(stream, value as u8);
    }

    /// Moves a number to its stream; tells it too.
    fn number(&mut self, stream: Stream) -> Result<u64, String> {
        let value = self.unsigned()?;
        self.put_unsigned(stream, value);
        Ok(value)
    }

    fn function(&mut self) -> Result<(), String> {
        let size = self.unsigned()? as usize;
        let end = self.at + size;
        for _ in 0..self.number(Stream::Head)? {
            self.number(Stream::Head)?;
            let kind = self.byte()?;
            self.put(Stream::Head, kind);
        }
        let mut depth = 1;
        while depth > 0 {
            match self.operation()? {
                0x02..=0x04 => depth += 1,
                0x0b => depth -= 1,
                _ => {}
            }
        }
        match self.at == end {
            true => Ok(()),
            false => Err(format!("a function ends at {}, not {end}", self.at)),
        }
    }

    /// Sorts an operation with its operands; gives its code.
    fn operation(&mut self) -> Result<u8, String> {
        let code = self.byte()?;
        match code {
            0x02..=0x04 => self.usual(code, 0x40)?,
            0x23 | 0x24 => self.usual(code, 0)?,
            0x28..=0x3e => {
                self.usual(code, NATURAL[usize::from(code - 0x28)] - b'0')?;
                self.number(Stream::Offset)?;
            }
            0x41 => {
                let value = self.signed()?;
                if value < FIRST_ADDRESS {
                    self.put(Stream::Operation, code);
                    self.put_signed(Stream::Constant, value);
                } else {
                    self.put(Stream::Operation, ADDRESS);
                    self.put_signed(Stream::Address, value - self.address);
                    self.address = value;
                }
            }
            _ => {
                self.put(Stream::Operation, code);
                self.operands(code)?;
            }
        }
        Ok(code)
    }

    /// An operation whose first operand is mostly `usual`.
    fn usual(&mut self, code: u8, usual: u8) -> Result<(), String> {
        let operand = self.unsigned()?;
        if operand != usual.into() {
            self.put(Stream::Operation, ODD);
            self.put_unsigned(Stream::Rare, operand);
        }
        self.put(Stream::Operation, code);
        Ok(())
    }

    fn operands(&mut self, code: u8) -> Result<(), String> {
        match code {
            // unreachable, nop, else, end, return, drop, select, and all arithmetic
            0x00 | 0x01 | 0x05 | 0x0b | 0x0f | 0x1a | 0x1b | 0x45..=0xc4 => {}
            0x0c | 0x0d => drop(self.number(Stream::Label)?),
            0x0e => {
                for _ in 0..=self.number(Stream::Rare)? {
                    self.number(Stream::Rare)?;
                }
            }
            0x10 => drop(self.number(Stream::Call)?),
            0x11 => {
                self.number(Stream::Rare)?;
                self.number(Stream::Rare)?;
            }
            0x20..=0x22 => drop(self.number(Stream::Local)?),
            0x3f | 0x40 => drop(self.number(Stream::Rare)?),
            0x42 => {
                let value = self.signed()?;
                self.put_signed(Stream::Long, value);
            }
            0x43 | 0x44 => {
                for _ in 0..if code == 0x43 { 4 } else { 8 } {
                    let byte = self.byte()?;
                    self.put(Stream::Rare, byte);
                }
            }
            0xfc => {
                // Conversions have no operand; filling of memory has one, copying two.
                let operands = match self.number(Stream::Rare)? {
                    0..=7 => 0,
                    11 => 1,
                    8 | 10 => 2,
                    other => return Err(format!("operation 0xfc {other} is not known here")),
                };
                for _ in 0..operands {
                    self.number(Stream::Rare)?;
                }
            }
            _ => return Err(format!("operation {code:#x} is not known here")),
        }
        Ok(())
    }
}

fn unsigned(bytes: &[u8], at: &mut usize) -> Result<u64, String> {
    let (mut value, mut shift) = (0, 0);
    loop {
        let byte = *bytes.get(*at).ok_or("the module ends too soon")?;
        *at += 1;
        value |= u64::from(byte & 127) << shift;
        shift += 7;
        if byte < 128 {
            return Ok(value);
        }
    }
}
