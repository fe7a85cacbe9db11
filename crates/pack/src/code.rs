//! Follows a stripped module byte by byte: says what the next byte is, which is what predictions
//! are made from, and puts the module together again.
//!
//! A stripped module leaves out what follows from the rest: sizes of functions (a function ends
//! with its outermost block) and an operation's usual operand (natural alignment, global 0, a
//! block without a value). [`ODD`] stands before an operation with another one, and [`ADDRESS`]
//! for a constant that is an address, given as the distance from the one before.

/// Stands before an operation whose first operand is not the usual.
pub const ODD: u8 = 0xff;
/// Stands for `i32.const` of an address.
pub const ADDRESS: u8 = 0xfe;
/// Where the linker puts the first byte of data, above the stack: constants from here on up are
/// mostly addresses.
pub const FIRST_ADDRESS: i32 = 1 << 20;
/// The natural alignments of the operations from 0x28 to 0x3e (powers of two).
pub const NATURAL: &[u8; 23] = b"23230011001122232301012";
/// Bytes of a number in as many as it may take: valid, and known before the number is.
const WIDEST: usize = 5;

/// What a byte is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Field {
    /// Text, or of a module what is before and after the code.
    Plain,
    /// How many kinds of local variables a function has.
    Kinds,
    /// How many variables of a kind.
    Count,
    /// A kind of value.
    Kind,
    /// An operation.
    Operation,
    /// A local variable.
    Local,
    /// A function that is called.
    Call,
    /// A block that is left.
    Label,
    /// A constant of 32 bits.
    Constant,
    /// A field's distance from its pointer.
    Offset,
    /// An address's distance from the one before.
    Address,
    /// A constant of 64 bits.
    Long,
    /// Any other operand.
    Rare,
    /// How many labels a table has.
    Labels,
    /// One of them.
    TableLabel,
    /// A byte of a float.
    Float,
    /// Which of the operations behind 0xfc.
    More,
}

/// Kinds of fields.
pub const FIELDS: usize = Field::More as usize + 1;

/// Where the content goes. What does not fit is dropped.
pub struct Out<'a> {
    bytes: &'a mut [u8],
    at: usize,
}

impl<'a> Out<'a> {
    pub fn new(bytes: &'a mut [u8]) -> Self {
        Out { bytes, at: 0 }
    }

    /// Bytes so far, those that did not fit too.
    #[cfg(feature = "pack")]
    pub fn len(&self) -> usize {
        self.at
    }

    fn put(&mut self, byte: u8) {
        if let Some(place) = self.bytes.get_mut(self.at) {
            *place = byte;
        }
        self.at += 1;
    }

    /// A number of [`WIDEST`] bytes.
    fn put_wide(&mut self, number: usize) {
        for place in 0..WIDEST {
            let more = if place + 1 < WIDEST { 128 } else { 0 };
            self.put((number >> (7 * place)) as u8 & 127 | more);
        }
    }

    fn put_signed(&mut self, mut number: i32) {
        while !(-64..64).contains(&number) {
            self.put(number as u8 & 127 | 128);
            number >>= 7;
        }
        self.put(number as u8 & 127);
    }

    /// Writes how many bytes came since `size`, where that many were left free for it.
    fn put_size(&mut self, size: usize) {
        let end = core::mem::replace(&mut self.at, size);
        self.put_wide(end.wrapping_sub(size + WIDEST));
        self.at = end;
    }
}

/// Where in a module the next byte is.
pub struct Code {
    /// What the next byte is.
    pub field: Field,
    /// What comes behind the operand that is next.
    then: Field,
    /// Bytes until the code begins.
    head: u32,
    /// Functions from the next on.
    functions: u32,
    /// Operands of a kind that are still to come.
    left: u32,
    /// [`ODD`] stands before the operation.
    pub odd: bool,
    /// The last eight operations, one a byte, the latest lowest.
    pub operations: u64,
    /// The number so far, and how many bits of it there are.
    pub value: u32,
    pub bits: u32,
    /// The last number of each field.
    pub last: [u32; FIELDS],
    /// Blocks that are open.
    depth: u32,
    address: i32,
    section_size: usize,
    function_size: usize,
}

impl Code {
    /// The beginning of a module, or of a text, which has no functions.
    pub fn new(functions: u32, head: u32) -> Self {
        Code {
            field: Field::Plain,
            then: Field::Operation,
            head,
            functions,
            left: 0,
            odd: false,
            operations: 0,
            value: 0,
            bits: 0,
            last: [0; FIELDS],
            depth: 0,
            address: FIRST_ADDRESS,
            section_size: 0,
            function_size: 0,
        }
    }

    /// Takes a byte.
    pub fn put(&mut self, byte: u8, out: &mut Out<'_>) {
        match self.field {
            Field::Operation => return self.operation(byte, out),
            Field::Address => {}
            _ => out.put(byte),
        }
        match self.field {
            Field::Plain => self.plain(out),
            Field::Kind => self.one_less(Field::Count),
            Field::Float => self.one_less(Field::Float),
            _ => self.number(byte, out),
        }
    }

    fn plain(&mut self, out: &mut Out<'_>) {
        self.head = self.head.wrapping_sub(1);
        if self.head == 0 && self.functions > 0 {
            out.put(10);
            self.section_size = out.at;
            out.put_wide(0);
            out.put_wide(self.functions as usize);
            self.next_function(out);
        }
    }

    fn next_function(&mut self, out: &mut Out<'_>) {
        if self.functions == 0 {
            out.put_size(self.section_size);
            self.field = Field::Plain;
            return;
        }
        self.functions -= 1;
        self.function_size = out.at;
        out.put_wide(0);
        self.depth = 1;
        self.field = Field::Kinds;
    }

    /// Seven bits of a number.
    fn number(&mut self, byte: u8, out: &mut Out<'_>) {
        self.value |= u32::from(byte & 127).wrapping_shl(self.bits);
        self.bits += 7;
        if byte < 128 {
            let value = self.value;
            self.last[self.field as usize] = value;
            if self.field == Field::Address {
                let unused = 32_u32.saturating_sub(self.bits);
                self.address = self
                    .address
                    .wrapping_add((value << unused) as i32 >> unused);
                out.put_signed(self.address);
            }
            (self.value, self.bits) = (0, 0);
            self.behind(value);
        }
    }

    /// Goes on behind a number.
    fn behind(&mut self, value: u32) {
        match self.field {
            Field::Kinds => {
                self.left = value.wrapping_add(1);
                self.one_less(Field::Count);
            }
            Field::Count => self.field = Field::Kind,
            Field::Labels => {
                // One more than it says: the last is for all other numbers.
                self.left = value.wrapping_add(1);
                self.field = Field::TableLabel;
            }
            Field::TableLabel => self.one_less(Field::TableLabel),
            Field::More => match value {
                11 => self.field = Field::Rare,
                8 | 10 => self.two(Field::Rare, Field::Rare),
                _ => self.field = Field::Operation,
            },
            _ => self.field = core::mem::replace(&mut self.then, Field::Operation),
        }
    }

    fn one_less(&mut self, next: Field) {
        self.left = self.left.wrapping_sub(1);
        self.field = if self.left == 0 {
            Field::Operation
        } else {
            next
        };
    }

    fn two(&mut self, first: Field, then: Field) {
        (self.field, self.then) = (first, then);
    }

    fn operation(&mut self, byte: u8, out: &mut Out<'_>) {
        if byte == ODD {
            self.odd = true;
            return;
        }
        let odd = core::mem::take(&mut self.odd);
        self.operations = self.operations << 8 | u64::from(byte);
        out.put(if byte == ADDRESS { 0x41 } else { byte });
        match byte {
            0x02..=0x04 => self.depth = self.depth.wrapping_add(1),
            0x0b => return self.close(out),
            _ => {}
        }
        let usual = usual(byte);
        if let (false, Some(operand)) = (odd, usual) {
            out.put(operand);
        }
        match (byte, odd) {
            (0x28..=0x3e, true) => self.two(Field::Rare, Field::Offset),
            (_, true) => self.field = Field::Rare,
            _ => self.operands(byte),
        }
    }

    fn operands(&mut self, byte: u8) {
        self.field = match byte {
            0x0c | 0x0d => Field::Label,
            0x0e => Field::Labels,
            0x10 => Field::Call,
            0x11 => return self.two(Field::Rare, Field::Rare),
            0x20..=0x22 => Field::Local,
            0x28..=0x3e => Field::Offset,
            0x3f | 0x40 => Field::Rare,
            0x41 => Field::Constant,
            ADDRESS => Field::Address,
            0x42 => Field::Long,
            0x43 | 0x44 => {
                self.left = if byte == 0x43 { 4 } else { 8 };
                Field::Float
            }
            0xfc => Field::More,
            _ => Field::Operation,
        }
    }

    fn close(&mut self, out: &mut Out<'_>) {
        self.depth = self.depth.wrapping_sub(1);
        if self.depth == 0 {
            out.put_size(self.function_size);
            self.next_function(out);
        }
    }
}

/// The first operand that an operation mostly has, where there is one.
pub fn usual(operation: u8) -> Option<u8> {
    match operation {
        0x02..=0x04 => Some(0x40),
        0x23 | 0x24 => Some(0),
        0x28..=0x3e => Some(NATURAL[usize::from(operation - 0x28)] - b'0'),
        _ => None,
    }
}
