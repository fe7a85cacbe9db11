//! Class files put together by hand, for what no compiler writes.
#![allow(dead_code, reason = "each test file uses a part of this")]

use std::collections::HashMap;

/// A class with static methods.
pub struct Assembler {
    major: u16,
    pool: Vec<u8>,
    count: u16,
    known: HashMap<Vec<u8>, u16>,
    methods: Vec<Vec<u8>>,
}

/// What a method is made of.
pub struct Body {
    pub max_stack: u16,
    pub max_locals: u16,
    pub code: Vec<u8>,
    /// From, to, target, class.
    pub handlers: Vec<[u16; 4]>,
    /// The content of its `StackMapTable`.
    pub frames: Option<Vec<u8>>,
}

impl Assembler {
    pub fn new(major: u16) -> Self {
        Self {
            major,
            pool: Vec::new(),
            count: 1,
            known: HashMap::new(),
            methods: Vec::new(),
        }
    }

    fn constant(&mut self, bytes: Vec<u8>) -> u16 {
        if let Some(&index) = self.known.get(&bytes) {
            return index;
        }
        let index = self.count;
        self.pool.extend(&bytes);
        self.known.insert(bytes, index);
        self.count += 1;
        index
    }

    pub fn utf8(&mut self, text: &str) -> u16 {
        let length = (text.len() as u16).to_be_bytes();
        self.constant([&[1], &length[..], text.as_bytes()].concat())
    }

    pub fn int(&mut self, value: i32) -> u16 {
        self.constant([&[3], &value.to_be_bytes()[..]].concat())
    }

    fn two(&mut self, tag: u8, one: u16, other: u16) -> u16 {
        let (one, other) = (one.to_be_bytes(), other.to_be_bytes());
        self.constant(vec![tag, one[0], one[1], other[0], other[1]])
    }

    pub fn class(&mut self, name: &str) -> u16 {
        let [high, low] = self.utf8(name).to_be_bytes();
        self.constant(vec![7, high, low])
    }

    pub fn method_ref(&mut self, class: &str, name: &str, descriptor: &str) -> u16 {
        let (class, name, descriptor) = (self.class(class), self.utf8(name), self.utf8(descriptor));
        let name_and_type = self.two(12, name, descriptor);
        self.two(10, class, name_and_type)
    }

    pub fn constants(&self) -> u16 {
        self.count
    }

    pub fn method(&mut self, access: u16, name: &str, descriptor: &str, body: &Body) {
        let mut code = Vec::new();
        let u16s = |code: &mut Vec<u8>, value: usize| code.extend((value as u16).to_be_bytes());
        u16s(&mut code, body.max_stack.into());
        u16s(&mut code, body.max_locals.into());
        code.extend((body.code.len() as u32).to_be_bytes());
        code.extend(&body.code);
        u16s(&mut code, body.handlers.len());
        for value in body.handlers.iter().flatten() {
            u16s(&mut code, (*value).into());
        }
        u16s(&mut code, body.frames.iter().len());
        if let Some(frames) = &body.frames {
            let table = self.utf8("StackMapTable");
            u16s(&mut code, table.into());
            code.extend((frames.len() as u32).to_be_bytes());
            code.extend(frames);
        }
        let mut method = Vec::new();
        for value in [access, self.utf8(name), self.utf8(descriptor), 1, self.utf8("Code")] {
            method.extend(value.to_be_bytes());
        }
        method.extend((code.len() as u32).to_be_bytes());
        method.extend(code);
        self.methods.push(method);
    }

    pub fn finish(mut self, name: &str) -> Vec<u8> {
        let (this, parent) = (self.class(name), self.class("java/lang/Object"));
        let mut out = 0xcafe_babe_u32.to_be_bytes().to_vec();
        for value in [0, self.major, self.count] {
            out.extend(value.to_be_bytes());
        }
        out.extend(&self.pool);
        for value in [0x21, this, parent, 0, 0, self.methods.len() as u16] {
            out.extend(value.to_be_bytes());
        }
        out.extend(self.methods.concat());
        out.extend([0, 0]);
        out
    }
}

/// Frames in full, each with so many int variables and at most one class on the stack.
pub fn frames(frames: &[(usize, u16, Option<u16>)]) -> Vec<u8> {
    let mut out = (frames.len() as u16).to_be_bytes().to_vec();
    let mut next = 0;
    for &(at, ints, stack) in frames {
        out.push(255);
        out.extend(((at - next) as u16).to_be_bytes());
        out.extend(ints.to_be_bytes());
        out.extend((0..ints).map(|_| 1));
        out.extend((stack.iter().len() as u16).to_be_bytes());
        if let Some(class) = stack {
            out.push(7);
            out.extend(class.to_be_bytes());
        }
        next = at + 1;
    }
    out
}
