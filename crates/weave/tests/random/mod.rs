//! Generates random methods from statements that a compiler could write.

use testkit::Rng;
use testkit::class_file::{Assembler, Body, frames};

const STATIC: u16 = 0x9;
const INT_TO_INT: &str = "(I)I";

/// Number of variables that statements use: the parameter and four others. After them, each level of nesting has a loop
/// counter.
const VARIABLES: usize = 5;
const MAX_DEPTH: usize = 4;
const LOCALS: u16 = (VARIABLES + MAX_DEPTH + 1) as u16;

/// Writes a method. Every variable is an int, and the stack is empty between statements.
struct Writer<'w> {
    random: &'w mut Rng,
    class: &'w mut Assembler,
    name: &'w str,
    /// Number of methods before this one. It may call them.
    callable: usize,
    code: Vec<u8>,
    frames: Vec<(usize, u16, Option<u16>)>,
    handlers: Vec<[u16; 4]>,
}

impl Writer<'_> {
    fn frame(&mut self, stack: Option<u16>) {
        let at = self.code.len();
        if self.frames.last().is_none_or(|last| last.0 != at) {
            self.frames.push((at, LOCALS, stack));
        }
    }

    fn with_index(&mut self, opcode: u8, index: u16) {
        self.code.push(opcode);
        self.code.extend(index.to_be_bytes());
    }

    fn variable(&mut self) -> u8 {
        self.random.index(VARIABLES) as u8
    }

    fn load(&mut self) {
        let variable = self.variable();
        self.code.extend([21, variable]);
    }

    fn store(&mut self) {
        let variable = self.variable();
        self.code.extend([54, variable]);
    }

    /// Writes a jump whose distance is set later by `land`. Returns its offset.
    fn jump(&mut self, opcode: u8) -> usize {
        self.code.extend([opcode, 0, 0]);
        self.code.len() - 3
    }

    fn land(&mut self, jump: usize) {
        let distance = (self.code.len() - jump) as i16;
        self.code[jump + 1..jump + 3].copy_from_slice(&distance.to_be_bytes());
    }

    /// Writes one to four statements. Returns whether control reaches their end.
    fn block(&mut self, depth: usize) -> bool {
        (0..1 + self.random.index(4)).all(|_| self.statement(depth))
    }

    fn statement(&mut self, depth: usize) -> bool {
        let kinds = if depth < MAX_DEPTH { 14 } else { 7 };
        match self.random.index(kinds) {
            0..=2 => self.assign(),
            3 => self.divide(),
            4 => return self.leave(),
            5 => return self.throw(),
            6 => self.call(),
            7 | 8 => return self.condition(depth),
            9 | 10 => self.repeat(depth),
            11 | 12 => return self.attempt(depth),
            _ => return self.switch(depth),
        }
        true
    }

    fn assign(&mut self) {
        self.load();
        self.code.extend([16, self.random.index(256) as u8]);
        let operation = [96, 100, 104, 130, 126][self.random.index(5)];
        self.code.push(operation);
        self.store();
    }

    fn divide(&mut self) {
        self.load();
        self.load();
        self.code.push(108);
        self.store();
    }

    fn leave(&mut self) -> bool {
        if self.random.index(3) > 0 {
            return true;
        }
        // A return may leave other values on the stack.
        if self.random.index(2) == 0 {
            self.code.push(4);
        }
        self.load();
        self.code.push(172);
        false
    }

    fn throw(&mut self) -> bool {
        if self.random.index(3) > 0 {
            return true;
        }
        const ERROR: &str = "java/lang/IllegalStateException";
        let class = self.class.class(ERROR);
        let init = self.class.method_ref(ERROR, "<init>", "()V");
        self.with_index(187, class);
        self.code.push(89);
        self.with_index(183, init);
        self.code.push(191);
        false
    }

    fn call(&mut self) {
        if self.callable == 0 {
            return;
        }
        // Only call the method just before, so that calls are few and deep.
        let name = format!("m{}", self.callable - 1);
        let method = self.class.method_ref(self.name, &name, INT_TO_INT);
        self.load();
        self.with_index(184, method);
        self.store();
    }

    fn condition(&mut self, depth: usize) -> bool {
        self.load();
        let opcode = 153 + self.random.index(6) as u8;
        let to_else = self.jump(opcode);
        let then = self.block(depth + 1);
        let to_end = then.then(|| self.jump(167));
        self.land(to_else);
        self.frame(None);
        let otherwise = self.block(depth + 1);
        if let Some(to_end) = to_end {
            self.land(to_end);
            self.frame(None);
        }
        then || otherwise
    }

    fn repeat(&mut self, depth: usize) {
        let counter = (VARIABLES + depth) as u8;
        self.code
            .extend([16, 1 + self.random.index(3) as u8, 54, counter]);
        let start = self.code.len();
        self.frame(None);
        self.code.extend([132, counter, 255, 21, counter]);
        let to_end = self.jump(155);
        if self.block(depth + 1) {
            let back = (start as i64 - self.code.len() as i64) as i16;
            self.with_index(167, back as u16);
        }
        self.land(to_end);
        self.frame(None);
    }

    fn attempt(&mut self, depth: usize) -> bool {
        // All variables hold ints in the whole range, so the handler's frame is valid.
        let from = self.code.len() as u16;
        // A range of the exception table must not be empty.
        self.code.push(0);
        let inside = self.block(depth + 1);
        let to = self.code.len() as u16;
        let to_end = inside.then(|| self.jump(167));
        let caught = match self.random.index(3) {
            0 => None,
            1 => Some("java/lang/ArithmeticException"),
            _ => Some("java/lang/RuntimeException"),
        };
        let class = caught.map_or(0, |name| self.class.class(name));
        let on_stack = self.class.class(caught.unwrap_or("java/lang/Throwable"));
        let target = self.code.len();
        self.frame(Some(on_stack));
        self.handlers.push([from, to, target as u16, class]);
        let throws_again = self.random.index(4) == 0;
        self.code.push(if throws_again { 191 } else { 87 });
        let handled = !throws_again && self.block(depth + 1);
        if let Some(to_end) = to_end {
            self.land(to_end);
            self.frame(None);
        }
        inside || handled
    }

    fn switch(&mut self, depth: usize) -> bool {
        self.load();
        self.code.extend([6, 126]);
        let at = self.code.len();
        let is_table = self.random.index(2) == 0;
        self.code.push(if is_table { 170 } else { 171 });
        let operands = (at & !3) + 4;
        self.code.resize(operands, 0);
        let cases = 3;
        let table: Vec<i32> = if is_table {
            vec![0, 0, cases - 1, 0, 0, 0]
        } else {
            vec![0, cases, 0, 0, 1, 0, 2, 0]
        };
        self.code
            .extend(table.iter().flat_map(|int| int.to_be_bytes()));
        let place = |case: usize| match (case, is_table) {
            (0, _) => operands,
            (case, true) => operands + 8 + 4 * case,
            (case, false) => operands + 4 + 8 * case,
        };
        let (mut ends, mut falls) = (Vec::new(), false);
        // Each case jumps to the end or falls through to the next one.
        for case in 0..=cases as usize {
            let distance = (self.code.len() - at) as i32;
            self.code[place(case)..][..4].copy_from_slice(&distance.to_be_bytes());
            self.frame(None);
            falls = self.block(depth + 1);
            if falls && case < cases as usize && self.random.index(2) == 0 {
                ends.push(self.jump(167));
            }
        }
        if ends.is_empty() {
            return falls;
        }
        for end in ends {
            self.land(end);
        }
        self.frame(None);
        true
    }

    fn method(mut self, with_frames: bool, number: usize) {
        for variable in 1..LOCALS as u8 {
            self.code.extend([16, variable, 54, variable]);
        }
        if self.block(0) {
            self.load();
            self.code.push(172);
        }
        let body = Body {
            max_stack: 3,
            max_locals: LOCALS,
            code: self.code,
            handlers: self.handlers,
            frames: (with_frames && !self.frames.is_empty()).then(|| frames(&self.frames)),
        };
        self.class
            .method(STATIC, &format!("m{number}"), INT_TO_INT, &body);
    }
}

/// A class of random methods. Each may call the ones before it.
pub fn random_class(seed: u64, name: &str) -> Vec<u8> {
    let mut random = Rng::new(seed);
    // Two versions that need frames, one in which they are optional, and one without.
    let major = [61, 52, 50, 49][random.index(4)];
    let mut class = Assembler::new(major);
    for number in 0..12 {
        let writer = Writer {
            random: &mut random,
            class: &mut class,
            name,
            callable: number,
            code: Vec::new(),
            frames: Vec::new(),
            handlers: Vec::new(),
        };
        writer.method(major > 49, number);
    }
    class.finish(name)
}
