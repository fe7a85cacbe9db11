//! Takes out of a WebAssembly module what is done before it traps: the making of a panic's message. A function that never returns becomes
//! a trap, a call of it too, and what comes straight before one is left out; functions that nothing
//! reaches any more become empty, and places in sources that nothing names any more become zeros. What a
//! program does as long as it does not trap stays the same.
//!
//! ```text
//! local.get 3  local.get 7  i32.const 1052208  call $panic_bounds_check  unreachable
//! ─► unreachable
//! ```

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::wasm::{Reader, number, sections};

const CODE_SECTION: u8 = 10;
const UNREACHABLE: u8 = 0x00;
const BLOCK: u8 = 0x02;
const IF: u8 = 0x04;
const ELSE: u8 = 0x05;
const END: u8 = 0x0b;
const BRANCH: u8 = 0x0c;
const BRANCH_IF: u8 = 0x0d;
const BRANCH_TABLE: u8 = 0x0e;
const RETURN: u8 = 0x0f;
const CALL: u8 = 0x10;
const CONSTANT: u8 = 0x41;

/// Bytes of a `core::panic::Location`: pointer and length of a path, line, column.
const LOCATION: usize = 16;

type Result<T> = std::result::Result<T, String>;

/// The module without them. An error names what this does not know.
pub fn left_out(wasm: &[u8]) -> Result<Vec<u8>> {
    let module = Module::read(wasm)?;
    let functions = || (module.imported..).zip(&module.functions);
    let traps = functions().filter(|(_, function)| function.never_returns());
    let traps: HashSet<u32> = traps.map(|(index, _)| index).collect();
    let bodies: HashMap<u32, Vec<Operation>> = functions()
        .filter(|(index, _)| !traps.contains(index))
        .map(|(index, function)| (index, function.without_ends(&traps)))
        .collect();
    let reached = module.reached(&bodies);
    let mut code = number(module.functions.len());
    let mut named = HashSet::new();
    for (index, function) in functions() {
        let body = match bodies.get(&index).filter(|_| reached.contains(&index)) {
            Some(body) => {
                named.extend(body.iter().filter_map(|operation| operation.constant(wasm)));
                let operations = body.iter().map(|operation| &operation.bytes);
                let ranges = [&function.head].into_iter().chain(operations);
                ranges
                    .flat_map(|bytes| &wasm[bytes.clone()])
                    .copied()
                    .collect()
            }
            // No variables.
            None => vec![0, UNREACHABLE, END],
        };
        code.extend(number(body.len()));
        code.extend(body);
    }
    let mut rest = wasm[module.code.end..].to_vec();
    forget_places(&mut rest, &named)?;
    let before = &wasm[..module.code_section];
    Ok([before, &[CODE_SECTION], &number(code.len()), &code, &rest].concat())
}

/// An operation with its operands.
#[derive(Clone)]
struct Operation {
    code: u8,
    bytes: Range<usize>,
    /// The last operand: the function that is called. Of a branch, the outermost block it may leave.
    operand: u32,
}

impl Operation {
    fn constant(&self, wasm: &[u8]) -> Option<u32> {
        let mut reader = Reader::new(wasm, self.bytes.start + 1);
        (self.code == CONSTANT).then(|| reader.signed().unwrap_or(0) as u32)
    }
}

struct Function {
    /// The local variables.
    head: Range<usize>,
    operations: Vec<Operation>,
}

impl Function {
    fn read(reader: &mut Reader<'_>) -> Result<Self> {
        let start = reader.at;
        for _ in 0..reader.unsigned()? {
            reader.unsigned()?;
            reader.byte()?;
        }
        let head = start..reader.at;
        let mut operations = Vec::new();
        let mut depth = 1;
        while depth > 0 {
            let start = reader.at;
            let code = reader.byte()?;
            let operand = reader.operands(code)?;
            match code {
                BLOCK..=IF => depth += 1,
                END => depth -= 1,
                _ => {}
            }
            let bytes = start..reader.at;
            operations.push(Operation {
                code,
                bytes,
                operand,
            });
        }
        Ok(Self { head, operations })
    }

    /// Whether its end is out of reach, and nothing else leaves it.
    fn never_returns(&self) -> bool {
        let mut depth = 0;
        for operation in &self.operations {
            match operation.code {
                BLOCK..=IF => depth += 1,
                END => depth -= 1,
                RETURN => return false,
                BRANCH..=BRANCH_TABLE if i64::from(operation.operand) >= depth => return false,
                _ => {}
            }
        }
        matches!(&*self.operations, [.., last, _] if last.code == UNREACHABLE)
    }

    /// The operations without those that only lead to a trap.
    fn without_ends(&self, traps: &HashSet<u32>) -> Vec<Operation> {
        let mut out: Vec<Operation> = Vec::with_capacity(self.operations.len());
        // What comes after this is done without a choice.
        let mut straight = 0;
        let mut operations = self.operations.iter().peekable();
        while let Some(operation) = operations.next() {
            let calls_trap = operation.code == CALL && traps.contains(&operation.operand);
            if calls_trap
                && operations
                    .peek()
                    .is_some_and(|next| next.code == UNREACHABLE)
            {
                continue;
            }
            if operation.code == UNREACHABLE {
                out.truncate(straight);
            }
            out.push(operation.clone());
            match operation.code {
                BLOCK..=ELSE | END | BRANCH_IF => straight = out.len(),
                UNREACHABLE => {
                    // What follows in this block is out of reach.
                    let mut depth = 0;
                    while let Some(next) =
                        operations.next_if(|next| depth > 0 || !matches!(next.code, ELSE | END))
                    {
                        match next.code {
                            BLOCK..=IF => depth += 1,
                            END => depth -= 1,
                            _ => {}
                        }
                    }
                }
                _ => {}
            }
        }
        out
    }
}

/// What of a module matters here.
struct Module {
    /// Functions that others define; the own ones are numbered behind them.
    imported: u32,
    /// Functions that the page or the table names.
    roots: Vec<u32>,
    functions: Vec<Function>,
    /// Where the code section starts, and its content.
    code_section: usize,
    code: Range<usize>,
}

impl Module {
    fn read(wasm: &[u8]) -> Result<Self> {
        let mut module = Self {
            imported: 0,
            roots: Vec::new(),
            functions: Vec::new(),
            code_section: 0,
            code: 0..0,
        };
        for (id, start, content) in sections(wasm)? {
            let mut reader = Reader::new(wasm, content.start);
            match id {
                2 => module.imported = reader.imports()?,
                7 => module.roots.extend(reader.exports()?),
                9 => module.roots.extend(reader.elements()?),
                10 => {
                    for _ in 0..reader.unsigned()? {
                        let size = reader.unsigned()? as usize;
                        let end = reader.at + size;
                        module.functions.push(Function::read(&mut reader)?);
                        if reader.at != end {
                            return Err(format!("a function ends at {}, not {end}", reader.at));
                        }
                    }
                    (module.code_section, module.code) = (start, content);
                }
                _ => {}
            }
        }
        Ok(module)
    }

    /// The functions that are called from a root on.
    fn reached(&self, bodies: &HashMap<u32, Vec<Operation>>) -> HashSet<u32> {
        let mut open = self.roots.clone();
        let mut reached = HashSet::new();
        while let Some(index) = open.pop() {
            if reached.insert(index) {
                // Traps and what is imported have none.
                let body = bodies.get(&index).into_iter().flatten();
                let calls = body.filter(|operation| operation.code == CALL);
                open.extend(calls.map(|call| call.operand));
            }
        }
        reached
    }
}

/// Makes places in sources zeros that nothing names any more. `rest` are the sections behind the
/// code; `named` are constants in the code.
fn forget_places(rest: &mut [u8], named: &HashSet<u32>) -> Result<()> {
    let segments = data_segments(rest)?;
    let pointers = words(rest, &segments)
        .map(|(_, word)| word)
        .collect::<HashSet<u32>>();
    let is_free = |address: &u32| !named.contains(address) && !pointers.contains(address);
    let free: Vec<u32> = words(rest, &segments)
        .map(|(address, _)| address)
        .filter(is_free)
        .filter(|address| is_place(rest, &segments, *address))
        .collect();
    for address in free {
        if let Some(bytes) = at_address(&segments, address, LOCATION) {
            rest[bytes].fill(0);
        }
    }
    Ok(())
}

/// Whether a `Location` is here: a path of Rust's own kind, line and column.
fn is_place(rest: &[u8], segments: &[(u32, Range<usize>)], address: u32) -> bool {
    let Some(bytes) = at_address(segments, address, LOCATION) else {
        return false;
    };
    let [path, length] = [0, 4].map(|at| word(&rest[bytes.start + at..]));
    let path = at_address(segments, path, length as usize);
    path.is_some_and(|path| rest[path].ends_with(b".rs"))
}

/// Where so many bytes of an address are.
fn at_address(segments: &[(u32, Range<usize>)], address: u32, size: usize) -> Option<Range<usize>> {
    segments.iter().find_map(|(first, bytes)| {
        let start = bytes.start + address.checked_sub(*first)? as usize;
        let end = start.checked_add(size)?;
        (end <= bytes.end).then_some(start..end)
    })
}

fn word(bytes: &[u8]) -> u32 {
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

/// The words of the data with their addresses; each may be a pointer.
fn words<'a>(
    rest: &'a [u8],
    segments: &'a [(u32, Range<usize>)],
) -> impl Iterator<Item = (u32, u32)> + 'a {
    segments.iter().flat_map(|(address, bytes)| {
        let first = address.next_multiple_of(4);
        let data = rest[bytes.clone()].get((first - address) as usize..);
        let words = data.unwrap_or_default().chunks_exact(4);
        (first..).step_by(4).zip(words.map(word))
    })
}

/// Address and place of each segment of the data.
fn data_segments(rest: &[u8]) -> Result<Vec<(u32, Range<usize>)>> {
    let mut segments = Vec::new();
    let mut reader = Reader::new(rest, 0);
    while reader.at < rest.len() {
        let id = reader.byte()?;
        let size = reader.unsigned()? as usize;
        let end = reader.at + size;
        if id == 11 {
            for _ in 0..reader.unsigned()? {
                let address = reader.offset()?;
                let size = reader.unsigned()? as usize;
                segments.push((address, reader.at..reader.at + size));
                reader.at += size;
            }
        }
        reader.at = end;
    }
    Ok(segments)
}
